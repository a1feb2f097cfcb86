/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces traces to one file that has their sums (REDUCED in docs/trace-format.md). Several threads may each
 * reduce at the same time. */
#ifndef EVPROF_REPORTER_REDUCE_REDUCE_H
#define EVPROF_REPORTER_REDUCE_REDUCE_H

#include "reporter/load/load.h"

/* skip is called for each trace that cannot be read and is therefore left out. */
struct ep_reduce_skipper {
	void (*skip)(void *context, const char *path, const char *why);
	void *context;
};

struct ep_reduce_job {
	/* paths of the files, and NULL after the last; files that are already reduced are merged */
	const char *const *paths;
	const char *output;
	const struct ep_filler_ops *filler;
	const struct ep_clock_origin *origin; /* NULL: the origin of the first trace */
	const char *sysroot;
	/* names of code that several jobs share; NULL: the job has its own */
	struct ep_shared_names *names;
	/* a part ends when its traces have this size or more, in bytes; 0: chosen from the size of all traces
	 * (parts.h) */
	uint32_t part_bytes;
	/* time to wait until a part that another process made can be seen here; 0: 65 seconds */
	uint32_t patience_ms;
	/* The number of traces in parts of which no trace could be read, and the path of the first such trace; a note
	 * in the output tells both. */
	uint64_t n_left_out;
	const char *first_left_out;
	uint32_t n_threads; /* threads that read, as in ep_load_options */
	/* Called when more_bytes more of the traces' bytes were read, by any thread that reduces. May be NULL. */
	void (*progress)(void *context, uint64_t more_bytes);
	/* Called before each file of paths is opened (as in ep_load_options), and may wait for the file; NULL: all
	 * files exist. Each of these calls, also the last one, may change n_left_out of the job. */
	int (*await_file)(void *context, struct ep_error *err);
	void *context; /* first argument of progress and await_file */
	struct ep_reduce_skipper skipper;
};

/* Returns 0, or a negative errno with err; in that case an older file at output stays. -ENODATA: no trace could be
 * read. */
int ep_reduce(const struct ep_reduce_job *job, struct ep_error *err) EP_MUST_CHECK;

#endif
