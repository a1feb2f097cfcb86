/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints assessments and remedies as text or JSON. */
#ifndef EVPROF_REPORTER_ADVISE_ADVISE_VIEW_H
#define EVPROF_REPORTER_ADVISE_ADVISE_VIEW_H

#include "reporter/advise/assess.h"
#include "reporter/advise/sections.h"
#include "reporter/text/layout.h"
#include "reporter/view/view.h"

struct ep_advise_page {
	const struct ep_report *report;
	const struct ep_assessments *assessments;
	const struct ep_advice *advice;
	uint32_t n_remedies; /* most remedies of each procedure; EP_REMEDIES_ALL: all that fit */
	struct ep_view_options options;
	/* The second run, and the sections for the procedures of both; NULL: there is one run. */
	const struct ep_advise_page *second;
	const struct ep_sections *sections;
};

/* Prints a remedy with its number: what to do, where, the code before and after, and compiler options. */
void ep_remedy_print(
	const struct ep_layout *layout, uint32_t number, const struct ep_remedy *remedy);
/* These two return 0 or -ENOMEM. */
int ep_advise_print_text(const struct ep_advise_page *page, FILE *out);
int ep_advise_print_json(const struct ep_advise_page *page, FILE *out);

#endif
