/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the report as one HTML file that needs no network. The file has the text report, which can be read without
 * JavaScript, and the data of the views that the scripts draw. Names from a trace cannot become part of the page's
 * code: they are written in JSON, in which each < is escaped.
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
	const struct ep_report *brief;  /* for the text: has only the most important rows */
	const struct ep_time_log *times;
	const struct ep_metric_tree *metrics; /* metrics of the report above */
	const struct ep_phases *phases;     /* of the whole run; NULL: nothing looked for phases */
	const struct ep_roofline *roofline; /* NULL: no count tells how much was computed */
	const char *sysroot;                /* a folder that may hold source files, too; or NULL */
	bool no_source;                     /* the page must have neither source nor instructions */
	bool has_loops;                     /* the report has loops, and symbols finds them */
};

/* A table has at most this many rows: a person would not look through more. */
#define EP_PAGE_TOP 2000
#define EP_PAGE_TEXT_COLUMNS 110

/* Commands print this when a page is asked for and EP_HAS_PAGE is 0. */
#define EP_PAGE_NOT_BUILT                                                                          \
	"this evreport was built without pages: install esbuild, node-d3-axis, node-d3-brush, node-d3-hierarchy, node-d3-scale and node-d3-shape, then build it anew"

#if EP_HAS_PAGE

/* Returns 0 or -ENOMEM. A failed write is not an error here: ferror(out) tells it. */
int ep_page_write(FILE *out, const struct ep_page_source *source) EP_MUST_CHECK;

#else

static inline EP_MUST_CHECK int ep_page_write(FILE *out, const struct ep_page_source *source)
{
	return -ENOSYS;
}

#endif

#endif
