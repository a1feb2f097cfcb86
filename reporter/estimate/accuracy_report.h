/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of evreport accuracy and compare-ocoe, gathered and printed. */
#ifndef EVPROF_REPORTER_ESTIMATE_ACCURACY_REPORT_H
#define EVPROF_REPORTER_ESTIMATE_ACCURACY_REPORT_H

#include "reporter/estimate/accuracy.h"

#include <stdio.h>

struct ep_accuracy_row {
	size_t table, estimator;
	size_t alignment;  /* in the report's alignments, 0 without */
	const char *event; /* kept by the report */
	char chosen[16];   /* by auto */
	struct ep_accuracy accuracy;
};

struct ep_accuracy_report {
	char **estimators;         /* NULL-terminated */
	const char *const *tables; /* (n_tables) paths */
	size_t n_tables, n_rows, capacity;
	const char *const *alignments; /* NULL-terminated, kept apart; NULL: no such column */
	struct ep_accuracy_row *rows;
	char **events; /* distinct, in order of appearance */
	size_t n_events;
};

int ep_accuracy_report_init(struct ep_accuracy_report *out, const char *estimators,
	const char *const *tables, size_t n_tables);
void ep_accuracy_report_finish(struct ep_accuracy_report *report);
int ep_accuracy_report_add(struct ep_accuracy_report *report, const struct ep_accuracy_row *row);

/* text, json or csv; -EINVAL for another format. */
int ep_accuracy_report_print(struct ep_accuracy_report *report, const char *format, FILE *out,
	struct ep_error *err) EP_MUST_CHECK;

#endif
