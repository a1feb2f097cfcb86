/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures of two runs, paired as evreport compare pairs them: the sections of a page on both. */
#ifndef EVPROF_REPORTER_ADVISE_SECTIONS_H
#define EVPROF_REPORTER_ADVISE_SECTIONS_H

#include "reporter/advise/assess.h"
#include "reporter/compare/compare.h"

struct ep_section {
	const struct ep_assessment *of[2]; /* NULL: the run has none; at least one is there */
};

struct ep_sections {
	struct ep_section *rows; /* (n_rows) the first run's by its time, then others */
	uint32_t n_rows;
};

struct ep_section_question {
	const struct ep_assessments *runs[2];
	const struct ep_comparison *comparison; /* of the two runs' reports by the same places */
	double min_share; /* of the CPU time in either run; a partner may have less */
};

/* Procedures that compare sums up in one row are a pair where their names with parameters are the same, else none.
 * 0 or -ENOMEM. */
int ep_sections_create(
	const struct ep_section_question *question, struct ep_sections *out) EP_MUST_CHECK;
void ep_sections_finish(struct ep_sections *sections);

#endif
