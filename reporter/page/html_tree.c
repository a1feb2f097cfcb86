// SPDX-License-Identifier: BSD-3-Clause
/* Writes the call tree for the page: calls, their procedures, and the time and counts of calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"

/* A page with more nodes is slow, so the time of the smallest calls is added to their callers. */
#define MOST_NODES 20000
#define LEAST_SHARE 1e-4

/* ---- the nodes that are shown ---- */

static void sum_up(const struct ep_html_page *page, double *totals)
{
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		totals[i] = (double)ep_cells_row(&page->cells, i)[page->cpu_column];
	for (uint32_t i = page->walk.n_nodes; i-- > 1;)
		totals[page->walk.nodes[i].parent] += totals[i];
}

static uint32_t count_above(const double *totals, uint32_t n, double least)
{
	uint32_t n_above = 0;

	for (uint32_t i = 0; i < n; i++)
		n_above += totals[i] >= least;
	return n_above;
}

static int choose_nodes(struct ep_html_page *page)
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

/* ---- nodes and symbols ---- */

/* Returns the number of a node's source file; 0: it is not known. */
static uint32_t file_of(struct ep_html_page *page, uint32_t node)
{
	const char *file = page->walk.nodes[node].file;

	return file ? ep_text_ids_add(&page->files, file) : 0;
}

static void put_files_of_nodes(struct ep_html_page *page)
{
	struct ep_html_list list;

	ep_text_ids_add(&page->files, "");
	list = ep_html_list_begin(page->out, "file");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			ep_html_list_put_number(&list, file_of(page, i));
	ep_html_list_end(&list, ",");
}

static void put_files(struct ep_html_page *page)
{
	struct ep_html_list list = ep_html_list_begin(page->out, "files");

	for (uint32_t i = 0; i < page->files.names.n_names; i++)
		ep_html_list_put_text(&list, page->files.names.texts[i]);
	ep_html_list_end(&list, ",\n");
}

static double loop_of(const struct ep_html_page *page, uint32_t node)
{
	uint32_t loop_idx = page->walk.nodes[node].loop_idx;

	return loop_idx == EP_NONE ? -1. : page->loop_number[loop_idx] - 1.;
}

static void put_nodes(struct ep_html_page *page)
{
	struct ep_html_list list;

	fputs("\"nodes\":{", page->out);
	list = ep_html_list_begin(page->out, "parent");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			ep_html_list_put_number(
				&list, i ? page->number[page->walk.nodes[i].parent] : 0);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "symbol");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			ep_html_list_put_number(&list,
				i ? page->symbol_number[page->walk.nodes[i].symbol_idx] - 1 : 0);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "line");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			ep_html_list_put_number(&list, page->walk.nodes[i].line);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "loop"); /* -1: the node is in no loop */
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			ep_html_list_put_number(&list, loop_of(page, i));
	ep_html_list_end(&list, ",");
	put_files_of_nodes(page);
	list = ep_html_list_begin(page->out, "activity");
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		if (page->kept[i] == i)
			ep_html_list_put_number(&list, page->activities[i]);
	ep_html_list_end(&list, "},\n");
}

static int number_symbols(struct ep_html_page *page)
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

/* Returns the number of a symbol's module on the page; 0: it is not known. */
static uint32_t module_of(const struct ep_html_page *page, uint32_t symbol_idx)
{
	uint32_t idx = ep_symbols_get(page->source->symbols, symbol_idx)->module_idx;

	return idx < page->source->trace->n_modules ? idx + 1 : 0;
}

static void put_symbols(struct ep_html_page *page)
{
	const struct ep_symbols *symbols = page->source->symbols;
	uint32_t n = ep_symbols_count(symbols);
	struct ep_html_list list;

	fputs("\"symbols\":{", page->out);
	list = ep_html_list_begin(page->out, "name");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			ep_html_list_put_text(&list, ep_symbols_get(symbols, i)->name);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "module");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			ep_html_list_put_number(&list, module_of(page, i));
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "file");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			ep_html_list_put_text(&list, ep_symbols_get(symbols, i)->file);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "line");
	for (uint32_t i = 0; i < n; i++)
		if (page->symbol_number[i])
			ep_html_list_put_number(&list, ep_symbols_get(symbols, i)->line);
	ep_html_list_end(&list, "},\n");
}

