// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/page/page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/cells.h"
#include "reporter/export/json_out.h"
#include "reporter/export/tree_walk.h"
#include "reporter/text/utf8.h"
#include "reporter/page/frame.h"
#include "reporter/view/view.h"

/* More nodes make a page slow. Calls with less of the CPU time are counted at their callers. */
#define MOST_NODES 20000
#define LEAST_SHARE 1e-4

struct html_page {
	FILE *out;
	const struct ep_page_source *source;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	uint32_t cpu_column;
	double least_share; /* nodes below it are folded; 0: none was */
	uint32_t *kept;     /* (n_nodes) the node itself, or the next caller that is shown */
	uint32_t *number;   /* (n_nodes) in the page, of nodes that are shown */
	uint32_t
		*symbol_number; /* (n_symbols) in the page, plus one; 0: in no call that is shown */
	uint32_t n_shown;       /* nodes */
	uint32_t *row_of_thread; /* (n_threads) of the report; EP_NONE: not among them */
};

/* ---- texts ---- */

/* Text as HTML has it. Other control characters than the end of a line mean nothing there. */
static void put_html(FILE *out, const char *text)
{
	while (*text) {
		size_t size = ep_utf8_size(text);
		unsigned char byte = (unsigned char)*text;

		if (!size || (byte < ' ' && byte != '\n') || byte == 0x7f)
			fputs(EP_UTF8_UNKNOWN, out);
		else if (byte == '<' || byte == '>' || byte == '&')
			fprintf(out, "&#%d;", byte);
		else
			fwrite(text, size, 1, out);
		text += size ? size : 1;
	}
}

/* JSON as a script element may hold it: only strings have these characters. */
static void put_json(FILE *out, const char *json)
{
	while (*json) {
		size_t size = ep_utf8_size(json);

		if (!size)
			fputs(EP_UTF8_UNKNOWN, out);
		else if (*json == '<' || *json == '&')
			fprintf(out, "\\u%04x", *json);
		else
			fwrite(json, size, 1, out);
		json += size ? size : 1;
	}
}

