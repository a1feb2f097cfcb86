/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces to one file of their sums (REDUCED of docs/trace-format.md). Threads may reduce side by side. */
#ifndef EVPROF_REPORTER_REDUCE_REDUCE_H
#define EVPROF_REPORTER_REDUCE_REDUCE_H

#include "reporter/load/load.h"

struct ep_reduce_job {
	const char *const *paths; /* NULL behind the last; reduced files among them are merged */
	const char *output;
	const struct ep_filler_ops *filler;
	const struct ep_clock_origin *origin; /* NULL: the first trace's */
	const char *sysroot;
	uint32_t part_bytes; /* of traces; 0: as their size asks for (parts.h) */
	/* Traces that other parts of the job could not read at all: the report is to tell them. */
	uint64_t n_left_out;
	uint64_t n_traces; /* of the job, where paths are parts of it or of one; else 0 */
	const char *first_left_out;
	uint32_t n_threads; /* that read, as in ep_load_options */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes); /* may be NULL */
	/* A trace cannot be read, and is left out. */
	void (*skip)(const char *path, const struct ep_error *err);
};

/* 0, or a negative errno with err; what stood at output stays then. -ENODATA: no trace could be read. */
int ep_reduce(const struct ep_reduce_job *job, struct ep_error *err) EP_MUST_CHECK;

#endif
