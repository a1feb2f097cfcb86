// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/annotate/margin.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

static bool is_loop(uint32_t loop)
{
	return loop != EP_NONE && loop != EP_MARGIN_ANY;
}

static bool is_within(const struct ep_annotation *annotation, uint32_t loop, uint32_t around)
{
	while (loop != EP_NONE && loop != around)
		loop = annotation->loops[loop].parent_idx;
	return loop == around;
}

/* The rows [first, last] of a loop; first > last: the loop has no rows. */
struct rows_of_loop {
	uint32_t first, last;
};

static void find_rows(const struct ep_annotation *annotation, const uint32_t *loop_of_row,
	uint32_t n_rows, struct rows_of_loop *out)
{
	for (uint32_t l = 0; l < annotation->n_loops; l++)
		out[l] = (struct rows_of_loop){ EP_NONE, 0 };
	for (uint32_t i = 0; i < n_rows; i++)
		for (uint32_t l = is_loop(loop_of_row[i]) ? loop_of_row[i] : EP_NONE; l != EP_NONE;
			l = annotation->loops[l].parent_idx) {
			out[l].first = out[l].first == EP_NONE ? i : out[l].first;
			out[l].last = i;
		}
}

static enum ep_margin_mark mark_of(const struct rows_of_loop *rows, uint32_t row, bool is_own)
{
	if (!is_own)
		return EP_MARGIN_OTHERS;
	if (rows->first == rows->last)
		return EP_MARGIN_ONLY;
	return row == rows->first  ? EP_MARGIN_FIRST
	       : row == rows->last ? EP_MARGIN_LAST
				   : EP_MARGIN_INSIDE;
}

int ep_margins_create(const struct ep_annotation *annotation, const uint32_t *loop_of_row,
	uint32_t n_rows, struct ep_margins *out)
{
	EP_AUTOFREE struct rows_of_loop *rows = calloc(annotation->n_loops + 1, sizeof(*rows));
	struct ep_margins made = { .n_rows = n_rows };

	if (!rows)
		return -ENOMEM;
	find_rows(annotation, loop_of_row, n_rows, rows);
	for (uint32_t l = 0; l < annotation->n_loops; l++)
		if (rows[l].first != EP_NONE && annotation->loops[l].depth > made.n_columns)
			made.n_columns = annotation->loops[l].depth;
	if (made.n_columns > EP_MARGIN_MOST)
		made.n_columns = EP_MARGIN_MOST;
	made.marks = calloc((size_t)n_rows * made.n_columns + 1, sizeof(*made.marks));
	if (!made.marks)
		return -ENOMEM;
	for (uint32_t l = 0; l < annotation->n_loops; l++) {
		uint32_t column = annotation->loops[l].depth - 1;

		for (uint32_t i = rows[l].first; i <= rows[l].last && column < made.n_columns;
			i++) {
			uint8_t *mark = &made.marks[(size_t)i * made.n_columns + column];
			bool is_own = loop_of_row[i] == EP_MARGIN_ANY ||
				      is_within(annotation, loop_of_row[i], l);

			if (is_own || !*mark)
				*mark = (uint8_t)mark_of(&rows[l], i, is_own);
		}
	}
	*out = made;
	return 0;
}

void ep_margins_finish(struct ep_margins *margins)
{
	free(margins->marks);
	*margins = (struct ep_margins){ 0 };
}

void ep_margins_put(const struct ep_margins *margins, uint32_t row, const struct ep_layout *layout)
{
	static const char *const signs[][2] = {
		[EP_MARGIN_NONE] = { " ", " " },
		[EP_MARGIN_FIRST] = { "/", "\u250c" },
		[EP_MARGIN_INSIDE] = { "|", "\u2502" },
		[EP_MARGIN_LAST] = { "\\", "\u2514" },
		[EP_MARGIN_ONLY] = { "[", "[" },
		[EP_MARGIN_OTHERS] = { ":", "\u250a" },
	};

	for (uint32_t i = 0; i < margins->n_columns; i++)
		fputs(signs[margins->marks[(size_t)row * margins->n_columns + i]][layout->utf8],
			layout->out);
	if (margins->n_columns)
		fputc(' ', layout->out);
}
