// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/tree_walk.h"
#include "reporter/facts/builder.h"
#include "reporter/page/compare_private.h"
#include "reporter/page/html_private.h"

/* A page with more nodes is slow. */
#define MOST_COMPARED_NODES 20000
#define LEAST_COMPARED_SHARE 1e-4

/* ---- one tree of all runs ---- */

static bool same_call(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_compared_node *a = &((const struct ep_compared_tree *)owner)->nodes[idx];
	const struct ep_compared_node *b = key;

	return a->parent == b->parent && a->name == b->name && a->module == b->module;
}

static int find_or_add(
	struct ep_compared_tree *tree, const struct ep_compared_node *node, uint32_t *out)
{
	uint64_t hash = ep_hash_mix(ep_hash_mix(node->parent, node->name), node->module);

	*out = ep_index_find(&tree->index, hash, same_call, tree, node);
	if (*out != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(tree->nodes, tree->n_nodes, tree->node_capacity) ||
		ep_array_reserve((void **)&tree->selves, tree->n_nodes, &tree->self_capacity,
			tree->n_runs * sizeof(*tree->selves)) ||
		ep_index_add(&tree->index, hash, tree->n_nodes))
		return -ENOMEM;
	*out = tree->n_nodes++;
	tree->nodes[*out] = *node;
	memset(tree->selves + (size_t)*out * tree->n_runs, 0, tree->n_runs * sizeof(*tree->selves));
	return 0;
}

/* Describes a procedure by its name and by the last part of its library's path, so that two builds of a program have
 * the same description. */
static struct ep_compared_node describe(
	struct ep_compared_tree *tree, const struct ep_compared_trace *run, uint32_t symbol_idx)
{
	const struct ep_symbol *symbol = ep_symbols_get(run->symbols, symbol_idx);
	const char *module = symbol->module_idx < run->trace->n_modules
				     ? ep_base_name(run->trace->modules[symbol->module_idx].path)
				     : "";

	return (struct ep_compared_node){ .name = ep_text_ids_add(&tree->texts, symbol->short_name),
		.module = ep_text_ids_add(&tree->texts, module) };
}

static int add_nodes(struct ep_compared_tree *tree, const struct ep_compared_trace *run,
	const struct ep_tree_walk *walk, uint32_t *numbers)
{
	struct ep_compared_node root = { EP_NONE, 0, 0 };

	if (find_or_add(tree, &root, &numbers[0]))
		return -ENOMEM;
	for (uint32_t i = 1; i < walk->n_nodes; i++) {
		struct ep_compared_node node = describe(tree, run, walk->nodes[i].symbol_idx);

		node.parent = numbers[walk->nodes[i].parent];
		if (tree->texts.out_of_memory || find_or_add(tree, &node, &numbers[i]))
			return -ENOMEM;
	}
	return 0;
}

static void add_time(struct ep_compared_time *into, const struct ep_compared_time *time)
{
	into->ns += time->ns;
	into->squares_ns2 += time->squares_ns2;
}

static struct ep_compared_time time_of(
	const struct ep_trace *trace, const struct ep_path_cost *cost)
{
	double unit_ns = (double)ep_unit_ns(trace);

	return (struct ep_compared_time){ (double)cost->cost.cpu_us * unit_ns,
		cost->squares * unit_ns * unit_ns };
}

int ep_compared_tree_add(
	struct ep_compared_tree *tree, const struct ep_compared_trace *run, uint32_t run_idx)
{
	__attribute__((cleanup(ep_tree_walk_finish))) struct ep_tree_walk walk = {
		.trace = run->trace, .symbols = run->symbols
	};
	EP_AUTOFREE uint32_t *numbers = NULL;

	if (!tree->texts.names.n_names)
		ep_text_ids_add(&tree->texts, "");
	if (ep_tree_walk_init(&walk))
		return -ENOMEM;
	numbers = calloc(walk.n_nodes + 1, sizeof(*numbers));
	if (!numbers || add_nodes(tree, run, &walk, numbers))
		return -ENOMEM;
	for (uint32_t i = 0; i < run->trace->n_paths; i++) {
		uint32_t cost_idx = run->trace->paths[i].cost_idx;
		struct ep_compared_time time;

		if (cost_idx == EP_NONE)
			continue;
		time = time_of(run->trace, &run->trace->costs[cost_idx]);
		add_time(&tree->selves[(size_t)numbers[walk.node_of_path[i]] * tree->n_runs +
				       run_idx],
			&time);
	}
	return 0;
}

void ep_compared_tree_finish(struct ep_compared_tree *tree)
{
	free(tree->nodes);
	free(tree->selves);
	ep_index_finish(&tree->index);
	ep_text_ids_finish(&tree->texts);
	*tree = (struct ep_compared_tree){ 0 };
}

/* ---- the calls that are shown ---- */

struct shown_tree {
	const struct ep_compared_tree *tree;
	const struct ep_compare_page_source *source;
	double *totals_ns; /* (n_nodes, n_runs) */
	struct ep_compared_time
		*selves;  /* (n_nodes, n_runs) with the time of calls that are not shown */
	uint32_t *kept;   /* (n_nodes) the node itself, or the nearest caller that is shown */
	uint32_t *number; /* (n_nodes) the node's number on the page */
};

static void sum_totals(struct shown_tree *shown)
{
	const struct ep_compared_tree *tree = shown->tree;

	for (size_t i = 0; i < (size_t)tree->n_nodes * tree->n_runs; i++)
		shown->totals_ns[i] = tree->selves[i].ns;
	for (uint32_t i = tree->n_nodes; i-- > 1;)
		for (uint32_t r = 0; r < tree->n_runs; r++)
			shown->totals_ns[(size_t)tree->nodes[i].parent * tree->n_runs + r] +=
				shown->totals_ns[(size_t)i * tree->n_runs + r];
}

