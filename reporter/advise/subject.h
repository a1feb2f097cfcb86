/* SPDX-License-Identifier: BSD-3-Clause */
/* A subject of evreport explain: a category of advise or a metric, and its remedies. */
#ifndef EVPROF_REPORTER_ADVISE_SUBJECT_H
#define EVPROF_REPORTER_ADVISE_SUBJECT_H

#include "reporter/advise/assess.h"

/* "Data_TLB" and "data tlb" are one name. */
bool ep_subject_is_named(const char *name, const char *wanted);
/* The category of that name, or -1. */
int ep_subject_find_category(const char *name);
/* The category's metric that this CPU can tell: of two, the one with the CPU's third cache level, where
 * it has one. NULL: the model has none. */
const char *ep_subject_category_metric(enum ep_category category, const struct ep_model *model);

/* Lists the remedies of a category and returns their number. */
uint32_t ep_subject_category_remedies(enum ep_category category, const struct ep_advice *advice,
	const struct ep_remedy *out_remedies[EP_REMEDIES_MOST]);
/* Lists the remedies for what a metric tells of, or else the nearest metric above it in its tree that has
 * some, and returns their number. */
uint32_t ep_subject_metric_remedies(const struct ep_model *model, const char *metric,
	const struct ep_advice *advice, const struct ep_remedy *out_remedies[EP_REMEDIES_MOST]);

#endif
