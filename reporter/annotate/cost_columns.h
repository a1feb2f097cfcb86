/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns before a line or an instruction: its time, shares, and counts of some events. */
#ifndef EVPROF_REPORTER_ANNOTATE_COST_COLUMNS_H
#define EVPROF_REPORTER_ANNOTATE_COST_COLUMNS_H

#include "reporter/annotate/annotate.h"

enum { EP_COST_MOST_EVENTS = 8 };

struct ep_cost_columns {
	const struct ep_annotation *annotation;
	uint32_t width; /* of all */
	bool has_error;
	uint32_t events[EP_COST_MOST_EVENTS]; /* (n_events) of the report */
	uint32_t n_events;
};

/* The events that the page names, or those that tell most and have room. */
void ep_cost_columns_choose(struct ep_cost_columns *out, const struct ep_annotate_page *page);
/* behind: the title of what follows. */
void ep_cost_columns_put_titles(
	const struct ep_cost_columns *columns, const char *behind, const struct ep_layout *layout);
/* cost NULL: blanks. */
void ep_cost_columns_put(const struct ep_cost_columns *columns, const struct ep_report_row *cost,
	bool is_hottest, const struct ep_layout *layout);

#endif
