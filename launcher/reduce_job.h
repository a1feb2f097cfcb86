/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evprof run --reduce: the launcher stays as the program's parent, and job.gz has the sums of the job's traces
 * when its last rank has ended. Ranks see each other by files in a folder beside job.gz, which needs neither
 * locks nor a common host.
 */
#ifndef EVPROF_LAUNCHER_REDUCE_JOB_H
#define EVPROF_LAUNCHER_REDUCE_JOB_H

#include <sys/types.h>

#include "counters/settings.h"

struct ep_run_job;

/* Before the program is started. output: the file of the sums; NULL: job.gz beside the traces. NULL with err:
 * nothing will be reduced. */
struct ep_run_job *ep_run_job_create(
	const struct ep_settings *settings, const char *output, struct ep_error *err);

/* Behind the end of the program, which was process pid: names its traces, and where this is the last rank of
 * the job, reduces those of all. */
int ep_run_job_end(struct ep_run_job *job, pid_t pid, struct ep_error *err) EP_MUST_CHECK;

void ep_run_job_destroy(struct ep_run_job *job);

#endif
