/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job's traces are divided into parts of about the same number of bytes. Any process may reduce a part,
 * independently of the others. A part that is written stays if making other parts fails, and is not made again. The
 * division depends on the traces alone, so that the output has the same digits for any number of processes.
 */
#ifndef EVPROF_REPORTER_REDUCE_PARTS_H
#define EVPROF_REPORTER_REDUCE_PARTS_H

#include "reporter/reduce/inputs.h"
#include "reporter/reduce/reduce.h"

struct ep_reduce_parts {
	struct ep_reduce_inputs inputs;
	struct ep_reduce_job job; /* the job that reduces all inputs */
	struct ep_clock_origin origin;
	/* run: the name of the run in origin; folder: where the files of parts are */
	char *run, *folder;
	/* (n_parts + 1) index of each part's first input; after the last part: the number of inputs */
	uint32_t *firsts;
	/* (n_parts) hash of each part, which differs if the part has other traces or is made with other options */
	uint64_t *hashes;
	char **paths; /* (n_parts) path of each part's file, and NULL after the last */
	uint32_t n_parts;
};

/* Finds the inputs that names stand for, as ep_reduce_inputs_find does, and divides them into parts. job has
 * output, filler (NULL: one is chosen for all parts), sysroot, threads and skipper, which must live as long as
 * parts. Returns 0, or a negative errno with err. */
int ep_reduce_parts_init(struct ep_reduce_parts *parts, const char *const *names,
	const struct ep_reduce_job *job, struct ep_error *err) EP_MUST_CHECK;
/* Names the files of parts by the hashes. It is called again when the hashes were received from another process,
 * since nodes may see different modification times of the same files. Returns 0 or -ENOMEM. */
int ep_reduce_parts_name(struct ep_reduce_parts *parts) EP_MUST_CHECK;
void ep_reduce_parts_finish(struct ep_reduce_parts *parts);
/* Writes the file of a part, unless the file exists. skipper NULL: the job's skipper is told of skipped traces.
 * -ENODATA: no trace of the part could be read, and no file is written. */
int ep_reduce_parts_make(const struct ep_reduce_parts *parts, uint32_t part,
	const struct ep_reduce_skipper *skipper, struct ep_error *err) EP_MUST_CHECK;
/* The thread that merges calls wait, which returns when a part is made. It returns 0; 1 if none of the part's traces
 * could be read; or a negative errno with err, which ends the merging. */
struct ep_reduce_waiter {
	int (*wait)(void *context, uint32_t part, struct ep_error *err);
	void *context;
};

/* Merges the parts into the output in their order. waiter NULL: only the parts whose files exist are merged, since no
 * more will be made. */
int ep_reduce_parts_merge(const struct ep_reduce_parts *parts,
	const struct ep_reduce_waiter *waiter, struct ep_error *err) EP_MUST_CHECK;
/* Ends a job with the result rc, which is returned. The files of parts are removed if rc is 0. They are also removed
 * if the traces caused the failure, since the same call would fail again. Otherwise they stay, and err says so. No
 * thread may make or merge parts during the call. */
int ep_reduce_parts_end(
	const struct ep_reduce_parts *parts, int rc, struct ep_error *err) EP_MUST_CHECK;

#endif
