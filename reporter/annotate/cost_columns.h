/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the columns before a line or an instruction: the time, shares, and counts of some events. */
#ifndef EVPROF_REPORTER_ANNOTATE_COST_COLUMNS_H
#define EVPROF_REPORTER_ANNOTATE_COST_COLUMNS_H

#include "reporter/annotate/annotate.h"

enum { EP_COST_MOST_EVENTS = 8 };

struct ep_cost_columns {
	const struct ep_annotation *annotation;
	uint32_t width; /* width of all columns */
	bool has_error;
	uint32_t events[EP_COST_MOST_EVENTS]; /* (n_events) indexes of the report's events */
	uint32_t n_events;
};

/* Chooses the events: those that the page names, or the first hardware events with counts that there is room
 * for. */
void ep_cost_columns_choose(struct ep_cost_columns *out, const struct ep_annotate_page *page);
/* Prints the titles; the text behind is the title of what follows the columns. */
void ep_cost_columns_put_titles(
	const struct ep_cost_columns *columns, const char *behind, const struct ep_layout *layout);
/* Prints a row's columns; blanks if cost is NULL or has no time. */
void ep_cost_columns_put(const struct ep_cost_columns *columns, const struct ep_report_row *cost,
	bool is_hottest, const struct ep_layout *layout);

#endif
