/* SPDX-License-Identifier: BSD-3-Clause */
/* A batch is a thread's pending slices on their way through the estimator to the sums. */
#ifndef EVPROF_REPORTER_LOAD_BATCH_H
#define EVPROF_REPORTER_LOAD_BATCH_H

#include "reporter/load/latency.h"
#include "reporter/load/loader.h"

struct slice_batch {
	struct loader *loader;
	struct ep_trace_process *process;
	struct ep_trace_thread *thread;
	const struct ep_pending *pending;
	struct ep_stretch stretch;
	uint32_t n_events;
	uint32_t flags;       /* of any slice */
	bool has_idle;        /* in some slice another user had the PMU for a part of the time */
	bool has_triggers;    /* an event ended some window, or a slice in it */
	bool has_kernel_rows; /* hidden time is added up by the rows of paths */
	/* A simulator runs one thread at a time, and callgrind's costs have no time. */
	bool has_latency;
	uint64_t latency_seed;
	uint64_t born_us, period_us; /* of the process; between two ticks by time */
	uint64_t one_tick_us; /* a longer slice had ticks that nobody heard; UINT64_MAX: none had */
	struct ep_latency_slice
		run; /* slices one after the other in which the thread ran throughout */
};

/* Tells whether another user had the PMU for the whole slice: the group was on and never ran. */
static inline bool ep_is_dead(const struct ep_sample *s)
{
	return s->flags & EP_SAMPLE_NOT_RUN || (s->idle_us && s->idle_us >= s->cpu_us);
}

enum { EP_PORTION_SLICES = 256 }; /* a cache holds their data until all is added */

/* batch_cells.c */
/* Adds the counts of slices [from, to), a portion at most, to their thread and the paths, whose sums are there. */
void ep_batch_add_counts(struct slice_batch *batch, uint32_t from, uint32_t to);

/* batch_add.c */
/* Adds every slice to its call path, its thread and the timelines. 0 or -ENOMEM. */
int ep_batch_add(struct slice_batch *batch) EP_MUST_CHECK;

#endif
