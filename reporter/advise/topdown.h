/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest loss of a CPU's Top-Down tree, and which procedure has most of it. */
#ifndef EVPROF_REPORTER_ADVISE_TOPDOWN_H
#define EVPROF_REPORTER_ADVISE_TOPDOWN_H

#include "reporter/facts/report.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/scopes.h"

enum { EP_LOSS_MAX_LEVELS = 4 };

struct ep_loss_path {
	const struct ep_formula_metric
		*levels[EP_LOSS_MAX_LEVELS]; /* (n_levels) from the top down */
	uint32_t n_levels;                   /* 0: no loss stands out */
	double share;                        /* of the deepest level in the first level's base */
	double bar;                          /* 95 % interval's half width, NaN: not known */
	const struct ep_report_row *row;     /* the procedure with most of it; NULL: not known */
	double row_share;                    /* its part of the loss */
};

/* Goes down while one child's interval stays clear of its siblings'. What it points to lives in
 * models, which is the caller's to close. 0 also where there is no tree or nothing of it was
 * counted; -ENOMEM. */
int ep_topdown_find_loss(const struct ep_report *report, const char *cpuid,
	struct ep_chosen_models *models, struct ep_loss_path *out) EP_MUST_CHECK;

/* The same within one scope, whose row stays NULL; model: of a Top-Down tree. -ENOMEM. */
int ep_topdown_find_scope_loss(struct ep_model *model, const struct ep_metric_scope *scope,
	struct ep_loss_path *out) EP_MUST_CHECK;
/* A PMU that a virtual machine shows and does not fill: nearly every event is 0. */
bool ep_counts_nothing(const struct ep_report *report);

#endif
