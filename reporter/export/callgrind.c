// SPDX-License-Identifier: BSD-3-Clause
/* Writes callgrind's format (valgrind's manual, "Callgrind Format Specification"), for KCachegrind and
 * callgrind_annotate. The file is a graph of procedures: each line of code has its own costs, and the costs of the
 * procedures that the line calls. The format cannot express whole call paths. The number of calls is not known. Each
 * call is written with the count 1, since callgrind_annotate would take the costs of 0 calls for the caller's own. All
 * of this runs on one thread. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/export/cells.h"
#include "reporter/export/export.h"
#include "reporter/export/text_ids.h"
#include "reporter/export/tree_walk.h"
#include "reporter/text/utf8.h"

/* The costs of a source line of a procedure: its own costs if callee_idx is EP_NONE, else those of the calls of
 * callee_idx in that line. */
struct cost_line {
	uint32_t symbol_idx, callee_idx;
	const char *file; /* NULL: not known */
	uint32_t line, costs_idx;
};

struct callgrind {
	FILE *out;
	const struct ep_export *export;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	uint32_t *columns; /* (n_columns) columns of cells that are written as events */
	uint32_t n_columns;
	int64_t *totals;  /* (n_columns) sum of each event */
	uint32_t *met_at; /* (n_symbols) the node whose cost was last added in the procedure */
	struct cost_line *lines;
	uint32_t n_lines, capacity;
	struct ep_index line_index;
	int64_t *costs; /* (n_lines, n_columns) costs of each line, by costs_idx */
	uint32_t costs_capacity;
	struct ep_text_ids files, objects;
	bool *is_named; /* (n_symbols) whether the symbol's name was written */
	uint32_t n_files_named, n_objects_named;
};

/* ---- gathering ---- */

/* Chooses the columns. Errors are left out, since the errors of callees cannot be added up. */
static int choose_columns(struct callgrind *c)
{
	uint32_t cpu = ep_cells_find(&c->cells, "cpu");

	c->columns = calloc(c->cells.n_columns, sizeof(*c->columns));
	if (!c->columns)
		return -ENOMEM;
	c->columns[c->n_columns++] = cpu;
	for (uint32_t i = 0; i < c->cells.n_columns; i++)
		if (i != cpu && c->cells.columns[i].kind != EP_CELL_ERROR)
			c->columns[c->n_columns++] = i;
	return 0;
}

/* Returns a node's own cost. An estimate below zero becomes 0, since callgrind's costs are not negative. */
static int64_t self_cost(const struct callgrind *c, uint32_t node, uint32_t column)
{
	int64_t value = ep_cells_row(&c->cells, node)[c->columns[column]];

	return value > 0 ? value : 0;
}

static bool same_line(const void *owner, uint32_t idx, const void *key)
{
	const struct cost_line *a = &((const struct callgrind *)owner)->lines[idx], *b = key;

	return a->symbol_idx == b->symbol_idx && a->callee_idx == b->callee_idx &&
	       a->file == b->file && a->line == b->line;
}

static int reserve_costs(struct callgrind *c)
{
	size_t row_bytes = c->n_columns * sizeof(*c->costs);

	return ep_array_reserve((void **)&c->costs, c->n_lines, &c->costs_capacity, row_bytes);
}

/* Returns the costs (n_columns) of a line, zeros for a new line; NULL: there is no memory. */
static int64_t *costs_of(struct callgrind *c, const struct cost_line *line)
{
	uint64_t hash = ep_hash_mix(ep_hash_mix(line->symbol_idx, line->callee_idx),
		ep_hash_mix((uintptr_t)line->file, line->line));
	uint32_t idx = ep_index_find(&c->line_index, hash, same_line, c, line);

	if (idx == EP_NONE) {
		if (EP_ARRAY_RESERVE(c->lines, c->n_lines, c->capacity) || reserve_costs(c) ||
			ep_index_add(&c->line_index, hash, c->n_lines))
			return NULL;
		idx = c->n_lines++;
		c->lines[idx] = *line;
		c->lines[idx].costs_idx = idx;
		memset(c->costs + (size_t)idx * c->n_columns, 0, c->n_columns * sizeof(*c->costs));
	}
	return c->costs + (size_t)idx * c->n_columns;
}

static int add(struct callgrind *c, const struct cost_line *line, uint32_t cost_node)
{
	int64_t *costs = costs_of(c, line);

	for (uint32_t k = 0; costs && k < c->n_columns; k++)
		costs[k] += self_cost(c, cost_node, k);
	return costs ? 0 : -ENOMEM;
}

