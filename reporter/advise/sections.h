/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures of two runs, paired by their names: the sections of a page on both. */
#ifndef EVPROF_REPORTER_ADVISE_SECTIONS_H
#define EVPROF_REPORTER_ADVISE_SECTIONS_H

#include "reporter/advise/assess.h"

struct ep_section {
	const struct ep_assessment *of[2]; /* NULL: the run has none; at least one is there */
};

struct ep_sections {
	struct ep_section *rows; /* (n_rows) the first run's by its time, then others */
	uint32_t n_rows;
};

/* Procedures with min_share of the CPU time in either run; its partner may have less. Of several of
 * a name those in files of the same name are a pair, others none. 0 or -ENOMEM. */
int ep_sections_create(const struct ep_assessments *first, const struct ep_assessments *second,
	double min_share, struct ep_sections *out) EP_MUST_CHECK;
void ep_sections_finish(struct ep_sections *sections);

#endif
