// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/compare/moved_loops.h"

#include <stdlib.h>
#include <string.h>

/* The loops of one procedure in one file. The rows of the older program come first, and each program's rows
 * are sorted by line. */
struct nest {
	struct ep_compared_row *rows;
	uint32_t n_before, n; /* number of rows before, and of all rows */
};

static int by_nest(const struct ep_compared_row *a, const struct ep_compared_row *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static int by_nest_and_line(const void *one, const void *other)
{
	const struct ep_compared_row *a = one, *b = other;
	int order = by_nest(a, b);

	if (!order)
		order = a->is_after - b->is_after;
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : (a->depth > b->depth) - (a->depth < b->depth);
}

/* Returns the end of the rows that are the same loop as rows[first]. A loop has several rows if several runs
 * have it, or if a compiler made several loops of one line. */
static uint32_t end_of_loop(const struct nest *nest, uint32_t first, uint32_t end)
{
	uint32_t i = first + 1;

	while (i < end && nest->rows[i].line == nest->rows[first].line)
		i++;
	return i;
}

/* The position of a walk through the loops of both sides in parallel. */
struct loop_walk {
	/* ranges of rows that are the k-th loop before and after */
	uint32_t before, after, before_end, after_end;
};

static bool next_loops(const struct nest *nest, struct loop_walk *w)
{
	w->before = w->before_end;
	w->after = w->after_end;
	if (w->before == nest->n_before || w->after == nest->n)
		return false;
	w->before_end = end_of_loop(nest, w->before, nest->n_before);
	w->after_end = end_of_loop(nest, w->after, nest->n);
	return true;
}

static bool stands_after(const struct nest *nest, const struct ep_compared_row *row)
{
	for (uint32_t i = nest->n_before; i < nest->n; i++)
		if (nest->rows[i].line == row->line && nest->rows[i].depth == row->depth)
			return true;
	return false;
}

static bool has_moved(const struct nest *nest)
{
	struct loop_walk w = { .before_end = 0, .after_end = nest->n_before };
	bool is_even = true, is_elsewhere = true;
	int64_t by = 0;

	for (bool is_first = true; next_loops(nest, &w); is_first = false) {
		const struct ep_compared_row *was = &nest->rows[w.before],
					     *is = &nest->rows[w.after];
		int64_t moved = (int64_t)is->line - was->line;

		if (was->depth != is->depth)
			return false;
		is_even &= is_first || moved == by;
		by = moved;
		is_elsewhere &= !stands_after(nest, was);
	}
	return w.before == nest->n_before && w.after == nest->n && (is_even || is_elsewhere);
}

static void move(struct nest *nest)
{
	struct loop_walk w = { .before_end = 0, .after_end = nest->n_before };

	if (!nest->n_before || nest->n_before == nest->n || !has_moved(nest))
		return;
	while (next_loops(nest, &w))
		for (uint32_t i = w.before; i < w.before_end; i++) {
			uint32_t line = nest->rows[w.after].line;

			nest->rows[i].was_line =
				line == nest->rows[i].line ? 0 : nest->rows[i].line;
			nest->rows[i].line = line;
		}
}

void ep_compare_move_loops(struct ep_compared_row *rows, uint32_t n)
{
	struct nest nest;

	if (n)
		qsort(rows, n, sizeof(*rows), by_nest_and_line);
	for (uint32_t i = 0; i < n; i += nest.n) {
		nest = (struct nest){ .rows = &rows[i] };
		for (; i + nest.n < n && !by_nest(&rows[i], &nest.rows[nest.n]); nest.n++)
			nest.n_before += !nest.rows[nest.n].is_after;
		if (rows[i].file)
			move(&nest);
	}
}
