/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data that evprof's hooks read at each call that may wait. They are on one page, together with the pointers to the
 * libc functions that the hooks call. A thread that wakes up finds its caches cold, and each page that it reads costs a
 * tenth of a microsecond in a virtual machine. Any thread and signal handlers use these data.
 */
#ifndef EVPROF_PRELOAD_RECORDING_HOT_H
#define EVPROF_PRELOAD_RECORDING_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_NONBLOCKING_FDS 4096 /* descriptors from this number on are not in the set */
#define EP_NONBLOCKING_BITS 64

/* Puts a variable of any file on this page. */
#define EP_HOT __attribute__((section("ep_hot_page")))

struct ep_hot {
	_Atomic bool
		notes_waits; /* true while ep_recording.is_on, in a process whose waits are noted */
	bool stamps_are_of_counter;
	int lowest_fd;         /* evprof has no descriptor below this number */
	int64_t self_at;       /* offset of ep_self from the thread's base; x86-64 only */
	uint64_t waits_stamps; /* ep_recording.waits_ns in stamps, or a little less */
	_Atomic uint64_t nonblocking[EP_NONBLOCKING_FDS / EP_NONBLOCKING_BITS]
		__attribute__((aligned(64)));
} __attribute__((aligned(1024)));

extern struct ep_hot ep_hot;

#endif
