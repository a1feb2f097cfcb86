/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs the procedures of two runs as evreport compare does, for a page of evreport advise on both runs. */
#ifndef EVPROF_REPORTER_ADVISE_SECTIONS_H
#define EVPROF_REPORTER_ADVISE_SECTIONS_H

#include "reporter/advise/assess.h"
#include "reporter/compare/compare.h"

struct ep_section {
	/* the procedure's assessment in each run; NULL: the run does not have it; at least one is not NULL */
	const struct ep_assessment *of[2];
};

struct ep_sections {
	/* (n_rows) sections of the first run's procedures, most time first, then of those that only the second run
	 * adds */
	struct ep_section *rows;
	uint32_t n_rows;
};

struct ep_section_question {
	const struct ep_assessments *runs[2];
	/* comparison of the two runs' reports, by the same kind of places */
	const struct ep_comparison *comparison;
	/* least share of the CPU time of a section's procedure in one of the runs; in the other run it may have
	 * less */
	double min_share;
};

/* Pairs procedures. If a row of the comparison has several procedures of a run, only those with equal names,
 * parameters included, are paired. Returns 0 or -ENOMEM. */
int ep_sections_create(
	const struct ep_section_question *question, struct ep_sections *out) EP_MUST_CHECK;
void ep_sections_finish(struct ep_sections *sections);

#endif
