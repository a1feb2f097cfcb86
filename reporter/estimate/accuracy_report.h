/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of evreport accuracy and compare-ocoe, gathered and printed. */
#ifndef EVPROF_REPORTER_ESTIMATE_ACCURACY_REPORT_H
#define EVPROF_REPORTER_ESTIMATE_ACCURACY_REPORT_H

#include "reporter/estimate/accuracy.h"

#include <stdint.h>
#include <stdio.h>

struct ep_accuracy_row {
	size_t table, estimator;
	size_t alignment;  /* in the request's alignments, 0 without */
	const char *event; /* kept by the report */
	char chosen[16];   /* by auto */
	struct ep_accuracy accuracy;
	size_t nth; /* the report's own: the order in which rows came */
};

/* The request for a report; tables and alignments outlive it. */
struct ep_accuracy_request {
	const char *estimators, *format; /* "auto,linear"; text, json or csv */
	const char *const *tables;       /* (n_tables) paths: .../PROGRAM-RUN.csv.gz */
	size_t n_tables;
	const char *const *alignments; /* NULL-terminated, kept apart; NULL: no such column */
};

struct ep_accuracy_report {
	struct ep_accuracy_request request;
	char **estimators; /* NULL-terminated */
	uint32_t n_rows, capacity;
	struct ep_accuracy_row *rows;
	char **events; /* distinct, in order of appearance */
	size_t n_events;
};

/* -EINVAL for an estimator or a format that is not known, before anybody works for it. */
int ep_accuracy_report_init(struct ep_accuracy_report *out,
	const struct ep_accuracy_request *request, struct ep_error *err) EP_MUST_CHECK;
void ep_accuracy_report_finish(struct ep_accuracy_report *report);
int ep_accuracy_report_add(
	struct ep_accuracy_report *report, const struct ep_accuracy_row *row) EP_MUST_CHECK;
void ep_accuracy_report_print(struct ep_accuracy_report *report, FILE *out);

#endif
