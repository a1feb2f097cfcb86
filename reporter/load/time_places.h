/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Corrects the CPU time of places for time that the clock's ticks do not show: before a thread's first tick,
 * after its last tick, and in the kernel.
 *
 * A thread's first tick comes after a random part of a window, each later tick one window later. So a tick
 * falls on every moment of the thread's life with the same probability, and stands for a window of CPU time,
 * however long the thread lived (Horvitz and Thompson's estimator). A thread that lives for much less than a
 * window mostly has no tick; the ticks of similar threads also stand for its time. So the first tick gets the
 * weight of a whole window in place of the time before that tick, and the time after the last tick is removed
 * from the path that it was added to. This changes a thread's time by at most one window.
 *
 * A clock that ticks in user mode only hides the kernel's time. A timer's ticks that look for system calls
 * come at the same rate in user mode and in the kernel; each tick that finds a system call, or (on x86) a
 * page fault, stands for the CPU time between two such ticks. The rest of the kernel's time (interrupts, and
 * page faults except on x86) stays hidden time: half of it beneath the path of the sample before, half
 * beneath that of the sample after.
 *
 * In the end all times are scaled so that their sum is the CPU time that the kernel counted for the threads.
 */
#ifndef EVPROF_REPORTER_LOAD_TIME_PLACES_H
#define EVPROF_REPORTER_LOAD_TIME_PLACES_H

#include "common/error.h"
#include "reporter/load/loader.h"

/* Sees the slice of a thread's first tick, a slice before it, or a slice that a flush cut short. */
void ep_time_places_see_end(struct ep_thread_ends *ends, const struct ep_sample *sample,
	uint32_t path_idx, const struct ep_cost *cost);

/* Sees the next slice of a thread, in order; cost is the time that it counts as. */
static inline void ep_time_places_see(struct ep_thread_ends *ends, const struct ep_sample *sample,
	uint32_t path_idx, const struct ep_cost *cost)
{
	if (ends->has_tick && !(sample->flags & EP_SAMPLE_CUT))
		ends->tail = (struct ep_thread_end){ 0 };
	else
		ep_time_places_see_end(ends, sample, path_idx, cost);
}

/* Adds a tick that looked for a system call and found one in a path, or a page fault. 0 or -ENOMEM. */
int ep_time_places_see_call(struct loader *loader, struct ep_trace_thread *thread,
	const struct ep_sample *sample, uint32_t path_idx) EP_MUST_CHECK;

/* Moves CPU time between paths and scales it, as described above. Called when all is read. */
void ep_time_places_weigh(struct ep_trace *trace);
/* Computes the final times of paths (without stolen time), the ranks' parts of them, and latencies. Called
 * when all is read. 0 or -ENOMEM. */
int ep_trace_weigh(struct ep_trace *trace) EP_MUST_CHECK;

#endif