/* Adds a node's own cost to its line, and to the call in each procedure on its path. In a recursion the cost is added
 * in the innermost activation alone, so that a procedure's own cost and its calls add up to what the report calls its
 * total. */
static int add_node(struct callgrind *c, uint32_t cost_node)
{
	uint32_t callee = EP_NONE;

	for (uint32_t at = cost_node; at; at = c->walk.nodes[at].parent) {
		const struct ep_walk_node *node = &c->walk.nodes[at];
		struct cost_line line = { node->symbol_idx, callee, node->file, node->line, 0 };

		callee = node->symbol_idx;
		if (c->met_at[node->symbol_idx] == cost_node)
			continue;
		c->met_at[node->symbol_idx] = cost_node;
		if (add(c, &line, cost_node))
			return -ENOMEM;
	}
	for (uint32_t k = 0; k < c->n_columns; k++)
		c->totals[k] += self_cost(c, cost_node, k);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct cost_line *x = a, *y = b;
	int files;

	if (x->symbol_idx != y->symbol_idx)
		return x->symbol_idx < y->symbol_idx ? -1 : 1;
	files = strcmp(x->file ? x->file : "", y->file ? y->file : "");
	if (files)
		return files;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	/* own cost comes first: its callee_idx is EP_NONE, the largest number, and EP_NONE + 1 wraps to 0 */
	return x->callee_idx + 1 < y->callee_idx + 1 ? -1 : x->callee_idx != y->callee_idx;
}

static int gather(struct callgrind *c)
{
	for (uint32_t i = 1; i < c->walk.n_nodes; i++)
		if (!ep_cells_row_is_empty(&c->cells, i) && add_node(c, i))
			return -ENOMEM;
	if (c->n_lines)
		qsort(c->lines, c->n_lines, sizeof(*c->lines), by_place);
	return 0;
}

/* ---- printing ---- */

static void put_text(FILE *out, const char *text)
{
	EP_AUTOFREE char *copy = ep_utf8_copy(text);

	fputs(copy ? copy : "", out);
}

/* Prints "(ID) NAME" at a name's first use, and "(ID)" later. */
static void put_compressed(FILE *out, struct ep_text_ids *ids, uint32_t *n_named, const char *name)
{
	uint32_t id = ep_text_ids_add(ids, name && *name ? name : "???");

	fprintf(out, "(%" PRIu32 ")", id);
	if (id <= *n_named)
		return;
	*n_named = id;
	fprintf(out, " %s", ids->names.texts[id]);
}

static const char *module_of(const struct callgrind *c, const struct ep_symbol *symbol)
{
	return symbol->module_idx == EP_NONE ? ""
					     : c->export->trace->modules[symbol->module_idx].path;
}

static void put_file(struct callgrind *c, const char *key, const char *file)
{
	fprintf(c->out, "%s=", key);
	put_compressed(c->out, &c->files, &c->n_files_named, file);
	fputc('\n', c->out);
}

/* Starts the block of a function. keys are callgrind's keywords for object, file and function. */
static void put_function(struct callgrind *c, uint32_t symbol_idx, const char *const keys[3])
{
	const struct ep_symbol *symbol = ep_symbols_get(c->walk.symbols, symbol_idx);

	fprintf(c->out, "%s=", keys[0]);
	put_compressed(c->out, &c->objects, &c->n_objects_named, module_of(c, symbol));
	fputc('\n', c->out);
	put_file(c, keys[1], symbol->file);
	fprintf(c->out, "%s=(%" PRIu32 ")", keys[2], symbol_idx + 1);
	if (!c->is_named[symbol_idx]) {
		fputc(' ', c->out);
		put_text(c->out, symbol->name);
	}
	c->is_named[symbol_idx] = true;
	fputc('\n', c->out);
}

static void put_costs(struct callgrind *c, const struct cost_line *line)
{
	const int64_t *costs = c->costs + (size_t)line->costs_idx * c->n_columns;

	fprintf(c->out, "%" PRIu32, line->line);
	for (uint32_t k = 0; k < c->n_columns; k++)
		fprintf(c->out, " %" PRId64, costs[k]);
	fputc('\n', c->out);
}

