/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of one or several runs of a program, each run a report. */
#ifndef EVPROF_REPORTER_COMMAND_OPENED_RUNS_H
#define EVPROF_REPORTER_COMMAND_OPENED_RUNS_H

#include "common/error.h"
#include "reporter/compare/compare.h"

struct ep_filler_ops;
struct ep_selection;
struct ep_opened_report;
struct ep_opened_how {
	const char *sysroot;                /* where programs and libraries are; NULL: here */
	bool loops;                         /* their table is wanted */
	bool loops_are_optional;            /* where they cannot be had, there is none */
	const struct ep_filler_ops *filler; /* the same for all that is shown together; no option
					   * asks for it */
	struct ep_selection
		*selection; /* a region, which lives as long as the reports; NULL: all */
};

struct ep_opened_runs {
	struct ep_opened_report *opened;  /* (runs.n) */
	const struct ep_report **reports; /* (runs.n) what runs point to */
	struct ep_compared_runs runs;
};

/* paths: at least one trace, NULL behind the last. Traces that are parts of one run
 * (load/two_runs.h), as those of MPI's ranks, are one report; runs stand in the order of their first
 * traces. The trace's error, or -ENOMEM. */
int ep_opened_runs_create(const char *const *paths, const struct ep_opened_how *how,
	struct ep_opened_runs *out, struct ep_error *err) EP_MUST_CHECK;
/* The CPU whose models fit all runs, as ep_trace_cpuid tells it; NULL: they differ, or it is not known. */
const char *ep_opened_runs_cpuid(const struct ep_opened_runs *runs);
void ep_opened_runs_finish(struct ep_opened_runs *runs);

#endif
