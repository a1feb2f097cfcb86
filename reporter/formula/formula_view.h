/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to print evaluated metrics; they compute nothing. */
#ifndef EVPROF_REPORTER_FORMULA_FORMULA_VIEW_H
#define EVPROF_REPORTER_FORMULA_FORMULA_VIEW_H

#include "common/formula/model.h"

#include <stdio.h>

/* One scope: a program, process, thread, procedure or time range. */
struct ep_scope_view {
	const char *scope; /* its name; NULL: it is the only one */
	const struct ep_model *model;
	const struct ep_metric_value *metrics; /* (n_metrics of the model's file) */
	const struct ep_check_value *checks;   /* (n_checks) */
	uint64_t n_samples; /* that brought the values here; 0: they are whole threads' */
	bool perf_semantics;
	bool shows_details; /* verdicts that are no warnings, too */
	bool utf8;          /* of the tree: as in reporter/text/signs.h */
};

struct ep_view {
	const char *name;
	/* views (n_views), one after the other under one heading. 0 or -ENOMEM; what goes wrong on
	 * the stream is the caller's to find out. */
	int (*print)(const struct ep_scope_view *views, size_t n_views, FILE *out);
};

/* "tsv", "tree", "csv", "json"; NULL when there is none of that name. */
const struct ep_view *ep_view_find(const char *name);

/* Takes the value of --format, whose variable is a const struct ep_view *: a take function of
 * common/options.h. */
int ep_view_take(void *into, const char *name);

int ep_view_tree(const struct ep_scope_view *views, size_t n_views, FILE *out);

#endif
