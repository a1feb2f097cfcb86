/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as one HTML file that needs no network: the text report, readable without JavaScript, and
 * the data of the views that the scripts draw. Names from a trace are data there: in JSON, with < escaped.
 */
#ifndef EVPROF_REPORTER_PAGE_PAGE_H
#define EVPROF_REPORTER_PAGE_PAGE_H

#include "reporter/export/time_log.h"
#include "reporter/facts/report.h"
#include "reporter/metrics/metric_tree.h"
#include "reporter/phases/phases.h"
#include "reporter/roofline/roofline.h"

#include <errno.h>
#include <stdio.h>

struct ep_page_source {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report; /* with EP_PAGE_TOP rows of each table */
	const struct ep_report *brief;  /* for the text: with the most important rows */
	const struct ep_time_log *times;
	const struct ep_metric_tree *metrics; /* of report */
	const struct ep_phases *phases;       /* of the whole run; NULL: they were not looked for */
	const struct ep_roofline *roofline;   /* NULL: nothing tells what was computed */
	const char *sysroot;                  /* where sources are, too; NULL: nowhere else */
	bool no_source;                       /* neither source nor instructions are to be in it */
	bool has_loops;                       /* report has them, and symbols find them */
};

/* Rows of each table: what a person may look through. */
#define EP_PAGE_TOP 2000
#define EP_PAGE_TEXT_COLUMNS 110

/* The commands refuse a page with it where EP_HAS_PAGE is 0. */
#define EP_PAGE_NOT_BUILT                                                                          \
	"this evreport was built without pages: install esbuild, node-d3-axis, node-d3-brush, node-d3-hierarchy, node-d3-scale and node-d3-shape, then build it anew"

#if EP_HAS_PAGE

/* 0 or -ENOMEM; what could not be written shows in ferror(out). */
int ep_page_write(FILE *out, const struct ep_page_source *source) EP_MUST_CHECK;

#else

static inline EP_MUST_CHECK int ep_page_write(FILE *out, const struct ep_page_source *source)
{
	return -ENOSYS;
}

#endif

#endif
