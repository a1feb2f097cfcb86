/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the traces of one or several runs of a program; each run becomes a report. */
#ifndef EVPROF_REPORTER_COMMAND_OPENED_RUNS_H
#define EVPROF_REPORTER_COMMAND_OPENED_RUNS_H

#include "common/error.h"
#include "reporter/compare/compare.h"

struct ep_filler_ops;
struct ep_selection;
struct ep_opened_report;
struct ep_opened_how {
	const char *sysroot; /* folder of programs and libraries; NULL: the real root */
	bool loops;          /* make the table of loops */
	/* if loops cannot be found, leave the table out without an error */
	bool loops_are_optional;
	/* estimator of all runs that are compared; it is a default that the user did not ask for */
	const struct ep_filler_ops *filler;
	struct ep_selection
		*selection; /* part of each run that is shown; outlives the reports; NULL: all */
};

struct ep_opened_runs {
	struct ep_opened_report *opened;  /* (runs.n) opened reports */
	const struct ep_report **reports; /* (runs.n) the reports that runs point to */
	struct ep_compared_runs runs;
};

/* Opens traces. paths has at least one trace; NULL follows the last. Traces that are parts of one run
 * (load/two_runs.h), such as those of MPI's ranks, become one report. The runs have the order of their first traces.
 * Returns 0, the trace's error, or -ENOMEM. */
int ep_opened_runs_create(const char *const *paths, const struct ep_opened_how *how,
	struct ep_opened_runs *out, struct ep_error *err) EP_MUST_CHECK;
/* Returns the CPU whose models fit all runs, as ep_trace_cpuid gives it; NULL: the CPUs differ, or one is not
 * known. */
const char *ep_opened_runs_cpuid(const struct ep_opened_runs *runs);
void ep_opened_runs_finish(struct ep_opened_runs *runs);

#endif
