/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up how many threads ran at each moment, and how much of the passing time belongs to each place. A CPU
 * second counts as a second while one thread runs, and as a 128th of a second while 128 threads do: each
 * moment is divided among the threads that ran then, as perf report --latency does (Linux 6.15,
 * Documentation/cpu-and-latency-overheads.txt). A place's share is a bound on how much shorter the run gets
 * if the place costs nothing.
 *
 * A slice's CPU time counts as spread evenly over its wall time. The number of running threads is kept in
 * bins, whose number is bounded. Slices are kept, too, since the mean weight of a path's slices is computed
 * from them; where there are too many, only a random part of them is kept.
 */
#ifndef EVPROF_REPORTER_LOAD_LATENCY_H
#define EVPROF_REPORTER_LOAD_LATENCY_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_trace;
struct ep_latency;

/* A slice. from_us and to_us are on CLOCK_MONOTONIC of the trace's first process; for a tick that looked for
 * a system call (is_call) they are equal. */
struct ep_latency_slice {
	uint64_t from_us, to_us, cpu_us;
	uint32_t path_idx;
	bool is_call;
	/* a hash of the thread and to_us; with cpu_us it decides whether the slice is kept */
	uint64_t moment;
};

/* Adds a slice as time in which its thread ran; no slice may be added twice. Creates *latency where it is
 * NULL. 0 or -ENOMEM. */
int ep_latency_see_running(
	struct ep_latency **latency, const struct ep_latency_slice *slice) EP_MUST_CHECK;
/* Adds the part of a slice, or of a tick that looked for a system call, that belongs to a path. 0 or -ENOMEM. */
int ep_latency_see_path(
	struct ep_latency **latency, const struct ep_latency_slice *slice) EP_MUST_CHECK;

/* Sets latency_us and alone_us of the paths' costs, and the trace's parallel_us. Called after all is read and
 * the paths have their CPU time. 0 or -ENOMEM. */
int ep_latency_weigh(struct ep_trace *trace) EP_MUST_CHECK;
/* Returns how much of the passing time a unit of CPU time between two moments counts for, on average: 1 where
 * at most one thread ran, 1/2 where two threads ran. The moments are on the clock of struct
 * ep_latency_slice. */
double ep_latency_mean_weight(
	const struct ep_latency *latency, uint64_t from_us, uint64_t to_us) EP_MUST_CHECK;
void ep_latency_destroy(struct ep_latency *latency);

#endif
