/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads evreport's options into a request for a report. */
#ifndef EVPROF_REPORTER_COMMAND_REPORT_OPTIONS_H
#define EVPROF_REPORTER_COMMAND_REPORT_OPTIONS_H

#include "reporter/command/select.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/phases/phases.h"
#include "reporter/view/terminal.h"
#include "reporter/view/view.h"

#define EP_REPORT_DEFAULT_TOP 20
#define EP_TOP_NOT_SAID UINT32_MAX

struct ep_report_request {
	const char *const *paths; /* traces; NULL follows the last */
	const char *output, *html, *sysroot;
	const struct ep_report_view *view; /* NULL: --format was not given */
	const struct ep_filler_ops *filler;
	struct ep_view_options view_options;
	enum ep_colour colour;
	struct ep_selection selection;
	struct ep_time_log times;
	struct ep_count_log counts; /* counts that times refers to */
	struct ep_sum_log sums;     /* sums that times refers to */
	struct ep_phases phases;    /* phases of the whole run */
	bool has_phases;
	uint32_t top, n_threads;
	bool has_loops, no_source;
	bool all_calls;
	bool is_verbose;
	/* why the filler was chosen, if --estimator names none */
	struct ep_filler_choice choice;
};

/* The view of a page. Its print function is NULL, since a page needs more than a report; write_page() in
 * cmd_report.c makes it. */
extern const struct ep_report_view ep_report_view_page;

/* Reads the options into request, which must have the default values before. Returns EP_OPTIONS_READ, or the exit
 * status. */
int ep_report_options_parse(struct ep_report_request *request, int argc, char **argv);

#endif
