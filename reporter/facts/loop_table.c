// SPDX-License-Identifier: BSD-3-Clause
/* Builds the table of loops, which also has a row for the code of each procedure outside of loops. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reporter/facts/builder.h"

/* The most loops of a nest that are named. Of a deeper nest the innermost ones are named. */
#define MOST_OF_NEST 5

/* Appends a loop's line, "212", preceded by the file's name unless the loop around it is in the same file. */
static void put_line(
	char *out, size_t size, const struct ep_loop_place *loop, const char *file_around)
{
	size_t n = strlen(out);

	if (!loop->file)
		snprintf(out + n, size - n, "0x%" PRIx64, loop->head);
	else if (file_around == loop->file)
		snprintf(out + n, size - n, "%u", loop->line);
	else
		snprintf(out + n, size - n, "%.60s:%u", ep_base_name(loop->file), loop->line);
}

/* Returns the lines of a nest of loops: "fem.c:208 > 212". */
static const char *describe_nest(struct ep_builder *builder, uint32_t loop_idx)
{
	const struct ep_loop_place *nest[MOST_OF_NEST];
	char text[512] = "";
	uint32_t n = 0;

	for (; loop_idx != EP_NONE && n < MOST_OF_NEST; n++) {
		nest[n] = ep_symbols_loop_get(builder->symbols, loop_idx);
		loop_idx = nest[n]->parent_idx;
	}
	for (uint32_t i = n; i-- > 0;) {
		put_line(text, sizeof(text), nest[i], i + 1 < n ? nest[i + 1]->file : NULL);
		if (i)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " > ");
	}
	return ep_builder_text(builder, "%s", text);
}

static const char *describe_owner(struct ep_builder *builder, const struct ep_loop_place *loop)
{
	const char *own = ep_symbols_get(builder->symbols, loop->symbol_idx)->short_name;

	if (loop->caller_idx == EP_NONE)
		return own;
	return ep_builder_text(builder, "%s, inlined in %s", own,
		ep_symbols_get(builder->symbols, loop->caller_idx)->short_name);
}

static void set_loop(struct ep_builder *builder, uint32_t loop_idx, struct ep_report_row *row)
{
	const struct ep_loop_place *loop = ep_symbols_loop_get(builder->symbols, loop_idx);

	ep_row_set_symbol(builder, loop->symbol_idx, row);
	row->name = loop->name;
	row->short_name = describe_owner(builder, loop);
	row->is_inlined = false; /* the loop's name already says "inlined" */
	row->file = row->hot_file = loop->file;
	row->line = row->hot_line = loop->line;
	row->nest = describe_nest(builder, loop_idx);
	row->depth = loop->depth;
	row->loop_idx = loop_idx;
	if (loop->parent_idx != EP_NONE)
		row->around = ep_symbols_loop_get(builder->symbols, loop->parent_idx)->name;
}

/* Tells whether all instructions of the procedure that have samples were searched for loops. */
static bool is_searched(const struct ep_builder *builder, const struct ep_report_row *row)
{
	return ep_report_row_is_place(row) &&
	       !ep_symbols_get(builder->symbols, row->symbol_idx)->is_unsearched;
}

static void set_rest(struct ep_builder *builder, uint32_t symbol_idx, struct ep_report_row *row)
{
	ep_row_set_symbol(builder, symbol_idx, row);
	if (!is_searched(builder, row))
		return;
	row->name = ep_builder_text(builder, "%s, outside loops", row->name);
	row->short_name = ep_builder_text(builder, "%s, outside loops", row->short_name);
}

static void add_rows(struct ep_builder *builder, const struct ep_attribution *loops)
{
	struct ep_report_table *table = &builder->report->loops;

	if (!ep_table_start(builder, table, loops->n_tallies))
		return;
	for (uint32_t id = 0; id < loops->n_tallies; id++) {
		struct ep_report_row *row = &table->rows[table->n_rows];

		if (ep_tally_is_empty(&loops->tallies[id]))
			continue;
		if (id % 2)
			set_rest(builder, id / 2, row);
		else
			set_loop(builder, id / 2, row);
		ep_row_set_cost(builder, EP_BY_LOOP, &loops->tallies[id], row);
		table->n_rows++;
	}
	ep_table_finish_rows(builder, table);
}

void ep_build_loops(struct ep_builder *builder)
{
	struct ep_attribution loops = { 0 };

	if (!builder->options->loops || builder->out_of_memory)
		return;
	if (ep_attribute(builder->trace, builder->symbols, EP_BY_LOOP, &loops))
		builder->out_of_memory = true;
	else
		add_rows(builder, &loops);
	ep_attribution_finish(&loops);
}
