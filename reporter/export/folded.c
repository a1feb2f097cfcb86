// SPDX-License-Identifier: BSD-3-Clause
/* Writes folded stacks, one per line: OUTERMOST;...;INNERMOST NUMBER, as flamegraph.pl, speedscope, Perfetto, Firefox
 * and Pyroscope read them. A semicolon separates frames; therefore a semicolon in a name becomes a colon. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/export/cells.h"
#include "reporter/export/export.h"
#include "reporter/export/tree_walk.h"
#include "reporter/text/utf8.h"

#define NS_PER_US 1000

struct folded {
	FILE *out;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	uint32_t column;
	uint32_t *nodes; /* (n_nodes) nodes of one line, innermost first */
};

/* Writes a name. Writes a blank before a '#' that would begin a line, since Perfetto takes such a line for a
 * comment. */
static void put_name(FILE *out, const char *name, bool is_first)
{
	if (is_first && *name == '#')
		fputc(' ', out);
	for (; *name; name++) {
		size_t size = ep_utf8_size(name);

		if (size == 0)
			fputs(EP_UTF8_UNKNOWN, out);
		else
			fwrite(*name == ';' ? ":" : name, size, 1, out);
		name += size > 1 ? size - 1 : 0;
	}
}

static void put_stack(struct folded *f, uint32_t node_idx)
{
	uint32_t n = 0;

	for (uint32_t at = node_idx; at; at = f->walk.nodes[at].parent)
		f->nodes[n++] = at;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t symbol_idx = f->walk.nodes[f->nodes[i]].symbol_idx;

		put_name(f->out, ep_symbols_get(f->walk.symbols, symbol_idx)->name, i == n - 1);
		fputc(i ? ';' : ' ', f->out);
	}
}

/* Writes CPU time in microseconds, and other columns in their own units. Lines whose number is 0 or less are left out,
 * since readers take positive numbers only. */
static void put_lines(struct folded *f)
{
	int64_t unit = f->cells.columns[f->column].kind == EP_CELL_CPU ? NS_PER_US : 1;

	for (uint32_t i = 1; i < f->walk.n_nodes; i++) {
		int64_t value = ep_cells_row(&f->cells, i)[f->column] / unit;

		if (value <= 0)
			continue;
		put_stack(f, i);
		fprintf(f->out, "%lld\n", (long long)value);
	}
}

static int refuse_value(
	const struct ep_export *export, const struct ep_cells *cells, struct ep_error *err)
{
	EP_AUTOFREE char *names = NULL;
	size_t size;
	FILE *list = open_memstream(&names, &size);

	for (uint32_t c = 0; list && c < cells->n_columns; c++)
		fprintf(list, "%s%s", c ? ", " : "", cells->columns[c].name);
	if (!list || fclose(list))
		return ep_fail(err, -ENOMEM, "out of memory");
	return ep_fail(
		err, -ENOENT, "the trace has no value '%s'; it has: %s", export->value, names);
}

static int prepare(struct folded *f, const struct ep_export *export)
{
	struct ep_cells_source source = {
		.trace = export->trace, .symbols = export->symbols, .report = export->report
	};

	if (ep_tree_walk_init(&f->walk))
		return -ENOMEM;
	source.row_of_path = f->walk.node_of_path;
	source.n_rows = f->walk.n_nodes;
	f->nodes = calloc(f->walk.n_nodes, sizeof(*f->nodes));
	return f->nodes ? ep_cells_init(&f->cells, &source) : -ENOMEM;
}

static int write_folded(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct folded f = { .out = out,
		.walk = { .trace = export->trace, .symbols = export->symbols } };
	int rc = prepare(&f, export);

	if (rc)
		ep_fail(err, rc, "out of memory");
	else
		f.column = ep_cells_find(&f.cells, export->value ? export->value : "cpu");
	if (!rc && f.column == EP_NONE)
		rc = refuse_value(export, &f.cells, err);
	if (!rc)
		put_lines(&f);
	free(f.nodes);
	ep_cells_finish(&f.cells);
	ep_tree_walk_finish(&f.walk);
	return rc;
}

const struct ep_export_format ep_export_folded = {
	.name = "folded", .has_value = true, .write = write_folded
};
