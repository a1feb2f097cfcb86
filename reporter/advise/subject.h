/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the subject of evreport explain, which is a category of advise or a metric, and its remedies. */
#ifndef EVPROF_REPORTER_ADVISE_SUBJECT_H
#define EVPROF_REPORTER_ADVISE_SUBJECT_H

#include "reporter/advise/assess.h"

/* Tells whether two names differ only in case and separators, as "Data_TLB" and "data tlb" do. */
bool ep_subject_is_named(const char *name, const char *wanted);
/* Returns the category of that name; -1: there is none. */
int ep_subject_find_category(const char *name);
/* Returns the category's metric for this CPU. Of two metrics, the one with a third cache level is returned if the CPU
 * has that level. NULL: the model does not have the metric. */
const char *ep_subject_category_metric(enum ep_category category, const struct ep_model *model);

/* Lists the remedies of a category and returns their number. */
uint32_t ep_subject_category_remedies(enum ep_category category, const struct ep_advice *advice,
	const struct ep_remedy *out_remedies[EP_REMEDIES_MOST]);
/* Lists the remedies for a metric's symptoms and returns their number. If the metric has no symptoms, those of the
 * nearest metric above it in its tree that has some are taken. */
uint32_t ep_subject_metric_remedies(const struct ep_model *model, const char *metric,
	const struct ep_advice *advice, const struct ep_remedy *out_remedies[EP_REMEDIES_MOST]);

#endif
