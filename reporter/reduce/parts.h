/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job's traces in parts of about as many bytes, each reduced by itself, by whichever process: a part that
 * is written stays when others are not, and is not made again. Parts depend on the traces alone, so that
 * the digits are the same for any number of processes.
 */
#ifndef EVPROF_REPORTER_REDUCE_PARTS_H
#define EVPROF_REPORTER_REDUCE_PARTS_H

#include "reporter/reduce/inputs.h"
#include "reporter/reduce/reduce.h"

struct ep_reduce_parts {
	struct ep_reduce_inputs inputs;
	struct ep_reduce_job job; /* of all inputs */
	struct ep_clock_origin origin;
	char *run, *folder; /* of the files of parts */
	uint32_t *firsts;   /* (n_parts + 1) of the inputs */
	char **paths;       /* (n_parts), and NULL behind the last */
	uint32_t n_parts;
};

/* job: output, filler (NULL: chosen for all), sysroot, threads and skipper, which must last as long. Names are
 * those of ep_reduce_inputs_find. 0, or a negative errno with err. */
int ep_reduce_parts_init(struct ep_reduce_parts *parts, const char *const *names,
	const struct ep_reduce_job *job, struct ep_error *err) EP_MUST_CHECK;
void ep_reduce_parts_finish(struct ep_reduce_parts *parts);
/* Writes a part, unless it is there. -ENODATA: it has no trace that could be read, and is not written. */
int ep_reduce_parts_make(
	const struct ep_reduce_parts *parts, uint32_t part, struct ep_error *err) EP_MUST_CHECK;
/* Merges all parts that are there into the output, and removes them. */
int ep_reduce_parts_merge(const struct ep_reduce_parts *parts, struct ep_error *err) EP_MUST_CHECK;

#endif
