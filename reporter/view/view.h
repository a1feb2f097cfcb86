/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the views, which lay out a finished report and compute nothing. report_options.c lists all of them. */
#ifndef EVPROF_REPORTER_VIEW_VIEW_H
#define EVPROF_REPORTER_VIEW_VIEW_H

#include "common/error.h"
#include "reporter/facts/report.h"

#include <stdio.h>

enum ep_by {
	EP_BY_ALL, /* the whole report */
	EP_BY_PROCEDURES,
	EP_BY_LINES,
	EP_BY_MODULES,
	EP_BY_THREADS,
	EP_BY_PROCESSES,
	EP_BY_WAITS,
	EP_BY_LOOPS,
	EP_BY_LANGUAGES,
	EP_BY_RANKS,
	EP_BY_HOSTS,
	EP_BY_REGIONS,
};

struct ep_view_options {
	enum ep_by by;
	bool callers;
	uint32_t width; /* columns of the terminal */
	bool utf8, colour;
	/* JSON: leaves out how busy each thread was over time, and counts that are exactly 0 */
	bool is_of_page;
	uint64_t parts; /* JSON: set of parts, as ep_json_parts_take makes it; 0: all */
};

struct ep_report_view {
	const char *name;
	/* Prints the report. Returns 0 or -ENOMEM; failed writes show in ferror(out). */
	int (*print)(
		FILE *out, const struct ep_report *report, const struct ep_view_options *options);
};

/* Returns the number of bins of a timeline that fit into a line of the text view. lacked_cpus is the member of struct
 * ep_report. */
uint32_t ep_view_text_bins(uint32_t width, bool lacked_cpus);

/* Adds the parts of JSON with these names ("short,timeline") to the uint64_t at into. Returns 0, or -EINVAL if a name
 * is unknown. */
int ep_json_parts_take(void *into, const char *names) EP_MUST_CHECK;
#define EP_JSON_PARTS_EXPECTED                                                                     \
	"short, all, or keys of the report with commas between, such as procedures,timeline"

extern const struct ep_report_view ep_report_view_text, ep_report_view_json, ep_report_view_csv;

#endif
