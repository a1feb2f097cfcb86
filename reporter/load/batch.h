/* SPDX-License-Identifier: BSD-3-Clause */
/* A batch is a thread's pending slices on their way through the estimator to the sums. */
#ifndef EVPROF_REPORTER_LOAD_BATCH_H
#define EVPROF_REPORTER_LOAD_BATCH_H

#include "reporter/load/loader.h"

struct slice_batch {
	struct loader *loader;
	struct ep_trace_process *process;
	struct ep_trace_thread *thread;
	const struct ep_pending *pending;
	struct ep_stretch stretch;
	uint32_t n_events;
	bool has_idle; /* another user of the PMU had it for a part of some slice */
	/* A simulator runs one thread at a time, and callgrind's costs have no time. */
	bool has_latency;
	uint64_t latency_seed;
};

/* Tells whether another user had the PMU for the whole slice: the group was on and never ran. */
static inline bool ep_is_dead(const struct ep_sample *s)
{
	return s->flags & EP_SAMPLE_NOT_RUN || (s->idle_us && s->idle_us >= s->cpu_us);
}

/* batch_add.c */
/* Adds every slice to its call path, its thread and the timelines. 0 or -ENOMEM. */
int ep_batch_add(struct slice_batch *batch) EP_MUST_CHECK;

#endif