static void put_line(struct callgrind *c, const struct cost_line *line)
{
	static const char *const keys[] = { "cob", "cfi", "cfn" };
	const char *own_file = ep_symbols_get(c->walk.symbols, line->symbol_idx)->file;

	if (line->file && line->file != own_file)
		put_file(c, "fi", line->file);
	if (line->callee_idx != EP_NONE) {
		put_function(c, line->callee_idx, keys);
		fprintf(c->out, "calls=1 %" PRIu32 "\n",
			ep_symbols_get(c->walk.symbols, line->callee_idx)->line);
	}
	put_costs(c, line);
	if (line->file && line->file != own_file)
		put_file(c, "fe", own_file);
}

static void put_lines(struct callgrind *c)
{
	static const char *const keys[] = { "ob", "fl", "fn" };

	for (uint32_t i = 0; i < c->n_lines; i++) {
		uint32_t symbol_idx = c->lines[i].symbol_idx;

		if (!i || c->lines[i - 1].symbol_idx != symbol_idx) {
			fputc('\n', c->out);
			put_function(c, symbol_idx, keys);
		}
		put_line(c, &c->lines[i]);
	}
}

/* Prints the event's name. KCachegrind's formulas allow letters, digits and underscores only. Other characters become
 * underscores; the number k is then appended, since two names may have become equal. */
static void put_event_name(const struct callgrind *c, uint32_t k)
{
	const char *name = c->cells.columns[c->columns[k]].name;
	uint32_t n_odd = 0;

	for (; *name; name++) {
		bool is_plain = (*name >= '0' && *name <= '9') || (*name >= 'A' && *name <= 'Z') ||
				(*name >= 'a' && *name <= 'z') || *name == '_';

		fputc(is_plain ? *name : '_', c->out);
		n_odd += !is_plain;
	}
	if (n_odd)
		fprintf(c->out, "_%" PRIu32, k);
}

static void put_header(struct callgrind *c)
{
	fputs("# callgrind format\nversion: 1\ncreator: evprof " EVPROF_VERSION "\ncmd: ", c->out);
	put_text(c->out, c->export->report->command);
	fputs("\npositions: line\n", c->out);
	for (uint32_t k = 0; k < c->n_columns; k++) {
		const struct ep_column *column = &c->cells.columns[c->columns[k]];

		fputs("event: ", c->out);
		put_event_name(c, k);
		fputs(" : ", c->out);
		put_text(c->out, column->name);
		fprintf(c->out, " (%s)\n", column->unit);
	}
	fputs("events:", c->out);
	for (uint32_t k = 0; k < c->n_columns; k++) {
		fputc(' ', c->out);
		put_event_name(c, k);
	}
	fputs("\nsummary:", c->out);
	for (uint32_t k = 0; k < c->n_columns; k++)
		fprintf(c->out, " %" PRId64, c->totals[k]);
	fputs("\n", c->out);
}

/* ---- the file ---- */

static int prepare(struct callgrind *c)
{
	struct ep_cells_source source = { .trace = c->export->trace,
		.symbols = c->export->symbols,
		.report = c->export->report };

	if (ep_tree_walk_init(&c->walk))
		return -ENOMEM;
	source.row_of_path = c->walk.node_of_path;
	source.n_rows = c->walk.n_nodes;
	c->is_named = calloc(ep_symbols_count(c->walk.symbols) + 1, sizeof(*c->is_named));
	if (!c->is_named || ep_cells_init(&c->cells, &source))
		return -ENOMEM;
	c->totals = calloc(c->cells.n_columns, sizeof(*c->totals));
	c->met_at = calloc(ep_symbols_count(c->walk.symbols) + 1, sizeof(*c->met_at));
	if (!c->totals || !c->met_at || choose_columns(c))
		return -ENOMEM;
	return gather(c);
}

static int write_callgrind(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct callgrind c = { .out = out,
		.export = export,
		.walk = { .trace = export->trace, .symbols = export->symbols, .by_line = true } };
	int rc = prepare(&c);

	if (!rc) {
		put_header(&c);
		put_lines(&c);
		rc = c.files.out_of_memory || c.objects.out_of_memory ? -ENOMEM : 0;
	}
	free(c.columns);
	free(c.totals);
	free(c.met_at);
	free(c.lines);
	free(c.costs);
	free(c.is_named);
	ep_index_finish(&c.line_index);
	ep_text_ids_finish(&c.files);
	ep_text_ids_finish(&c.objects);
	ep_cells_finish(&c.cells);
	ep_tree_walk_finish(&c.walk);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

const struct ep_export_format ep_export_callgrind = { .name = "callgrind",
	.write = write_callgrind };
