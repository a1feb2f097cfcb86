// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes speedscope's file (github.com/jlfwong/speedscope, src/lib/file-format-spec.ts): a sampled profile for each
 * column of the export except standard errors, such as CPU time, samples and each event. All of this runs on one
 * thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/export/cells.h"
#include "reporter/export/export.h"
#include "reporter/export/json_out.h"
#include "reporter/export/tree_walk.h"

struct speedscope {
	FILE *out;
	const struct ep_export *export;
	struct ep_tree_walk walk;
	struct ep_cells cells;
	/* (n_symbols) index of the symbol's frame plus one; 0: the symbol is in no stack */
	uint32_t *frame_of_symbol;
	uint32_t *nodes; /* (n_nodes) nodes of one stack, innermost first */
};

static void put_frames(struct speedscope *s)
{
	uint32_t n_frames = 0;

	for (uint32_t i = 1; i < s->walk.n_nodes; i++) {
		uint32_t symbol_idx = s->walk.nodes[i].symbol_idx;
		const struct ep_symbol *symbol = ep_symbols_get(s->walk.symbols, symbol_idx);

		if (s->frame_of_symbol[symbol_idx])
			continue;
		fputs(n_frames ? ",\n{\"name\":" : "{\"name\":", s->out);
		ep_json_put_text(s->out, symbol->name);
		if (symbol->file) {
			fputs(",\"file\":", s->out);
			ep_json_put_text(s->out, symbol->file);
		}
		if (symbol->line)
			fprintf(s->out, ",\"line\":%" PRIu32, symbol->line);
		fputc('}', s->out);
		s->frame_of_symbol[symbol_idx] = ++n_frames;
	}
}

static void put_stack(struct speedscope *s, uint32_t node_idx)
{
	uint32_t n = 0;

	for (uint32_t at = node_idx; at; at = s->walk.nodes[at].parent)
		s->nodes[n++] = at;
	fputc('[', s->out);
	for (uint32_t i = n; i-- > 0;)
		fprintf(s->out, "%" PRIu32 "%s",
			s->frame_of_symbol[s->walk.nodes[s->nodes[i]].symbol_idx] - 1,
			i ? "," : "");
	fputc(']', s->out);
}

/* Returns a node's weight. An estimate below zero becomes 0, since a viewer cannot draw a negative width. */
static int64_t weight_of(const struct speedscope *s, uint32_t node_idx, uint32_t column)
{
	int64_t value = ep_cells_row(&s->cells, node_idx)[column];

	return value > 0 ? value : 0;
}

static const char *unit_of(const struct ep_column *column)
{
	return column->kind == EP_CELL_CPU || !strcmp(column->unit, "ns") ? "nanoseconds" : "none";
}

static void put_profile(struct speedscope *s, uint32_t column)
{
	const char *between = "";
	int64_t sum = 0;

	fputs("{\"type\":\"sampled\",\"name\":", s->out);
	ep_json_put_text(s->out, s->cells.columns[column].name);
	fprintf(s->out, ",\"unit\":\"%s\",\"samples\":[", unit_of(&s->cells.columns[column]));
	for (uint32_t i = 1; i < s->walk.n_nodes; i++) {
		if (!weight_of(s, i, column))
			continue;
		fputs(between, s->out);
		put_stack(s, i);
		between = ",\n";
	}
	fputs("],\"weights\":[", s->out);
	between = "";
	for (uint32_t i = 1; i < s->walk.n_nodes; i++) {
		int64_t weight = weight_of(s, i, column);

		if (!weight)
			continue;
		fprintf(s->out, "%s%" PRId64, between, weight);
		sum += weight;
		between = ",";
	}
	fprintf(s->out, "],\"startValue\":0,\"endValue\":%" PRId64 "}", sum);
}

/* Writes the profiles. CPU time comes first, since speedscope opens the first profile. Columns of standard errors have
 * no profile, since a flame graph of errors has no meaning. */
static void put_profiles(struct speedscope *s)
{
	uint32_t cpu = ep_cells_find(&s->cells, "cpu");

	put_profile(s, cpu);
	for (uint32_t c = 0; c < s->cells.n_columns; c++) {
		if (c == cpu || s->cells.columns[c].kind == EP_CELL_ERROR)
			continue;
		fputs(",\n", s->out);
		put_profile(s, c);
	}
}

static void put_all(struct speedscope *s)
{
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"evprof " EVPROF_VERSION
	      "\",\"name\":",
		s->out);
	ep_json_put_text(s->out, s->export->report->command);
	fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[\n", s->out);
	put_frames(s);
	fputs("]},\n\"profiles\":[\n", s->out);
	put_profiles(s);
	fputs("]}\n", s->out);
}

static int prepare(struct speedscope *s)
{
	struct ep_cells_source source = { .trace = s->export->trace,
		.symbols = s->export->symbols,
		.report = s->export->report };

	if (ep_tree_walk_init(&s->walk))
		return -ENOMEM;
	source.row_of_path = s->walk.node_of_path;
	source.n_rows = s->walk.n_nodes;
	s->nodes = calloc(s->walk.n_nodes, sizeof(*s->nodes));
	s->frame_of_symbol =
		calloc(ep_symbols_count(s->walk.symbols) + 1, sizeof(*s->frame_of_symbol));
	if (!s->nodes || !s->frame_of_symbol)
		return -ENOMEM;
	return ep_cells_init(&s->cells, &source);
}

static int write_speedscope(FILE *out, const struct ep_export *export, struct ep_error *err)
{
	struct speedscope s = { .out = out,
		.export = export,
		.walk = { .trace = export->trace, .symbols = export->symbols } };
	int rc = prepare(&s);

	if (!rc)
		put_all(&s);
	free(s.nodes);
	free(s.frame_of_symbol);
	ep_cells_finish(&s.cells);
	ep_tree_walk_finish(&s.walk);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

const struct ep_export_format ep_export_speedscope = { .name = "speedscope",
	.write = write_speedscope };
