/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a call passes by that may wait: on one page, with the pointers to the functions behind the hooks. A thread
 * that wakes up finds its caches cold, and each page of ours costs it a tenth of a microsecond in a virtual machine.
 * Any thread, signal handlers.
 */
#ifndef EVPROF_PRELOAD_RECORDING_HOT_H
#define EVPROF_PRELOAD_RECORDING_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_NONBLOCKING_FDS 4096 /* those above are none */
#define EP_NONBLOCKING_BITS 64

/* Variables that are there side by side, whichever file they are of. */
#define EP_HOT __attribute__((section("ep_hot_page")))

struct ep_hot {
	_Atomic bool
		notes_waits; /* as long as ep_recording.is_on, of a process whose waits are noted */
	bool stamps_are_of_counter;
	int lowest_fd;         /* none of ours is below it */
	int64_t self_at;       /* of ep_self, behind the thread's base; x86-64 */
	uint64_t waits_stamps; /* ep_recording.waits_ns, or shorter, in stamps */
	_Atomic uint64_t nonblocking[EP_NONBLOCKING_FDS / EP_NONBLOCKING_BITS]
		__attribute__((aligned(64)));
} __attribute__((aligned(1024)));

extern struct ep_hot ep_hot;

#endif
