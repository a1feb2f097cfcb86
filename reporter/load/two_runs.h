/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether two files are of two runs, or of one run whose ranks or machines each wrote a file. */
#ifndef EVPROF_REPORTER_LOAD_TWO_RUNS_H
#define EVPROF_REPORTER_LOAD_TWO_RUNS_H

#include "reporter/load/load.h"

/* Tells whether a trace of two files has two runs. Where both files name the same run, it is one run.
 * Otherwise they are two runs if they never ran at the same time; if both have a process of the same rank; or
 * if not both have ranks and they are of one machine, since there a run writes a single file. */
bool ep_trace_is_of_two_runs(const struct ep_trace *trace);

#endif
