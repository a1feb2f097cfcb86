/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of places where the clock's ticks alone do not tell it: before a thread's first tick, behind
 * its last one, and in the kernel.
 *
 * A thread's first tick comes after a random part of a window, the others a window later each. Every
 * moment of its life is then met with the same chance, and a tick stands for a window of CPU time,
 * however long the thread lived (Horvitz and Thompson's estimator). A thread that lives for less than a
 * window mostly ends without a tick: the ticks of others like it speak for it. So the first tick weighs
 * a window and not the time before it, and the piece behind the last tick weighs nothing where that tick
 * was. Of threads that live long this changes a window in all.
 *
 * A clock that is heard in user mode only hides the kernel's time. Looks for system calls, a timer's,
 * come at the same times in user mode and in the kernel; each that met a system call stands for the CPU
 * time between two of them. What they leave of the kernel's time (page faults, interrupts) stays half
 * beneath the sample before and half beneath the one after.
 *
 * All of it is scaled to the CPU time that the threads used, which the kernel knows.
 */
#ifndef EVPROF_REPORTER_LOAD_TIME_PLACES_H
#define EVPROF_REPORTER_LOAD_TIME_PLACES_H

#include "common/error.h"
#include "reporter/load/loader.h"

/* Sees a slice before the first tick of its thread is met, that tick, or a slice that is cut short. */
void ep_time_places_see_end(struct ep_thread_ends *ends, const struct ep_sample *sample,
	uint32_t path_idx, const struct ep_cost *cost);

/* Sees the next slice of a thread, in order, and the time that it is counted as. */
static inline void ep_time_places_see(struct ep_thread_ends *ends, const struct ep_sample *sample,
	uint32_t path_idx, const struct ep_cost *cost)
{
	if (ends->has_tick && !(sample->flags & EP_SAMPLE_CUT))
		ends->tail = (struct ep_thread_end){ 0 };
	else
		ep_time_places_see_end(ends, sample, path_idx, cost);
}

/* Adds a look for system calls that met one in a path. 0 or -ENOMEM. */
int ep_time_places_see_call(struct loader *loader, struct ep_trace_thread *thread,
	const struct ep_sample *sample, uint32_t path_idx) EP_MUST_CHECK;

/* Moves CPU time between paths; is called when all is read. */
void ep_time_places_weigh(struct ep_trace *trace);
/* Finds the times of paths (without stolen time), the ranks' parts of them and latencies; is called when all
 * is read. 0 or -ENOMEM. */
int ep_trace_weigh(struct ep_trace *trace) EP_MUST_CHECK;

#endif
