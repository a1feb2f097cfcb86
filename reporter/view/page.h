/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the parts of the text view. */
#ifndef EVPROF_REPORTER_VIEW_PAGE_H
#define EVPROF_REPORTER_VIEW_PAGE_H

#include "reporter/text/layout.h"
#include "view.h"

struct ep_page {
	struct ep_layout layout;
	const struct ep_report *report;
	const struct ep_view_options *options;
};

static inline const char *ep_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static inline uint32_t ep_at_least(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

void ep_page_put_percent(const struct ep_page *page, double share);
/* Puts 1.96 standard errors of a share, in percentage points, as " ±12.3 ". */
void ep_page_put_error(const struct ep_page *page, double error);
void ep_page_put_time(const struct ep_page *page, double seconds);
/* Puts the line below a table from which --top left out rows; what names a row, for example "procedure". */
void ep_page_put_hidden(
	const struct ep_page *page, uint32_t n_hidden, double share, const char *what);

/* The following functions are in page_tables.c. */
void ep_page_put_procedures(const struct ep_page *page);
void ep_page_put_lines(const struct ep_page *page);
void ep_page_put_loops(const struct ep_page *page);
void ep_page_put_modules(const struct ep_page *page);
void ep_page_put_languages(const struct ep_page *page);
void ep_page_put_counts(const struct ep_page *page);
void ep_page_put_calls(const struct ep_page *page);

void ep_page_put_ratios(const struct ep_page *page); /* defined in page_ratios.c */

void ep_page_put_regions(const struct ep_page *page); /* defined in page_regions.c */

void ep_page_put_serial_parts(const struct ep_page *page); /* defined in page_serial.c */

void ep_page_put_activities(const struct ep_page *page); /* defined in page_activities.c */

void ep_page_put_ranks(const struct ep_page *page); /* defined in page_ranks.c */
void ep_page_put_hosts(const struct ep_page *page);
void ep_page_put_waits(const struct ep_page *page); /* defined in page_waits.c */

/* The following functions are in page_lists.c. */
void ep_page_put_threads(const struct ep_page *page);
void ep_page_put_programs(const struct ep_page *page);
void ep_page_put_processes(const struct ep_page *page);
void ep_page_put_events(const struct ep_page *page);
void ep_page_put_metrics(const struct ep_page *page); /* defined in page_metrics.c */
void ep_page_put_timeline(const struct ep_page *page);

#endif
