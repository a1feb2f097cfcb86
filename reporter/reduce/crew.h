/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A crew consists of the threads and processes that make a job's parts. Each part is made by one of them alone. One
 * thread merges the parts in their order, each as soon as it is made. While no part is ready to be merged, that thread
 * makes parts as well. Who makes a part changes the time that the job takes, but no byte of the output.
 */
#ifndef EVPROF_REPORTER_REDUCE_CREW_H
#define EVPROF_REPORTER_REDUCE_CREW_H

#include <stdbool.h>

#include "reporter/reduce/parts.h"

/* Reduces all inputs of parts to the job's output. n_threads includes the calling thread; 0 stands for as many as
 * there are CPUs, up to 8. Returns 0, or a negative errno with err. */
int ep_reduce_parts_run(const struct ep_reduce_parts *parts, uint32_t n_threads,
	struct ep_error *err) EP_MUST_CHECK;

/* Creates a crew for a job whose parts are made by other processes, too. NULL: out of memory. */
struct ep_reduce_crew *ep_reduce_crew_create(const struct ep_reduce_parts *parts);
/* Accepts NULL. */
void ep_reduce_crew_destroy(struct ep_reduce_crew *crew);
/* Gives out the next part. Any thread may call it. False: no part is left, or making one has failed. */
bool ep_reduce_crew_begin(struct ep_reduce_crew *crew, uint32_t *out_part);
/* Notes that a trace of a part that was given out could not be read. Any thread may call it. The job's skipper is told
 * of all skipped traces in the order of the inputs. */
void ep_reduce_crew_skip(
	struct ep_reduce_crew *crew, uint32_t part, const char *path, const char *why);
/* Notes that a part that was given out is made, or that making it failed for the reason in rc and err. Any thread
 * may call it. */
void ep_reduce_crew_end(
	struct ep_reduce_crew *crew, uint32_t part, int rc, const struct ep_error *err);
/* Merges all parts; afterwards no more parts are given out. Returns 0, or a negative errno with err. */
int ep_reduce_crew_merge(struct ep_reduce_crew *crew, struct ep_error *err) EP_MUST_CHECK;

#endif
