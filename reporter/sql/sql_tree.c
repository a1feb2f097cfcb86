// SPDX-License-Identifier: BSD-3-Clause
/* Writes the whole call tree by procedure, the call paths by address that lead into it, and the files that contain
 * the addresses. */
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hex.h"
#include "reporter/export/tree_walk.h"
#include "reporter/facts/builder.h"
#include "reporter/sql/sql_private.h"

struct tree_rows {
	struct ep_sql *sql;
	const struct ep_sql_source *source;
	struct ep_tree_walk walk;
	struct node_sum {
		uint64_t n_samples, self_us, total_us;
		uint32_t depth;
		struct ep_sums sums;
	} * sums; /* (n_nodes) sums of each node */
};

/* ---- files ---- */

static void put_hex(struct ep_rows *rows, const uint8_t *bytes, uint32_t n)
{
	char text[2 * EP_BUILD_ID_MAX_BYTES + 1];

	ep_hex_format(text, bytes, n);
	ep_row_text(rows, text);
}

static void write_files(struct ep_sql *sql, const struct ep_trace *trace)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "files");

	for (uint32_t i = 0; i < trace->n_modules; i++) {
		const struct ep_module_info *module = &trace->modules[i];

		ep_row_count(&rows, i);
		ep_row_text(&rows, module->path);
		ep_row_some(&rows, module->path[0] ? 0 : module->pid);
		put_hex(&rows, module->build_id, module->build_id_size);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

/* ---- sums of each node ---- */

static int add_path(struct tree_rows *w, uint32_t path_idx)
{
	const struct ep_trace *trace = w->source->trace;
	const struct ep_path_cost *cost = &trace->costs[trace->paths[path_idx].cost_idx];
	struct node_sum *sum = &w->sums[w->walk.node_of_path[path_idx]];

	sum->n_samples += cost->cost.n_samples;
	sum->self_us += cost->cost.cpu_us;
	return ep_sums_add(&sum->sums, &cost->sums);
}

static int sum_up(struct tree_rows *w)
{
	const struct ep_trace *trace = w->source->trace;

	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (trace->paths[i].cost_idx != EP_NONE && add_path(w, i))
			return -ENOMEM;
	for (uint32_t i = 1; i < w->walk.n_nodes; i++)
		w->sums[i].depth = w->sums[w->walk.nodes[i].parent].depth + 1;
	for (uint32_t i = w->walk.n_nodes; i-- > 1;) {
		w->sums[i].total_us += w->sums[i].self_us;
		w->sums[w->walk.nodes[i].parent].total_us += w->sums[i].total_us;
	}
	return 0;
}

/* ---- rows ---- */

static void put_node(struct tree_rows *w, struct ep_rows *rows, uint32_t i)
{
	const struct ep_walk_node *node = &w->walk.nodes[i];
	const struct ep_symbol *symbol = ep_symbols_get(w->source->symbols, node->symbol_idx);

	ep_row_count(rows, i);
	ep_row_some(rows, node->parent);
	ep_row_count(rows, w->sums[i].depth - 1);
	ep_row_some(rows, node->symbol_idx < w->sql->n_symbols
				  ? w->sql->place_of_symbol[node->symbol_idx]
				  : 0);
	ep_row_text(rows, symbol->short_name);
	ep_row_count(rows, w->sums[i].n_samples);
	ep_row_count(rows, w->sums[i].self_us * ep_unit_ns(w->source->trace));
	ep_row_count(rows, w->sums[i].total_us * ep_unit_ns(w->source->trace));
	ep_row_null(rows);
	ep_row_end(rows);
}

static void put_counts(struct tree_rows *w, struct ep_rows *rows, uint32_t i)
{
	const struct ep_sums *sums = &w->sums[i].sums;

	for (uint32_t e = 0; e < sums->n_rows; e++) {
		if (sums->rows[e].measured == 0 && sums->rows[e].filled == 0)
			continue;
		ep_row_count(rows, i);
		ep_row_count(rows, e);
		ep_row_number(rows, sums->rows[e].measured);
		ep_row_number(rows, sums->rows[e].filled);
		ep_row_end(rows);
	}
}

static void write_nodes(struct tree_rows *w)
{
	struct ep_rows nodes = ep_rows_begin(&w->sql->db, "tree");
	struct ep_rows counts = ep_rows_begin(&w->sql->db, "tree_counts");

	for (uint32_t i = 1; i < w->walk.n_nodes; i++) {
		put_node(w, &nodes, i);
		put_counts(w, &counts, i);
	}
	ep_rows_finish(&nodes);
	ep_rows_finish(&counts);
}

static void put_path(struct tree_rows *w, struct ep_rows *rows, uint32_t i)
{
	const struct ep_trace *trace = w->source->trace;
	const struct ep_path *path = &trace->paths[i];
	const struct ep_cost none = { 0 };
	const struct ep_cost *cost =
		path->cost_idx == EP_NONE ? &none : &trace->costs[path->cost_idx].cost;

	ep_row_count(rows, i);
	if (path->parent_idx == EP_NONE)
		ep_row_null(rows);
	else
		ep_row_count(rows, path->parent_idx);
	ep_row_some(
		rows, w->walk.node_of_path[i] ? w->walk.node_of_path[i] : w->walk.call_of_path[i]);
	if (path->module_idx == EP_NONE)
		ep_row_null(rows);
	else
		ep_row_count(rows, path->module_idx);
	ep_row_signed(rows, (int64_t)path->address);
	ep_sql_put_loop_of_path(rows, w->source, i);
	ep_row_count(rows, cost->n_samples);
	ep_row_count(rows, cost->cpu_us * ep_unit_ns(trace));
	ep_row_end(rows);
}

static void write_paths(struct tree_rows *w)
{
	struct ep_rows rows = ep_rows_begin(&w->sql->db, "paths");

	for (uint32_t i = 0; i < w->source->trace->n_paths; i++)
		put_path(w, &rows, i);
	ep_rows_finish(&rows);
}

/* Writes the tree of callgrind, which keeps no call paths: each procedure has a row, followed by the procedures
 * that it called. */
static void write_exact(struct ep_sql *sql, const struct ep_report *report)
{
	struct ep_rows rows = ep_rows_begin(&sql->db, "tree");
	uint32_t caller = 0;

	for (uint32_t i = 0; i < report->n_calls; i++) {
		const struct ep_report_call *call = &report->calls[i];

		caller = call->depth ? caller : i + 1;
		ep_row_count(&rows, i + 1);
		ep_row_some(&rows, call->depth ? caller : 0);
		ep_row_count(&rows, call->depth);
		ep_row_null(&rows);
		ep_row_text(&rows, call->name);
		ep_row_count(&rows, 0);
		ep_row_count(&rows, call->self_ns);
		ep_row_count(&rows, call->total_ns);
		ep_row_some(&rows, call->n_calls);
		ep_row_end(&rows);
	}
	ep_rows_finish(&rows);
}

void ep_sql_write_tree(struct ep_sql *sql, const struct ep_sql_source *source)
{
	struct tree_rows w = { .sql = sql,
		.source = source,
		.walk = { .trace = source->trace,
			.symbols = source->symbols,
			.joins_recursion = true } };

	write_files(sql, source->trace);
	if (sql->db.rc)
		return;
	if (!ep_tree_walk_init(&w.walk))
		w.sums = calloc(w.walk.n_nodes, sizeof(*w.sums));
	if (!w.sums || sum_up(&w)) {
		ep_db_fail_memory(&sql->db);
	} else {
		if (source->trace->exact)
			write_exact(sql, source->report);
		else
			write_nodes(&w);
		write_paths(&w);
	}
	for (uint32_t i = 0; w.sums && i < w.walk.n_nodes; i++)
		ep_sums_finish(&w.sums[i].sums);
	free(w.sums);
	ep_tree_walk_finish(&w.walk);
}
