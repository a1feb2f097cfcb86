/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All data that a call reads which may wait: they are on one page, with the pointers to the functions behind the hooks.
 * A thread that wakes up finds its caches cold, and each page costs it a tenth of a microsecond in a virtual machine.
 * For any thread, and signal handlers.
 */
#ifndef EVPROF_PRELOAD_RECORDING_HOT_H
#define EVPROF_PRELOAD_RECORDING_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_NONBLOCKING_FDS 4096 /* descriptors from this number on are not in the set */
#define EP_NONBLOCKING_BITS 64

/* Puts variables of all files side by side on this page. */
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
