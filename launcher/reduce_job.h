/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evprof run --reduce: the launcher stays as the program's parent. When the job's last rank has ended, job.gz has the
 * sums of the job's traces. Ranks see each other by files in a folder beside job.gz, which needs neither locks nor a
 * common host.
 */
#ifndef EVPROF_LAUNCHER_REDUCE_JOB_H
#define EVPROF_LAUNCHER_REDUCE_JOB_H

#include <sys/types.h>

#include "counters/settings.h"

struct ep_run_job;

/* Prepares reducing, before the program is started. output: the file of the sums; NULL: job.gz beside the traces.
 * Returns NULL with a message in err if nothing will be reduced. */
struct ep_run_job *ep_run_job_create(
	const struct ep_settings *settings, const char *output, struct ep_error *err);

/* Notes the traces of the program, which has ended and was process pid. If this is the last rank of the job, reduces
 * the traces of all ranks. */
int ep_run_job_end(struct ep_run_job *job, pid_t pid, struct ep_error *err) EP_MUST_CHECK;

void ep_run_job_destroy(struct ep_run_job *job);

#endif
