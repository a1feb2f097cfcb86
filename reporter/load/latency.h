/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many threads ran at each moment, and what a place's time is of the time that passes. A CPU second
 * while one thread runs is a second of the run, one while 128 do is a 128th: each moment is divided among
 * the threads that ran then, as perf report --latency does (Linux 6.15,
 * Documentation/cpu-and-latency-overheads.txt). That share bounds by how much the run gets shorter where
 * the place costs nothing.
 *
 * A slice's CPU time counts as spread evenly over its time on the clock. Threads are added up in bins of
 * bounded number. Places keep the slices that end in them; of very many a part that is drawn, which tells
 * the mean weight of a path's slices.
 */
#ifndef EVPROF_REPORTER_LOAD_LATENCY_H
#define EVPROF_REPORTER_LOAD_LATENCY_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_trace;
struct ep_latency;

/* from_us and to_us are on CLOCK_MONOTONIC of the trace's first process; a look at a system call
 * has both the same. */
struct ep_latency_slice {
	uint64_t from_us, to_us, cpu_us;
	uint32_t path_idx;
	bool is_call;
	uint64_t moment; /* a hash of its thread and to_us, by which slices are drawn */
};

/* Adds a slice as time in which its thread ran, once for each slice. Makes *latency where it is
 * NULL. 0 or -ENOMEM. */
int ep_latency_see_running(
	struct ep_latency **latency, const struct ep_latency_slice *slice) EP_MUST_CHECK;
/* Adds the part of a slice, or of a look, that is a path's. 0 or -ENOMEM. */
int ep_latency_see_path(
	struct ep_latency **latency, const struct ep_latency_slice *slice) EP_MUST_CHECK;

/* Runs once all is read and paths have their CPU time: sets latency_us and alone_us of their costs, and the
 * trace's parallel_us. 0 or -ENOMEM. */
int ep_latency_weigh(struct ep_trace *trace) EP_MUST_CHECK;
/* The mean share of the time that passes that CPU time from one moment to another stands for: 1 while a
 * single thread ran, or none. On the clock of ep_latency_slice. */
double ep_latency_mean_weight(
	const struct ep_latency *latency, uint64_t from_us, uint64_t to_us) EP_MUST_CHECK;
void ep_latency_destroy(struct ep_latency *latency);

#endif
