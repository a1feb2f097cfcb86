/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the largest loss of a CPU's Top-Down tree, and the procedure that has most of it. */
#ifndef EVPROF_REPORTER_ADVISE_TOPDOWN_H
#define EVPROF_REPORTER_ADVISE_TOPDOWN_H

#include "reporter/facts/report.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/scopes.h"

enum { EP_LOSS_MAX_LEVELS = 4 };

struct ep_loss_path {
	const struct ep_formula_metric
		*levels[EP_LOSS_MAX_LEVELS]; /* (n_levels) metrics from the top of the tree down */
	uint32_t n_levels;                   /* 0: no loss stands out */
	double share; /* share of the deepest level, in the base of the first level */
	double bar;   /* half the width of its 95 % interval; NaN: not known */
	const struct ep_report_row *row; /* the procedure with most of it; NULL: not known */
	double row_share;                /* its share of the loss */
};

/* Finds the loss: it goes down the tree as long as the interval of one child does not overlap those of its
 * siblings. The result points into models, which the caller closes. Returns 0, also where there is no tree or none
 * of its events was counted, or -ENOMEM. */
int ep_topdown_find_loss(const struct ep_report *report, const char *cpuid,
	struct ep_chosen_models *models, struct ep_loss_path *out) EP_MUST_CHECK;

/* Finds the loss within one scope by the model of a Top-Down tree; row stays NULL. Returns 0 or -ENOMEM. */
int ep_topdown_find_scope_loss(struct ep_model *model, const struct ep_metric_scope *scope,
	struct ep_loss_path *out) EP_MUST_CHECK;
/* Tells whether nearly every event is 0, as on a virtual machine that shows a PMU and does not fill it. */
bool ep_counts_nothing(const struct ep_report *report);

#endif
