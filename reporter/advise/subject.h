/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the subject of evreport explain, which is a category of advise or a metric, and its remedies. */
#ifndef EVPROF_REPORTER_ADVISE_SUBJECT_H
#define EVPROF_REPORTER_ADVISE_SUBJECT_H

#include "reporter/advise/assess.h"

/* Tells whether two names are the same but for case and separators, as "Data_TLB" and "data tlb" are. */
bool ep_subject_is_named(const char *name, const char *wanted);
/* Returns the category of that name; -1: there is none. */
int ep_subject_find_category(const char *name);
/* Returns the category's metric for this CPU: of two, the one with a third cache level, where the CPU has one.
 * NULL: the model does not have it. */
const char *ep_subject_category_metric(enum ep_category category, const struct ep_model *model);

/* Lists the remedies of a category and returns their number. */
uint32_t ep_subject_category_remedies(enum ep_category category, const struct ep_advice *advice,
	const struct ep_remedy *out_remedies[EP_REMEDIES_MOST]);
/* Lists the remedies for a metric's symptoms and returns their number. Where the metric has none, those of the
 * nearest metric above it in its tree that has some are listed. */
uint32_t ep_subject_metric_remedies(const struct ep_model *model, const char *metric,
	const struct ep_advice *advice, const struct ep_remedy *out_remedies[EP_REMEDIES_MOST]);

#endif
