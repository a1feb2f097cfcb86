// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/compare/moved_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* The file and line where a procedure is declared. */
struct beginning {
	/* file: NULL if not known, or if several procedures have the name */
	const char *name, *file;
	uint32_t line;
};

struct beginnings {
	struct beginning *rows; /* (n) sorted by name */
	uint32_t n;
};

static void finish(struct beginnings *b)
{
	free(b->rows);
}

static int by_name(const void *one, const void *other)
{
	return strcmp(
		((const struct beginning *)one)->name, ((const struct beginning *)other)->name);
}

static uint32_t count_rows(const struct ep_compared_runs *runs)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		n += runs->reports[r]->procedures.n_rows;
	return n;
}

static void add_all(struct beginnings *b, const struct ep_compared_runs *runs)
{
	for (uint32_t r = 0; r < runs->n; r++) {
		const struct ep_report_table *table = &runs->reports[r]->procedures;

		for (uint32_t i = 0; i < table->n_rows; i++)
			b->rows[b->n++] = (struct beginning){ table->rows[i].short_name,
				table->rows[i].file ? ep_base_name(table->rows[i].file) : NULL,
				table->rows[i].line };
	}
}

static bool are_alike(const struct beginning *one, const struct beginning *other)
{
	return one->file && other->file && !strcmp(one->file, other->file) &&
	       one->line == other->line;
}

static void join_names(struct beginnings *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		if (!n || by_name(&b->rows[n - 1], &b->rows[i]))
			b->rows[n++] = b->rows[i];
		else if (!are_alike(&b->rows[n - 1], &b->rows[i]))
			b->rows[n - 1].file = NULL;
	}
	b->n = n;
}

static int collect(const struct ep_compared_runs *runs, struct beginnings *out)
{
	out->rows = calloc((size_t)count_rows(runs) + 1, sizeof(*out->rows));
	if (!out->rows)
		return -ENOMEM;
	add_all(out, runs);
	qsort(out->rows, out->n, sizeof(*out->rows), by_name);
	join_names(out);
	return 0;
}

/* Returns the line where the procedure of that name begins in that file; 0: not known. */
static uint32_t begin_of(const struct beginnings *b, const char *name, const char *file)
{
	const struct beginning key = { .name = name }, *found;

	found = bsearch(&key, b->rows, b->n, sizeof(key), by_name);
	return found && found->file && !strcmp(found->file, file) ? found->line : 0;
}

static void move(struct ep_compared_row *row, uint32_t was, uint32_t is)
{
	if (!was || !is || was == is || row->line < was)
		return;
	row->was_line = row->line;
	row->line = row->line - was + is;
}

int ep_compare_move_lines(struct ep_compared_row *rows, uint32_t n,
	const struct ep_compared_runs *before, const struct ep_compared_runs *after)
{
	__attribute__((cleanup(finish))) struct beginnings was = { 0 };
	__attribute__((cleanup(finish))) struct beginnings is = { 0 };

	if (collect(before, &was) || collect(after, &is))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct ep_compared_row *row = &rows[i];

		if (!row->is_after && row->file)
			move(row,
				begin_of(&was, row->was ? row->was : row->name,
					row->was_file ? row->was_file : row->file),
				begin_of(&is, row->name, row->file));
	}
	return 0;
}
