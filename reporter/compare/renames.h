/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures that have another name in the newer program, told by what they call. */
#ifndef EVPROF_REPORTER_COMPARE_RENAMES_H
#define EVPROF_REPORTER_COMPARE_RENAMES_H

#include "reporter/facts/report.h"

/* Runs of one program. */
struct ep_compared_runs {
	const struct ep_report *const *reports; /* (n) */
	uint32_t n;
};

struct ep_renamed {
	const char *before, *after; /* short names, the reports' */
};

struct ep_renames {
	struct ep_renamed *pairs; /* (n) by name before */
	uint32_t n;
};

/* Pairs procedures whose name only one side has, where they call the same ones: each callee counts by the share of its
 * time that came through the procedure, so that what all call says nothing, and what one calls alone says
 * most. A procedure that calls nothing is in no pair. The reports have callers (ep_report_options.callers), else
 * nothing is found. 0 or -ENOMEM. */
int ep_renames_find(const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	struct ep_renames *out) EP_MUST_CHECK;
void ep_renames_finish(struct ep_renames *renames);
/* The procedure's name on the other side; NULL: it was not renamed. */
const char *ep_renames_after(const struct ep_renames *renames, const char *before);
const char *ep_renames_before(const struct ep_renames *renames, const char *after);

#endif
