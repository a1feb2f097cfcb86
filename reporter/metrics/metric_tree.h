/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds trees of all metrics whose models have counts: for the whole run, and for each bin of its time. */
#ifndef EVPROF_REPORTER_METRICS_METRIC_TREE_H
#define EVPROF_REPORTER_METRICS_METRIC_TREE_H

#include "reporter/facts/report.h"
#include "reporter/metrics/choose.h"

struct ep_tree_metric {
	/* value.reason says why there is no value: "mixed", "not counted", ... */
	struct ep_report_metric row;
	const char *about;   /* one sentence that explains the metric; NULL: none */
	uint32_t metric_idx; /* index in the model's file */
	uint32_t depth;      /* 0: the top of a tree */
	bool is_loss;        /* the metric counts no useful work, and may be reduced */
	double *over_time;   /* (n_bins of the report) NaN: not known; NULL: no bin is known */
};

struct ep_metric_tree {
	struct ep_tree_metric *metrics; /* (n_metrics) each parent comes before its children */
	uint32_t n_metrics, capacity;
	struct ep_chosen_models models; /* the models, which own the texts */
};

/* Builds the tree; cpuid is as in ep_metrics_summarize. If the CPU has no models, or the run no events, the
 * tree is empty. Returns 0 or -ENOMEM; ep_metric_tree_finish must be called in any case. */
int ep_metric_tree_build(struct ep_metric_tree *tree, const struct ep_report *report,
	const char *cpuid) EP_MUST_CHECK;
void ep_metric_tree_finish(struct ep_metric_tree *tree);

#endif