static int put_view(struct html_page *page, const struct ep_report *report,
	const struct ep_report_view *view, void (*put)(FILE *out, const char *text))
{
	struct ep_view_options options = { .width = EP_PAGE_TEXT_COLUMNS, .utf8 = true };
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

/* ---- which nodes are shown ---- */

static int sum_up(const struct html_page *page, double *totals)
{
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		totals[i] = (double)ep_cells_row(&page->cells, i)[page->cpu_column];
	for (uint32_t i = page->walk.n_nodes; i-- > 1;)
		totals[page->walk.nodes[i].parent] += totals[i];
	return 0;
}

static uint32_t count_above(const double *totals, uint32_t n, double least)
{
	uint32_t n_above = 0;

	for (uint32_t i = 0; i < n; i++)
		n_above += totals[i] >= least;
	return n_above;
}

static int choose_nodes(struct html_page *page)
{
	uint32_t n = page->walk.n_nodes;
	EP_AUTOFREE double *totals = calloc(n + 1, sizeof(*totals));
	double share = 0;

	page->kept = calloc(n + 1, sizeof(*page->kept));
	page->number = calloc(n + 1, sizeof(*page->number));
	if (!totals || !page->kept || !page->number)
		return -ENOMEM;
	sum_up(page, totals);
	while (count_above(totals, n, share * totals[0]) > MOST_NODES)
		share = share > 0 ? 2 * share : LEAST_SHARE;
	page->least_share = share;
	for (uint32_t i = 0; i < n; i++) {
		bool is_shown = !i || totals[i] >= share * totals[0];

		page->kept[i] = is_shown ? i : page->kept[page->walk.nodes[i].parent];
		if (is_shown)
			page->number[i] = page->n_shown++;
	}
	return 0;
}

/* ---- lists of numbers ---- */

struct number_list {
	FILE *out;
	const char *between;
};

static struct number_list begin_list(FILE *out, const char *name)
{
	fprintf(out, "\"%s\":[", name);
	return (struct number_list){ out, "" };
}

static void put_number(struct number_list *list, double number)
{
	fprintf(list->out, "%s%.7g", list->between, isfinite(number) ? number : 0.);
	list->between = ",";
}

static void put_text(struct number_list *list, const char *text)
{
	fputs(list->between, list->out);
	ep_json_put_text(list->out, text);
	list->between = ",";
}

static void end_list(const struct number_list *list, const char *behind)
{
	fprintf(list->out, "]%s", behind);
}

/* ---- nodes and symbols ---- */

static void put_nodes(struct html_page *page)
{
	struct number_list list;

	fputs("\"nodes\":{", page->out);
	list = begin_list(page->out, "parent");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			put_number(&list, i ? page->number[page->walk.nodes[i].parent] : 0);
	end_list(&list, ",");
	list = begin_list(page->out, "symbol");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			put_number(&list,
				i ? page->symbol_number[page->walk.nodes[i].symbol_idx] - 1 : 0);
	end_list(&list, "},\n");
}

static int number_symbols(struct html_page *page)
{
	uint32_t n = 0, n_symbols = ep_symbols_count(page->source->symbols);

	page->symbol_number = calloc(n_symbols + 1, sizeof(*page->symbol_number));
	if (!page->symbol_number)
		return -ENOMEM;
	for (uint32_t i = 1; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			page->symbol_number[page->walk.nodes[i].symbol_idx] = 1;
	for (uint32_t i = 0; i < n_symbols; i++)
		if (page->symbol_number[i])
			page->symbol_number[i] = ++n;
	return 0;
}

/* Module 0 is none. */
static uint32_t module_of(const struct html_page *page, uint32_t symbol_idx)
{
	uint32_t idx = ep_symbols_get(page->source->symbols, symbol_idx)->module_idx;

	return idx < page->source->trace->n_modules ? idx + 1 : 0;
}

static void put_symbols(struct html_page *page)
{
	const struct ep_symbols *symbols = page->source->symbols;
	uint32_t n = ep_symbols_count(symbols);
	struct number_list list;

	fputs("\"symbols\":{", page->out);
	list = begin_list(page->out, "name");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			put_text(&list, ep_symbols_get(symbols, i)->name);
	end_list(&list, ",");
	list = begin_list(page->out, "module");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			put_number(&list, module_of(page, i));
	end_list(&list, ",");
	list = begin_list(page->out, "file");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			put_text(&list, ep_symbols_get(symbols, i)->file);
	end_list(&list, ",");
	list = begin_list(page->out, "line");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			put_number(&list, ep_symbols_get(symbols, i)->line);
	end_list(&list, "},\n");
}

static void put_modules(struct html_page *page)
{
	const struct ep_trace *trace = page->source->trace;
	struct number_list list = begin_list(page->out, "modules");

	put_text(&list, "");
	for (uint32_t i = 0; i < trace->n_modules; i++)
		put_text(&list, trace->modules[i].path);
	end_list(&list, ",\n");
}

/* ---- values of nodes ---- */

static void put_column(struct html_page *page, uint32_t c, int64_t *sums)
{
	static const char *const kinds[] = { [EP_CELL_SAMPLES] = "samples",
		[EP_CELL_CPU] = "cpu",
		[EP_CELL_EVENT] = "event",
		[EP_CELL_MEASURED] = "measured",
		[EP_CELL_ERROR] = "error" };
	const struct ep_column *column = &page->cells.columns[c];
	struct number_list list;

	memset(sums, 0, page->n_shown * sizeof(*sums));
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		sums[page->number[page->kept[i]]] += ep_cells_row(&page->cells, i)[c];
	fprintf(page->out, "{\"kind\":\"%s\",\"name\":", kinds[column->kind]);
	ep_json_put_text(page->out, column->name);
	fputs(",\"unit\":", page->out);
	ep_json_put_text(page->out, column->unit);
	fputc(',', page->out);
	list = begin_list(page->out, "nodes");
	for (uint32_t i = 0; i < page->n_shown; i++)
		if (sums[i])
			put_number(&list, i);
	end_list(&list, ",");
	list = begin_list(page->out, "values");
	for (uint32_t i = 0; i < page->n_shown; i++)
		if (sums[i])
			put_number(&list, (double)sums[i]);
	end_list(&list, "}");
}

static int put_columns(struct html_page *page)
{
	EP_AUTOFREE int64_t *sums = calloc(page->n_shown + 1, sizeof(*sums));
	const char *between = "";

	if (!sums)
		return -ENOMEM;
	fputs("\"columns\":[", page->out);
	for (uint32_t c = 0; c < page->cells.n_columns; c++) {
		enum ep_column_kind kind = page->cells.columns[c].kind;

		if (kind == EP_CELL_MEASURED || kind == EP_CELL_ERROR)
			continue;
		fputs(between, page->out);
		put_column(page, c, sums);
		between = ",\n";
	}
	fputs("],\n", page->out);
	return 0;
}

/* ---- times ---- */

/* CPU time of one node in one bin of one thread. */
struct busy_span {
	uint32_t row, node, bin;
	double us;
};

struct busy_spans {
	struct busy_span *spans; /* (n_spans) */
	uint32_t n_spans, capacity;
};

static int by_place(const void *a, const void *b)
{
	const struct busy_span *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->bin < y->bin ? -1 : x->bin > y->bin;
}

static void merge(struct busy_spans *spans)
{
	uint32_t n = 0;

	if (!spans->n_spans)
		return;
	qsort(spans->spans, spans->n_spans, sizeof(*spans->spans), by_place);
	for (uint32_t i = 1; i < spans->n_spans; i++)
		if (by_place(&spans->spans[n], &spans->spans[i]))
			spans->spans[++n] = spans->spans[i];
		else
			spans->spans[n].us += spans->spans[i].us;
	spans->n_spans = n + 1;
}

static int add_span(struct busy_spans *spans, const struct busy_span *span)
{
	if (spans->n_spans == spans->capacity && spans->n_spans)
		merge(spans);
	if (ep_array_reserve((void **)&spans->spans, spans->n_spans, &spans->capacity,
		    sizeof(*spans->spans)))
		return -ENOMEM;
	spans->spans[spans->n_spans++] = *span;
	return 0;
}

/* The time of a slice, spread over the bins that it lay in. */
static int add_entry(struct html_page *page, struct busy_spans *spans, uint32_t thread_idx,
	const struct ep_time_entry *entry)
{
	const struct ep_trace *trace = page->source->trace;
	const struct ep_report *report = page->source->report;
	const struct ep_trace_process *process =
		&trace->processes[trace->threads[thread_idx].process_idx];
	uint64_t birth_ns = ep_trace_birth_ns(trace);
	double bin_us = report->bin_s * 1e6, last = report->n_bins - 1;
	double end_us = (double)(process->born_ns - birth_ns) / 1e3 + (double)entry->end_us -
			report->from_s * 1e6;
	double first = fmin(fmax(floor((end_us - (double)entry->wall_us) / bin_us), 0), last);
	double to = fmin(fmax(floor(end_us / bin_us), first), last);
	struct busy_span span = { .row = page->row_of_thread[thread_idx],
		.node = page->number[page->kept[page->walk.node_of_path[entry->path_idx]]],
		.us = (double)entry->cpu_us / (to - first + 1) };

	for (span.bin = (uint32_t)first; span.bin <= (uint32_t)to; span.bin++)
		if (add_span(spans, &span))
			return -ENOMEM;
	return 0;
}

static int find_spans(struct html_page *page, struct busy_spans *spans)
{
	const struct ep_time_log *times = page->source->times;

	for (uint32_t t = 0; t < times->n_threads && page->source->report->n_bins; t++)
		for (uint32_t i = 0; i < times->threads[t].n_entries; i++)
			if (add_entry(page, spans, t, &times->threads[t].entries[i]))
				return -ENOMEM;
	merge(spans);
	return 0;
}

static void put_spans(struct html_page *page, const struct busy_spans *spans)
{
	const struct ep_report *report = page->source->report;
	struct number_list list;

	fprintf(page->out, "\"times\":{\"n_bins\":%" PRIu32 ",\"bin_s\":%.9g,", report->n_bins,
		report->bin_s);
	list = begin_list(page->out, "thread");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		put_number(&list, spans->spans[i].row == EP_NONE ? -1. : spans->spans[i].row);
	end_list(&list, ",");
	list = begin_list(page->out, "node");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		put_number(&list, spans->spans[i].node);
	end_list(&list, ",");
	list = begin_list(page->out, "bin");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		put_number(&list, spans->spans[i].bin);
	end_list(&list, ",");
	list = begin_list(page->out, "us");
	for (uint32_t i = 0; i < spans->n_spans; i++)
		put_number(&list, round(10 * spans->spans[i].us) / 10);
	end_list(&list, "}");
}

/* The report's rows are in the order of their CPU time, and may be fewer. */
static int find_rows(struct html_page *page)
{
	const struct ep_report *report = page->source->report;

	page->row_of_thread =
		malloc((page->source->trace->n_threads + 1) * sizeof(*page->row_of_thread));
	if (!page->row_of_thread)
		return -ENOMEM;
	for (uint32_t i = 0; i < page->source->trace->n_threads; i++)
		page->row_of_thread[i] = EP_NONE;
	for (uint32_t i = 0; i < report->n_threads_shown; i++)
		page->row_of_thread[report->threads[i].thread_idx] = i;
	return 0;
}

static int put_times(struct html_page *page)
{
	struct busy_spans spans = { 0 };
	int rc = find_spans(page, &spans);

	if (!rc)
		put_spans(page, &spans);
	free(spans.spans);
	return rc;
}

/* ---- all ---- */

static int prepare(struct html_page *page)
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
	if (choose_nodes(page) || number_symbols(page))
		return -ENOMEM;
	return find_rows(page);
}

static int put_data(struct html_page *page)
{
	fputs("{\"report\":", page->out);
	if (put_view(page, page->source->report, &ep_report_view_json, put_json))
		return -ENOMEM;
	fputs(",\n\"folded\":", page->out);
	if (page->least_share > 0)
		fprintf(page->out,
			"\"calls with less than %.3g %% of the CPU time are counted at their callers\"",
			100 * page->least_share);
	else
		fputs("\"nothing: each call is in the graphs\"", page->out);
	fputs(",\n", page->out);
	put_nodes(page);
	put_symbols(page);
	put_modules(page);
	if (put_columns(page) || put_times(page))
		return -ENOMEM;
	fputs("}\n", page->out);
	return 0;
}

int ep_page_write(FILE *out, const struct ep_page_source *source)
{
	struct html_page page = { .out = out,
		.source = source,
		.walk = { .trace = source->trace, .symbols = source->symbols } };
	int rc = prepare(&page);

	if (!rc) {
		fputs(ep_page_before_text, out);
		rc = put_view(&page, source->brief, &ep_report_view_text, put_html);
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
	ep_cells_finish(&page.cells);
	ep_tree_walk_finish(&page.walk);
	return rc;
}
