/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects and prints the figures of evreport accuracy and compare-ocoe. */
#ifndef EVPROF_REPORTER_ESTIMATE_ACCURACY_REPORT_H
#define EVPROF_REPORTER_ESTIMATE_ACCURACY_REPORT_H

#include "reporter/estimate/accuracy.h"

#include <stdint.h>
#include <stdio.h>

struct ep_accuracy_row {
	size_t table, estimator;
	size_t alignment;  /* index in the request's alignments; 0 if it has none */
	const char *event; /* name; in rows of the report, the report's own copy */
	char chosen[16];   /* estimator of the event: auto chooses one for each event */
	struct ep_accuracy accuracy;
	size_t nth; /* set by the report: the row's place in the order in which rows were added */
};

/* The request for a report. Its tables and alignments must outlive the report. */
struct ep_accuracy_request {
	/* estimators: a list such as "auto,linear"; format: "text", "json" or "csv" */
	const char *estimators, *format;
	const char *const *tables; /* (n_tables) paths: .../PROGRAM-RUN.csv.gz */
	size_t n_tables;
	/* NULL-terminated names; each alignment has its own rows. NULL: no column of alignments */
	const char *const *alignments;
};

struct ep_accuracy_report {
	struct ep_accuracy_request request;
	char **estimators; /* NULL-terminated */
	uint32_t n_rows, capacity;
	struct ep_accuracy_row *rows;
	char **events; /* distinct, in the order in which they were added */
	size_t n_events;
};

/* Initializes a report. Returns -EINVAL for an unknown estimator or format, before any table is read. */
int ep_accuracy_report_init(struct ep_accuracy_report *out,
	const struct ep_accuracy_request *request, struct ep_error *err) EP_MUST_CHECK;
void ep_accuracy_report_finish(struct ep_accuracy_report *report);
int ep_accuracy_report_add(
	struct ep_accuracy_report *report, const struct ep_accuracy_row *row) EP_MUST_CHECK;
void ep_accuracy_report_print(struct ep_accuracy_report *report, FILE *out);

#endif
