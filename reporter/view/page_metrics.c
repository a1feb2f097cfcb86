// SPDX-License-Identifier: BSD-3-Clause
/* Prints the metrics, each with its error bar and the value to which it is relative. */
#include <string.h>

#include "reporter/text/signs.h"
#include "reporter/view/page.h"

enum { VALUE_COLUMNS = 10, BAR_COLUMNS = 10 };

static void put_value(const struct ep_page *page, const struct ep_report_metric *metric)
{
	const char *sign = ep_sign_plus_minus(page->layout.utf8);
	double half = ep_quantity_bar(&metric->value);
	char value[32], bar[EP_NUMBER_BYTES] = "";

	if (metric->is_share)
		snprintf(value, sizeof(value), "%.1f %%", 100 * metric->value.value);
	else
		snprintf(value, sizeof(value), "%.4g", metric->value.value);
	if (isnan(half) || (half > 0 && metric->is_share))
		ep_format_bar(bar, page->layout.utf8, 100 * half, 1);
	else if (half > 0)
		snprintf(bar, sizeof(bar), "%s%.2g", sign, half);
	ep_put_right(&page->layout, value, VALUE_COLUMNS);
	fputs(" ", page->layout.out);
	ep_put_cell(&page->layout, bar, BAR_COLUMNS);
}

static void put_metric(
	const struct ep_page *page, const struct ep_report_metric *metric, uint32_t width)
{
	/* A unit such as cycles/instruction already says what the value is relative to. */
	const char *base = metric->is_share || !metric->unit ? metric->base : NULL;
	char remarks[256];
	uint32_t used;

	fputs("  ", page->layout.out);
	ep_put_cell(&page->layout, metric->name, width);
	put_value(page, metric);
	snprintf(remarks, sizeof(remarks), "%s%s%s%s%s%s", base ? " of " : "", base ? base : "",
		metric->unit ? " " : "", metric->unit ? metric->unit : "",
		metric->is_invalid ? "  [not a valid value]" : "",
		metric->is_contradicted ? "  [contradicted by evcal check]" : "");
	used = 2 + width + VALUE_COLUMNS + 1 + BAR_COLUMNS;
	ep_put_cells(&page->layout,
		&(struct ep_cell){
			remarks, page->layout.width > used + 8 ? page->layout.width - used : 0 },
		1);
}

/* Puts the title of a model above its metrics. Not called for the first model, whose title is in the heading. */
static void put_title(const struct ep_page *page, const struct ep_report_metric *metric)
{
	ep_put_remark(&page->layout, metric->title ? metric->title : metric->model);
}

void ep_page_put_metrics(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t width = 24;
	char text[128];

	if (!r->n_metrics)
		return;
	for (uint32_t i = 0; i < r->n_metrics; i++)
		width = ep_at_least(width, ep_text_width(r->metrics[i].name));
	if (width + 3 + VALUE_COLUMNS + BAR_COLUMNS > page->layout.width)
		width = page->layout.width - 3 - VALUE_COLUMNS - BAR_COLUMNS;
	ep_put_heading(&page->layout, "Metrics", r->metrics[0].title);
	for (uint32_t i = 0; i < r->n_metrics; i++) {
		if (i && r->metrics[i].model != r->metrics[i - 1].model)
			put_title(page, &r->metrics[i]);
		put_metric(page, &r->metrics[i], width);
	}
	if (!r->n_metrics_hidden)
		return;
	snprintf(text, sizeof(text),
		"%u more, or why they are missing: evreport metrics; --explain NAME: where it comes from",
		r->n_metrics_hidden);
	ep_put_remark(&page->layout, text);
}
