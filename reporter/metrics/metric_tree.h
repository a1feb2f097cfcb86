/* SPDX-License-Identifier: BSD-3-Clause */
/* All metrics of the models that a run counted for, as trees: of the whole run, and over its time. */
#ifndef EVPROF_REPORTER_METRICS_METRIC_TREE_H
#define EVPROF_REPORTER_METRICS_METRIC_TREE_H

#include "reporter/facts/report.h"
#include "reporter/metrics/choose.h"

struct ep_tree_metric {
	struct ep_report_metric row; /* value.reason: "mixed", "not counted", ... */
	const char *about;           /* one sentence for people; NULL: none */
	uint32_t metric_idx;         /* in the model's file */
	uint32_t depth;              /* 0: the top of a tree */
	bool is_loss;                /* it is no useful work and may be made less */
	double *over_time; /* (n_bins of the report) NaN: not known; NULL: nowhere known */
};

struct ep_metric_tree {
	struct ep_tree_metric *metrics; /* (n_metrics), parents before their children */
	uint32_t n_metrics, capacity;
	struct ep_chosen_models models; /* they own the texts */
};

/* cpuid: as in ep_metrics_summarize; where a run has no such models the tree is empty. 0 or -ENOMEM; finish
 * in any case. */
int ep_metric_tree_build(struct ep_metric_tree *tree, const struct ep_report *report,
	const char *cpuid) EP_MUST_CHECK;
void ep_metric_tree_finish(struct ep_metric_tree *tree);

#endif
