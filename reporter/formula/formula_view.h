/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints evaluated metrics in several formats, without computing anything. */
#ifndef EVPROF_REPORTER_FORMULA_FORMULA_VIEW_H
#define EVPROF_REPORTER_FORMULA_FORMULA_VIEW_H

#include "common/formula/model.h"

#include <stdio.h>

/* The metrics of one scope: a program, process, thread, procedure or time range. */
struct ep_scope_view {
	const char *scope; /* name of the scope; NULL: it is the only one */
	const struct ep_model *model;
	/* (n_metrics of the model's file) value of each metric */
	const struct ep_metric_value *metrics;
	/* (n_checks of the model's file) result of each check */
	const struct ep_check_value *checks;
	/* samples from which the values come; 0: the values are counts of whole threads */
	uint64_t n_samples;
	bool perf_semantics;
	bool shows_details; /* print each metric's verdict, even if it is no warning */
	bool utf8;          /* for the tree: as in reporter/text/signs.h */
};

struct ep_view {
	const char *name;
	/* Prints views (n_views) one after the other. Returns 0 or -ENOMEM; the caller has to check the
	 * stream for errors of writing. */
	int (*print)(const struct ep_scope_view *views, size_t n_views, FILE *out);
};

/* Finds the view with the name "tsv", "tree", "csv" or "json". NULL: there is no view with this name. */
const struct ep_view *ep_view_find(const char *name);

/* Reads the value of --format into a const struct ep_view *. It is a take function of common/options.h. */
int ep_view_take(void *into, const char *name);

int ep_view_tree(const struct ep_scope_view *views, size_t n_views, FILE *out);

#endif
