/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces to one file of their sums (REDUCED of docs/trace-format.md). Threads may reduce side by side. */
#ifndef EVPROF_REPORTER_REDUCE_REDUCE_H
#define EVPROF_REPORTER_REDUCE_REDUCE_H

#include "reporter/load/load.h"

/* Is called for each trace that cannot be read, and is left out. */
struct ep_reduce_skipper {
	void (*skip)(void *context, const char *path, const char *why);
	void *context;
};

struct ep_reduce_job {
	const char *const *paths; /* NULL behind the last; reduced files among them are merged */
	const char *output;
	const struct ep_filler_ops *filler;
	const struct ep_clock_origin *origin; /* NULL: the first trace's */
	const char *sysroot;
	struct ep_shared_names *names; /* NULL: no other job asks for the same */
	uint32_t part_bytes;           /* of traces; 0: as their size asks for (parts.h) */
	uint32_t
		patience_ms; /* for a part that another process made to be seen here; 0: 65 seconds */
	/* Traces that other parts of the job could not read at all: the report is to tell them. */
	uint64_t n_left_out;
	const char *first_left_out;
	uint32_t n_threads; /* that read, as in ep_load_options */
	/* So many bytes more of the traces are read. Any thread that reduces calls it. May be NULL. */
	void (*progress)(void *context, uint64_t more_bytes);
	/* Is called before each of paths is opened, as in ep_load_options; NULL: all are there. It may count
	 * n_left_out of the job until the last has been waited for. */
	int (*await_file)(void *context, struct ep_error *err);
	void *context; /* of these two */
	struct ep_reduce_skipper skipper;
};

/* 0, or a negative errno with err; what stood at output stays then. -ENODATA: no trace could be read. */
int ep_reduce(const struct ep_reduce_job *job, struct ep_error *err) EP_MUST_CHECK;

#endif