static void put_modules(struct ep_html_page *page)
{
	const struct ep_trace *trace = page->source->trace;
	struct ep_html_list list = ep_html_list_begin(page->out, "modules");

	ep_html_list_put_text(&list, "");
	for (uint32_t i = 0; i < trace->n_modules; i++)
		ep_html_list_put_text(&list, trace->modules[i].path);
	ep_html_list_end(&list, ",\n");
}

/* ---- activities ---- */

/* Finds the activity of a call as the report does (facts/activities.c). Loops that only wait for other threads are an
 * exception: they are not found here. */
static enum ep_activity activity_below(
	const struct ep_html_page *page, enum ep_activity outer, uint32_t node)
{
	uint32_t symbol_idx = page->walk.nodes[node].symbol_idx;
	const struct ep_symbol *symbol = ep_symbols_get(page->source->symbols, symbol_idx);
	const struct ep_trace *trace = page->source->trace;
	const char *module = symbol->module_idx < trace->n_modules
				     ? trace->modules[symbol->module_idx].path
				     : "";
	enum ep_activity inner = ep_activity_of(symbol->kind, module, symbol->short_name);

	if (ep_activity_hands_over(outer, inner) && !ep_activity_is_support(symbol->kind, module))
		outer = EP_ACTIVITY_OWN;
	return ep_activity_stands_out(inner, outer) ? inner : outer;
}

static int find_activities(struct ep_html_page *page)
{
	page->activities = calloc(page->walk.n_nodes + 1, sizeof(*page->activities));
	if (!page->activities)
		return -ENOMEM;
	for (uint32_t i = 1; i < page->walk.n_nodes; i++) {
		unsigned char outer = page->activities[page->walk.nodes[i].parent];

		page->activities[i] =
			(unsigned char)activity_below(page, (enum ep_activity)outer, i);
	}
	return 0;
}

static void put_activities(struct ep_html_page *page)
{
	struct ep_html_list list = ep_html_list_begin(page->out, "activities");

	for (int i = 0; i < EP_N_ACTIVITIES; i++)
		ep_html_list_put_text(&list, ep_activity_words[i].title);
	ep_html_list_end(&list, ",\n");
}

/* ---- values of nodes ---- */

static void put_column(struct ep_html_page *page, uint32_t c, int64_t *sums)
{
	static const char *const kinds[] = { [EP_CELL_SAMPLES] = "samples",
		[EP_CELL_CPU] = "cpu",
		[EP_CELL_LATENCY] = "latency",
		[EP_CELL_WAITS] = "waits",
		[EP_CELL_EVENT] = "event",
		[EP_CELL_MEASURED] = "measured",
		[EP_CELL_ERROR] = "error" };
	const struct ep_column *column = &page->cells.columns[c];
	struct ep_html_list list;

	memset(sums, 0, page->n_shown * sizeof(*sums));
	for (uint32_t i = 0; i < page->walk.n_nodes; i++)
		sums[page->number[page->kept[i]]] += ep_cells_row(&page->cells, i)[c];
	fprintf(page->out, "{\"kind\":\"%s\",\"name\":", kinds[column->kind]);
	ep_json_put_text(page->out, column->name);
	fputs(",\"unit\":", page->out);
	ep_json_put_text(page->out, column->unit);
	fputc(',', page->out);
	list = ep_html_list_begin(page->out, "nodes");
	for (uint32_t i = 0; i < page->n_shown; i++)
		if (sums[i])
			ep_html_list_put_number(&list, i);
	ep_html_list_end(&list, ",");
	list = ep_html_list_begin(page->out, "values");
	for (uint32_t i = 0; i < page->n_shown; i++)
		if (sums[i])
			ep_html_list_put_whole(&list, sums[i]);
	ep_html_list_end(&list, "}");
}

static int put_columns(struct ep_html_page *page)
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

int ep_html_tree_choose(struct ep_html_page *page)
{
	return choose_nodes(page) || number_symbols(page) || find_activities(page) ? -ENOMEM : 0;
}

int ep_html_tree_put(struct ep_html_page *page)
{
	if (ep_html_loops_put(page))
		return -ENOMEM;
	put_nodes(page);
	put_symbols(page);
	put_modules(page);
	put_files(page);
	put_activities(page);
	return page->files.out_of_memory ? -ENOMEM : put_columns(page);
}
