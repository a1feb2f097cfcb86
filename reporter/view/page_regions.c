// SPDX-License-Identifier: BSD-3-Clause
/* Prints the table of regions. */
#include <stdio.h>

#include "reporter/view/page.h"

#define WIDE 72 /* a narrower line has no columns of sums */

static void put_sums(const struct ep_page *page, const struct ep_report_region *row)
{
	const char *about = row->is_estimate ? "~" : "";
	char number[EP_NUMBER_BYTES], text[EP_NUMBER_BYTES + 1];

	ep_format_count(number, row->n_entries);
	snprintf(text, sizeof(text), "%s%s", about, number);
	ep_put_right(&page->layout, text, 10);
	ep_format_seconds(number, row->wall_s);
	snprintf(text, sizeof(text), "%s%s", about, number);
	ep_put_right(&page->layout, text, 9);
}

static void put_row(const struct ep_page *page, const struct ep_report_region *row)
{
	bool is_wide = page->layout.width >= WIDE;
	uint32_t used = (is_wide ? 46 : 27) + 2 * row->depth;

	ep_page_put_percent(page, row->total_share);
	ep_page_put_error(page, row->total_error);
	ep_page_put_percent(page, row->self_share);
	if (is_wide)
		put_sums(page, row);
	fprintf(page->layout.out, "   %*s", (int)(2 * row->depth), "");
	ep_put_cells(&page->layout,
		&(struct ep_cell){ row->name,
			page->layout.width > used + 10 ? page->layout.width - used : 10 },
		1);
}

void ep_page_put_regions(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	double hidden_share = 0;
	uint32_t n_hidden = 0;

	if (!r->n_regions) {
		if (page->options->by == EP_BY_REGIONS)
			ep_put_remark(&page->layout,
				"The program named no regions: evprof.h says how it does.");
		return;
	}
	ep_put_heading(&page->layout, "By region",
		"named by the program; times: how often it was entered; lasted: on the clock, all threads together");
	fprintf(page->layout.out, "%8s%7s%8s%s   region\n", "total", "", "self",
		page->layout.width >= WIDE ? "     times   lasted" : "");
	for (uint32_t i = 0; i < r->n_regions; i++)
		if (r->regions[i].is_hidden) {
			hidden_share += r->regions[i].self_share;
			n_hidden++;
		} else {
			put_row(page, &r->regions[i]);
		}
	ep_page_put_hidden(page, n_hidden, hidden_share, "region");
}
