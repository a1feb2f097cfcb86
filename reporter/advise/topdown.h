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
	double share; /* share of the deepest level in what the first level is a share of */
	double bar;   /* half the width of its 95 % interval; NaN: not known */
	const struct ep_report_row *row; /* the procedure with most of the loss; NULL: not known */
	double row_share;                /* share of the row in the loss, 0 to 1 */
};

/* Finds the largest loss of the program. The search goes down the tree as long as the interval of one child does not
 * overlap those of its siblings. The result points into models, which the caller closes. Returns 0, also if there is
 * no tree or none of its events was counted, or -ENOMEM. */
int ep_topdown_find_loss(const struct ep_report *report, const char *cpuid,
	struct ep_chosen_models *models, struct ep_loss_path *out) EP_MUST_CHECK;

/* Finds the loss within one scope by the model of a Top-Down tree; row stays NULL. Returns 0 or -ENOMEM. */
int ep_topdown_find_scope_loss(struct ep_model *model, const struct ep_metric_scope *scope,
	struct ep_loss_path *out) EP_MUST_CHECK;
/* Tells whether nearly every event is 0. A virtual machine may have a PMU whose counters stay 0. */
bool ep_counts_nothing(const struct ep_report *report);

#endif
