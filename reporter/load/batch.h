/* SPDX-License-Identifier: BSD-3-Clause */
/* A batch has a thread's pending slices while the estimator fills their gaps and they are added to the sums. */
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
	uint32_t flags; /* flags of all slices, joined by OR */
	bool has_idle;  /* in some slice another user had the PMU for a part of the time */
	/* an event was the trigger of some window, or ended a slice in it */
	bool has_triggers;
	bool has_kernel_rows; /* hidden time is added to rows first (path_rows.h) */
	/* Tells whether the slices count for latency. They do not where a simulator ran one thread at a time,
	 * or where callgrind's costs, which have no time, are used. */
	bool has_latency;
	uint64_t latency_seed;
	/* born_us: the process's birth on the trace's clock; period_us: CPU time between two ticks by time */
	uint64_t born_us, period_us;
	/* a slice with more CPU time has passed a tick in the kernel, for which no signal came; UINT64_MAX:
	 * no slice has */
	uint64_t one_tick_us;
	/* consecutive slices joined into one, in which the thread never left its CPU; to_us 0: none yet */
	struct ep_latency_slice run;
	/* (n_seen) times for the next call of see_times; NULL: see_times is not set */
	struct ep_seen_time *seen;
	uint32_t n_seen;
};

/* Tells whether the group's counters never ran in the slice, because another user had the PMU. */
static inline bool ep_is_dead(const struct ep_sample *s)
{
	return s->flags & EP_SAMPLE_NOT_RUN || (s->idle_us && s->idle_us >= s->cpu_us);
}

/* slices that are added at once: few enough that their data stay in the CPU's cache meanwhile */
enum { EP_PORTION_SLICES = 256 };

/* ---- batch_cells.c ---- */
/* Adds the counts of slices [from, to), at most one portion, to their thread and to their paths. The sums of
 * the paths must exist. */
void ep_batch_add_counts(struct slice_batch *batch, uint32_t from, uint32_t to);

/* ---- batch_add.c ---- */
/* Adds every slice to its call path, its thread and the timelines. 0 or -ENOMEM. */
int ep_batch_add(struct slice_batch *batch) EP_MUST_CHECK;

#endif
