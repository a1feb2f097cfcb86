// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/annotate/cost_columns.h"

#include <math.h>
#include <string.h>

#include "reporter/text/signs.h"

enum {
	TIME_COLUMNS = 11,
	TOTAL_COLUMNS = 10,
	SHARE_COLUMNS = 8,
	ERROR_COLUMNS = 7,
	EVENT_COLUMNS = 15,
	TEXT_COLUMNS = 50, /* least width for lines and instructions */
};

static const char *short_event(const struct ep_report_event *event)
{
	const char *pmu = strstr(event->name, "::");

	return pmu ? pmu + 2 : event->name;
}

/* ---- choice of events ---- */

static bool is_named(const char *const *names, const struct ep_report_event *event)
{
	for (; *names; names++)
		if (!strcmp(*names, event->name) || !strcmp(*names, short_event(event)))
			return true;
	return false;
}

/* Tells whether an event gets a column: hardware counted it here, and the count is not mixed. Software events
 * get none: they are rare, or they are times, which have a column of their own. */
static bool tells(const struct ep_cost_columns *columns, uint32_t event_idx)
{
	const struct ep_report_event *event = &columns->annotation->report->events[event_idx];
	const struct ep_report_value *value = columns->annotation->cost.values
						      ? &columns->annotation->cost.values[event_idx]
						      : NULL;

	return value && !event->software && !value->is_mixed &&
	       ep_quantity_or(&value->count, 0) > 0;
}

void ep_cost_columns_choose(struct ep_cost_columns *out, const struct ep_annotate_page *page)
{
	const struct ep_report *report = page->annotation->report;
	uint32_t least = TIME_COLUMNS + SHARE_COLUMNS + TOTAL_COLUMNS + ERROR_COLUMNS;
	uint32_t room = page->layout.width > least + TEXT_COLUMNS
				? (page->layout.width - least - TEXT_COLUMNS) / EVENT_COLUMNS
				: 0;

	*out = (struct ep_cost_columns){ .annotation = page->annotation,
		.has_error = !report->is_exact };
	if (page->events || room > EP_COST_MOST_EVENTS)
		room = EP_COST_MOST_EVENTS;
	for (uint32_t e = 0; e < report->n_events && out->n_events < room; e++)
		if (page->events ? is_named(page->events, &report->events[e]) : tells(out, e))
			out->events[out->n_events++] = e;
	out->width = TIME_COLUMNS + SHARE_COLUMNS + TOTAL_COLUMNS +
		     (out->has_error ? ERROR_COLUMNS : 0) + out->n_events * EVENT_COLUMNS + 2;
}

/* ---- lines ---- */

void ep_cost_columns_put_titles(
	const struct ep_cost_columns *columns, const char *behind, const struct ep_layout *layout)
{
	fprintf(layout->out, "%*s%*s%*s%*s", TIME_COLUMNS, "time", SHARE_COLUMNS, "self",
		columns->has_error ? ERROR_COLUMNS : 0, "", TOTAL_COLUMNS, "total");
	for (uint32_t i = 0; i < columns->n_events; i++) {
		fputs("  ", layout->out);
		ep_put_right_cell(layout,
			short_event(&columns->annotation->report->events[columns->events[i]]),
			EVENT_COLUMNS - 2);
	}
	fprintf(layout->out, "  %s\n", behind);
}

/* Prints a count as "1.23 M ±4 %", or as the range "0 to 1.2 M" if slices are mixed. */
static void put_count(const struct ep_report_value *value, const struct ep_layout *layout)
{
	char number[EP_NUMBER_BYTES], high[EP_NUMBER_BYTES], text[3 * EP_NUMBER_BYTES];
	const struct ep_quantity *count = &value->count;
	double percent = count->value > 0 ? 196 * count->error / count->value : 0;

	ep_format_rate(number, count->value);
	if (!ep_quantity_is_known(count)) {
		snprintf(text, sizeof(text), "-");
	} else if (value->is_mixed) {
		ep_format_rate(number, value->low);
		ep_format_rate(high, value->high);
		snprintf(text, sizeof(text), "%s to %s", number, high);
	} else if (count->error > 0 && percent >= 0.5) {
		snprintf(text, sizeof(text), percent < 1000 ? "%s %s%.0f%%" : "%s %sall", number,
			ep_sign_plus_minus(layout->utf8), percent);
	} else {
		snprintf(text, sizeof(text), "%s%s", number,
			count->state == EP_QUANTITY_ROUGH ? " ?" : "");
	}
	ep_put_right(layout, text, EVENT_COLUMNS);
}

static void put_share(double share, const struct ep_layout *layout)
{
	fprintf(layout->out, "%*.1f %%", SHARE_COLUMNS - 2, 100 * share);
}

static void put_self(const struct ep_cost_columns *columns, const struct ep_report_row *cost,
	const struct ep_layout *layout)
{
	char text[EP_NUMBER_BYTES];

	if (!cost->self_ns && !cost->n_samples) {
		fprintf(layout->out, "%*s",
			TIME_COLUMNS - 2 + SHARE_COLUMNS + (columns->has_error ? ERROR_COLUMNS : 0),
			"");
		return;
	}
	ep_format_seconds(text, (double)cost->self_ns / 1e9);
	ep_put_right(layout, text, TIME_COLUMNS - 2);
	put_share(ep_annotated_share(columns->annotation, cost), layout);
	if (!columns->has_error)
		return;
	ep_format_bar(text, layout->utf8, 196 * ep_annotated_error(columns->annotation, cost), 1);
	ep_put_right(layout, text, ERROR_COLUMNS);
}

void ep_cost_columns_put(const struct ep_cost_columns *columns, const struct ep_report_row *cost,
	bool is_hottest, const struct ep_layout *layout)
{
	char total[EP_NUMBER_BYTES] = "";

	if (!cost || (!cost->self_ns && !cost->total_ns && !cost->n_samples)) {
		fprintf(layout->out, "%*s", (int)columns->width, "");
		return;
	}
	fputs(is_hottest ? "> " : "  ", layout->out);
	put_self(columns, cost, layout);
	if (cost->total_ns != cost->self_ns)
		ep_format_seconds(total, (double)cost->total_ns / 1e9);
	ep_put_right(layout, total, TOTAL_COLUMNS);
	for (uint32_t i = 0; i < columns->n_events; i++) {
		if (cost->values)
			put_count(&cost->values[columns->events[i]], layout);
		else
			fprintf(layout->out, "%*s", EVENT_COLUMNS, "");
	}
	fputs("  ", layout->out);
}
