// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/page/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/export/json_out.h"
#include "reporter/page/frame.h"
#include "reporter/page/html_private.h"
#include "reporter/phases/phases_view.h"
#include "reporter/roofline/roofline_view.h"
#include "reporter/view/view.h"

static int put_view(struct ep_html_page *page, const struct ep_report *report,
	const struct ep_report_view *view, void (*put)(FILE *out, const char *text))
{
	/* The JSON leaves out how busy each thread was over time, since the page derives that from the log of times. */
	struct ep_view_options options = {
		.width = EP_PAGE_TEXT_COLUMNS, .utf8 = true, .is_of_page = true
	};
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	int rc;

	if (!memory)
		return -ENOMEM;
	rc = view->print(memory, report, &options);
	if (fclose(memory) || rc)
		return -ENOMEM;
	put(page->out, text);
	return 0;
}

/* ---- the whole page ---- */

static int prepare(struct ep_html_page *page)
{
	struct ep_cells_source source = { .trace = page->source->trace,
		.symbols = page->source->symbols,
		.report = page->source->report };

	if (ep_tree_walk_init(&page->walk))
		return -ENOMEM;
	source.row_of_path = page->walk.node_of_path;
	source.n_rows = page->walk.n_nodes;
	if (ep_cells_init(&page->cells, &source))
		return -ENOMEM;
	page->cpu_column = ep_cells_find(&page->cells, "cpu");
	return ep_html_tree_choose(page);
}

/* Writes a procedure's ratio as [value, bar], with null for a bar that is not known. Writes null if the value is not
 * known, and 0 if its counts are mixed with those of other procedures. */
static void put_ratio(FILE *out, const struct ep_report_ratio *ratio)
{
	double bar = ep_quantity_bar(&ratio->value);

	if (ratio->is_mixed)
		fputc('0', out);
	else if (!isfinite(ep_quantity_or(&ratio->value, NAN)))
		fputs("null", out);
	else if (!isfinite(bar))
		fprintf(out, "[%.6g,null]", ratio->value.value);
	else
		fprintf(out, "[%.6g,%.6g]", ratio->value.value, bar);
}

/* Writes the ratios of each kind that some procedure has, in the order of the report's procedures. */
static void put_ratios(struct ep_html_page *page)
{
	const struct ep_report *report = page->source->report;
	const char *between = "";

	fputs("\"ratios\":[", page->out);
	for (uint32_t k = 0; k < EP_N_RATIOS; k++) {
		if (!report->ratio_kinds[k].title)
			continue;
		fprintf(page->out, "%s{\"title\":", between);
		ep_json_put_text(page->out, report->ratio_kinds[k].title);
		fprintf(page->out, ",\"is_share\":%s,\"values\":[",
			report->ratio_kinds[k].is_share ? "true" : "false");
		for (uint32_t i = 0; i < report->n_ratio_rows; i++) {
			fputs(i ? "," : "", page->out);
			put_ratio(page->out, &report->ratios[(size_t)i * EP_N_RATIOS + k]);
		}
		fputs("]}", page->out);
		between = ",";
	}
	fputs("],\n", page->out);
}

static int print_phases(const struct ep_html_page *page, FILE *out)
{
	return ep_phases_print_json(page->source->phases, page->source->report->trace_path, out);
}

static int print_roofline(const struct ep_html_page *page, FILE *out)
{
	return ep_roofline_print_json(
		page->source->roofline, page->source->report->trace_path, out);
}

/* Writes a key with the JSON that print() prints, or with null if is_there is false. */
static int put_member(struct ep_html_page *page, const char *key, bool is_there,
	int (*print)(const struct ep_html_page *page, FILE *out))
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *memory;
	int rc;

	fprintf(page->out, "\"%s\":", key);
	if (!is_there) {
		fputs("null,\n", page->out);
		return 0;
	}
	memory = open_memstream(&text, &size);
	if (!memory)
		return -ENOMEM;
	rc = print(page, memory);
	if (fclose(memory) || rc)
		return -ENOMEM;
	ep_html_put_json(page->out, text);
	fputs(",\n", page->out);
	return 0;
}

/* Adds the roofline to the text, for people who read the page without JavaScript. */
static int put_roofline_text(struct ep_html_page *page)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *memory;

	if (!page->source->roofline)
		return 0;
	memory = open_memstream(&text, &size);
	if (!memory)
		return -ENOMEM;
	const struct ep_layout layout = { memory, EP_PAGE_TEXT_COLUMNS, true, false };
	fputc('\n', memory);
	ep_roofline_print_text(page->source->roofline, page->source->report->trace_path, &layout);
	if (fclose(memory))
		return -ENOMEM;
	ep_html_put_text(page->out, text);
	return 0;
}

static int put_data(struct ep_html_page *page)
{
	fputs("{\"report\":", page->out);
	if (put_view(page, page->source->report, &ep_report_view_json, ep_html_put_json))
		return -ENOMEM;
	fputs(",\n\"folded\":", page->out);
	if (page->least_share > 0)
		fprintf(page->out,
			"\"calls with less than %.3g %% of the CPU time are counted at their callers\"",
			100 * page->least_share);
	else
		fputs("\"nothing: each call is in the graphs\"", page->out);
	fputs(",\n", page->out);
	put_ratios(page);
	if (put_member(page, "phases", page->source->phases != NULL, print_phases) ||
		put_member(page, "roofline", page->source->roofline != NULL, print_roofline) ||
		ep_html_code_put(page))
		return -ENOMEM;
	ep_html_metrics_put(page);
	if (ep_html_ranks_put(page) || ep_html_programs_put(page) || ep_html_tree_put(page) ||
		ep_html_times_put(page) || ep_html_sums_put(page))
		return -ENOMEM;
	fputs("}\n", page->out);
	return 0;
}

int ep_page_write(FILE *out, const struct ep_page_source *source)
{
	struct ep_html_page page = { .out = out,
		.source = source,
		.walk = { .trace = source->trace,
			.symbols = source->symbols,
			.by_line = true,
			.by_loop = source->has_loops } };
	int rc = prepare(&page);

	if (!rc) {
		fputs(ep_page_before_text, out);
		rc = put_view(&page, source->brief, &ep_report_view_text, ep_html_put_text);
		if (!rc)
			rc = put_roofline_text(&page);
	}
	if (!rc) {
		fputs(ep_page_before_data, out);
		rc = put_data(&page);
	}
	if (!rc)
		fputs(ep_page_after_data, out);
	free(page.kept);
	free(page.number);
	free(page.symbol_number);
	free(page.row_of_thread);
	free(page.activities);
	free(page.loop_number);
	ep_text_ids_finish(&page.files);
	ep_cells_finish(&page.cells);
	ep_tree_walk_finish(&page.walk);
	return rc;
}
