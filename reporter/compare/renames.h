/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds procedures that have another name in the newer program by the procedures that they call. */
#ifndef EVPROF_REPORTER_COMPARE_RENAMES_H
#define EVPROF_REPORTER_COMPARE_RENAMES_H

#include "reporter/facts/report.h"

/* The reports of one program's runs. */
struct ep_compared_runs {
	const struct ep_report *const *reports; /* (n) report of each run */
	uint32_t n;
};

struct ep_renamed {
	const char *before, *after; /* short names; the reports own them */
};

struct ep_renames {
	struct ep_renamed *pairs; /* (n) sorted by the name before */
	uint32_t n;
};

/* Pairs procedures whose name only one side has and that call the same procedures. Each callee
 * counts by the share of its time that came through the procedure: a callee that many procedures
 * call says little, and one that the procedure alone calls says most. A procedure that calls
 * nothing is in no pair. Needs reports with callers (ep_report_options.callers), and finds nothing
 * without. Returns 0 or -ENOMEM. */
int ep_renames_find(const struct ep_compared_runs *before, const struct ep_compared_runs *after,
	struct ep_renames *out) EP_MUST_CHECK;
void ep_renames_finish(struct ep_renames *renames);
/* These two return the procedure's name on the other side; NULL: it was not renamed. */
const char *ep_renames_after(const struct ep_renames *renames, const char *before);
const char *ep_renames_before(const struct ep_renames *renames, const char *after);

#endif
