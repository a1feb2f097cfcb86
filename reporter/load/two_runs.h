/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether two files are two runs, or parts of one run, as the ranks and machines of a job
 * write them. */
#ifndef EVPROF_REPORTER_LOAD_TWO_RUNS_H
#define EVPROF_REPORTER_LOAD_TWO_RUNS_H

#include "reporter/load/load.h"

/* Tells whether a trace of two files is of two runs. It is of one where both hold the same run.
 * Else they are two where they never ran at the same time, where both have a process of the same
 * rank, or, where not both have ranks, where they are of one machine: there a run writes one file. */
bool ep_trace_is_of_two_runs(const struct ep_trace *trace);

#endif
