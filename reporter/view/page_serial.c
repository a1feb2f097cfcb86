// SPDX-License-Identifier: BSD-3-Clause
/* Prints the table of serial parts. */
#include <stdio.h>

#include "reporter/view/page.h"

#define WIDE 72 /* a narrower line has no column of the calls' share */
#define TIMES_COLUMNS 30
#define SHARE_COLUMNS 15

static void put_part(const struct ep_page *page, const struct ep_report_serial_part *part)
{
	bool has_share = page->layout.width >= WIDE;
	uint32_t used = TIMES_COLUMNS + (has_share ? SHARE_COLUMNS : 0);
	char text[EP_NUMBER_BYTES];

	snprintf(text, sizeof(text), "%.3f", part->from_s);
	ep_put_right(&page->layout, text, 10);
	snprintf(text, sizeof(text), "%.3f", part->to_s);
	ep_put_right(&page->layout, text, 10);
	ep_page_put_percent(page, part->share);
	fputs("  ", page->layout.out);
	if (has_share && part->calls) {
		ep_page_put_percent(page, part->calls_share);
		ep_page_put_error(page, part->calls_error);
	} else if (has_share) {
		fprintf(page->layout.out, "%*s", SHARE_COLUMNS, "");
	}
	ep_put_cells(&page->layout,
		&(struct ep_cell){ part->calls ? part->calls : "spread over many calls",
			page->layout.width > used + 10 ? page->layout.width - used : 10 },
		1);
}

void ep_page_put_serial_parts(const struct ep_page *page)
{
	const struct ep_report_parallel *parallel = &page->report->parallel;

	if (!parallel->n_serial_parts)
		return;
	ep_put_heading(&page->layout, "Serial parts",
		"the longest times of one thread alone; share: of the time in which threads ran");
	fprintf(page->layout.out, "%10s%10s%8s%s  in\n", "from s", "to s", "share",
		page->layout.width >= WIDE ? "     of it     " : "");
	for (uint32_t i = 0; i < parallel->n_serial_parts; i++)
		put_part(page, &parallel->serial_parts[i]);
}