/* Returns the call's largest share among the runs. */
static double largest_share(const struct shown_tree *shown, uint32_t node)
{
	uint32_t n = shown->tree->n_runs;
	double most = 0;

	for (uint32_t r = 0; r < n; r++)
		if (shown->totals_ns[r] > 0)
			most = fmax(
				most, shown->totals_ns[(size_t)node * n + r] / shown->totals_ns[r]);
	return most;
}

static uint32_t count_shares_above(const struct shown_tree *shown, double least)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < shown->tree->n_nodes; i++)
		n += largest_share(shown, i) >= least;
	return n;
}

/* Adds the time of small calls to their callers, until few enough calls are left. Returns the least share of a call
 * that is shown, or 0 if all are shown. */
static double fold(struct shown_tree *shown)
{
	const struct ep_compared_tree *tree = shown->tree;
	double least = 0;
	uint32_t n_kept = 0;

	while (count_shares_above(shown, least) > MOST_COMPARED_NODES)
		least = least > 0 ? 2 * least : LEAST_COMPARED_SHARE;
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		bool is_kept = !i || largest_share(shown, i) >= least;

		shown->kept[i] = is_kept ? i : shown->kept[tree->nodes[i].parent];
		if (is_kept)
			shown->number[i] = n_kept++;
		for (uint32_t r = 0; r < tree->n_runs; r++)
			add_time(&shown->selves[(size_t)shown->kept[i] * tree->n_runs + r],
				&tree->selves[(size_t)i * tree->n_runs + r]);
	}
	return least;
}

static void put_run(FILE *out, const struct shown_tree *shown, uint32_t run_idx)
{
	const struct ep_compared_trace *run = &shown->source->runs[run_idx];
	const struct ep_compared_time *selves = shown->selves + run_idx;
	double unit_ns = (double)ep_unit_ns(run->trace);
	struct ep_html_list list;

	fprintf(out, "{\"sampled_ns\":%" PRIu64 ",\"squares_ns2\":%.7g,", run->report->sampled_ns,
		ep_drawn_squares(run->trace, run->report) * unit_ns * unit_ns);
	list = ep_html_list_begin(out, "self_ns");
	for (uint32_t i = 0; i < shown->tree->n_nodes; i++)
		if (shown->kept[i] == i)
			ep_html_list_put_whole(
				&list, (int64_t)selves[(size_t)i * shown->tree->n_runs].ns);
	ep_html_list_end(&list, ",\n");
	list = ep_html_list_begin(out, "self_squares_ns2");
	for (uint32_t i = 0; i < shown->tree->n_nodes; i++)
		if (shown->kept[i] == i)
			ep_html_list_put_number(
				&list, selves[(size_t)i * shown->tree->n_runs].squares_ns2);
	ep_html_list_end(&list, "}");
}

/* Writes times and their sums of squares instead of errors. The page itself joins calls of one procedure in its graph
 * of callers, and the error of such a sum does not follow from the errors of its parts. */
static void put_runs(FILE *out, const struct shown_tree *shown)
{
	const struct ep_comparison *first = shown->source->tables[0];

	fprintf(out, "\"n_before\":%u,\"run_factor\":%.17g,\"runs\":[", first->n_before,
		first->run_factor);
	for (uint32_t r = 0; r < shown->tree->n_runs; r++) {
		if (r)
			fputs(",\n", out);
		put_run(out, shown, r);
	}
	fputs("],\n", out);
}

static uint32_t field_of(const struct shown_tree *shown, uint32_t node, uint32_t field)
{
	const struct ep_compared_node *row = &shown->tree->nodes[node];

	if (field == 0)
		return node ? shown->number[row->parent] : 0;
	return field == 1 ? row->name : row->module;
}

static void put_tree(FILE *out, struct shown_tree *shown)
{
	static const char *const names[] = { "parent", "name", "module" };
	struct ep_html_list list;
	double least = fold(shown);

	fprintf(out, "\"tree\":{\"least_share\":%.6g,", least);
	for (uint32_t field = 0; field < EP_ARRAY_SIZE(names); field++) {
		list = ep_html_list_begin(out, names[field]);
		for (uint32_t i = 0; i < shown->tree->n_nodes; i++)
			if (shown->kept[i] == i)
				ep_html_list_put_number(&list, field_of(shown, i, field));
		ep_html_list_end(&list, ",\n");
	}
	put_runs(out, shown);
	list = ep_html_list_begin(out, "texts");
	for (uint32_t i = 0; i < shown->tree->texts.names.n_names; i++)
		ep_html_list_put_text(&list, shown->tree->texts.names.texts[i]);
	ep_html_list_end(&list, "}");
}

int ep_compared_tree_put(
	FILE *out, const struct ep_compared_tree *tree, const struct ep_compare_page_source *source)
{
	size_t n = (size_t)tree->n_nodes * tree->n_runs + 1;
	EP_AUTOFREE double *totals_ns = calloc(n, sizeof(*totals_ns));
	EP_AUTOFREE struct ep_compared_time *selves = calloc(n, sizeof(*selves));
	EP_AUTOFREE uint32_t *kept = calloc(tree->n_nodes + 1, sizeof(*kept));
	EP_AUTOFREE uint32_t *number = calloc(tree->n_nodes + 1, sizeof(*number));
	struct shown_tree shown = { tree, source, totals_ns, selves, kept, number };

	if (!totals_ns || !selves || !kept || !number)
		return -ENOMEM;
	sum_totals(&shown);
	put_tree(out, &shown);
	return 0;
}
