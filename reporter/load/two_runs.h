/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether two files are of two runs, or of one run whose ranks or machines each wrote a file. */
#ifndef EVPROF_REPORTER_LOAD_TWO_RUNS_H
#define EVPROF_REPORTER_LOAD_TWO_RUNS_H

#include "reporter/load/load.h"

/* Tells whether a trace of two files has two runs. If the files name the same run, it is one run. If not, it
 * is two runs in these cases: no process of one file ran while one of the other did; both files have ranks,
 * and a rank is in both; or one file has no ranks, and both are of one machine, where a run writes a single
 * file. */
bool ep_trace_is_of_two_runs(const struct ep_trace *trace);

#endif
