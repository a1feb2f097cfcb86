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
	uint64_t *hashes;   /* (n_parts) they tell a part of other traces, or made otherwise */
	char **paths;       /* (n_parts), and NULL behind the last */
	uint32_t n_parts;
};

/* job: output, filler (NULL: chosen for all), sysroot, threads and skipper, which must last as long. Names are
 * those of ep_reduce_inputs_find. 0, or a negative errno with err. */
int ep_reduce_parts_init(struct ep_reduce_parts *parts, const char *const *names,
	const struct ep_reduce_job *job, struct ep_error *err) EP_MUST_CHECK;
/* Names the parts by their hashes, which another process has found: nodes may see other times of the same files. 0 or
 * -ENOMEM. */
int ep_reduce_parts_name(struct ep_reduce_parts *parts) EP_MUST_CHECK;
void ep_reduce_parts_finish(struct ep_reduce_parts *parts);
/* Writes a part, unless it is there. skipper NULL: the job's. -ENODATA: it has no trace that could be read, and is
 * not written. */
int ep_reduce_parts_make(const struct ep_reduce_parts *parts, uint32_t part,
	const struct ep_reduce_skipper *skipper, struct ep_error *err) EP_MUST_CHECK;
/* The thread that merges is to wait until a part is made: 0; 1 where none of its traces could be read; or a
 * negative errno with err, with which merging ends. */
struct ep_reduce_waiter {
	int (*wait)(void *context, uint32_t part, struct ep_error *err);
	void *context;
};

/* Merges all parts that are there into the output, in their order. waiter NULL: no more will be made. */
int ep_reduce_parts_merge(const struct ep_reduce_parts *parts,
	const struct ep_reduce_waiter *waiter, struct ep_error *err) EP_MUST_CHECK;
/* Removes the parts where all went well (rc 0), and where the traces are at fault, so that the same call would
 * fail again. Else they stay, and err says so. Returns rc. Is called when no part is being made or merged. */
int ep_reduce_parts_end(
	const struct ep_reduce_parts *parts, int rc, struct ep_error *err) EP_MUST_CHECK;

#endif
