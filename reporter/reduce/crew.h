/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads, and processes, that make a job's parts, each a whole one by itself. One thread merges the parts in their
 * order as soon as they are there, and makes some as well: who makes a part changes when that is done, but no byte.
 */
#ifndef EVPROF_REPORTER_REDUCE_CREW_H
#define EVPROF_REPORTER_REDUCE_CREW_H

#include <stdbool.h>

#include "reporter/reduce/parts.h"

/* Reduces all inputs of parts to the job's output; n_threads counts the caller's, and 0 stands for as many as
 * there are CPUs, up to 8. 0, or a negative errno with err. */
int ep_reduce_parts_run(const struct ep_reduce_parts *parts, uint32_t n_threads,
	struct ep_error *err) EP_MUST_CHECK;

/* The same where other processes make parts, too. NULL: out of memory. */
struct ep_reduce_crew *ep_reduce_crew_create(const struct ep_reduce_parts *parts);
/* Accepts NULL. */
void ep_reduce_crew_destroy(struct ep_reduce_crew *crew);
/* Any thread: gives out the next part. False: none is left, or something has failed. */
bool ep_reduce_crew_begin(struct ep_reduce_crew *crew, uint32_t *out_part);
/* Any thread: a trace of a part that was given out could not be read. The job's skipper is told of it in the order of the
 * traces. */
void ep_reduce_crew_skip(
	struct ep_reduce_crew *crew, uint32_t part, const char *path, const char *why);
/* Any thread: a part that was given out is made, or rc and err say why not. */
void ep_reduce_crew_end(
	struct ep_reduce_crew *crew, uint32_t part, int rc, const struct ep_error *err);
/* Merges all parts; afterwards no more are given out. 0, or a negative errno with err. */
int ep_reduce_crew_merge(struct ep_reduce_crew *crew, struct ep_error *err) EP_MUST_CHECK;

#endif
