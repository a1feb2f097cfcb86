// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/compare/moved_files.h"

#include <stdlib.h>
#include <string.h>

/* All rows of one procedure, sorted by file. */
struct procedure {
	struct ep_compared_row *rows; /* (n) the rows of the procedure */
	uint32_t n;
};

/* The rows of a procedure that are in one file. */
struct file_rows {
	struct ep_compared_row *rows; /* (n) the rows in the file */
	uint32_t n;
	bool is_before, is_after;
};

static int by_file(const struct ep_compared_row *a, const struct ep_compared_row *b)
{
	return strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static int by_name_and_file(const void *one, const void *other)
{
	const struct ep_compared_row *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : by_file(a, b);
}

static struct file_rows part_at(const struct procedure *p, uint32_t first)
{
	struct file_rows part = { .rows = &p->rows[first] };

	while (first + part.n < p->n && !by_file(part.rows, &part.rows[part.n])) {
		part.is_before |= !part.rows[part.n].is_after;
		part.is_after |= part.rows[part.n].is_after;
		part.n++;
	}
	return part;
}

/* Returns the procedure's rows in the only file that this side has and the other side lacks. The result has
 * no rows if there is no such file, or several. */
static struct file_rows find_only(const struct procedure *p, bool is_after)
{
	struct file_rows found = { 0 }, part;

	for (uint32_t i = 0; i < p->n; i += part.n) {
		part = part_at(p, i);
		if (!part.rows->file || part.is_before == part.is_after ||
			part.is_after != is_after)
			continue;
		if (found.n)
			return (struct file_rows){ 0 };
		found = part;
	}
	return found;
}

static bool has_module(const struct procedure *p, const char *module_name, bool is_after)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->rows[i].is_after == is_after && !strcmp(p->rows[i].module_name, module_name))
			return true;
	return false;
}

/* Tells whether the rows can be of one procedure. If one of two different modules has rows on both sides,
 * each module has its own procedure of that name. */
static bool can_be_one(
	const struct procedure *p, const struct file_rows *before, const struct file_rows *after)
{
	const char *was = before->rows->module_name, *is = after->rows->module_name;

	return !strcmp(was, is) || (!has_module(p, was, true) && !has_module(p, is, false));
}

static void move(const struct procedure *p)
{
	struct file_rows before = find_only(p, false), after = find_only(p, true);

	if (!before.n || !after.n || !can_be_one(p, &before, &after))
		return;
	for (uint32_t i = 0; i < before.n; i++) {
		before.rows[i].was_file = before.rows[i].file;
		before.rows[i].file = after.rows->file;
	}
}

void ep_compare_move_files(struct ep_compared_row *rows, uint32_t n)
{
	struct procedure p;

	if (n)
		qsort(rows, n, sizeof(*rows), by_name_and_file);
	for (uint32_t i = 0; i < n; i += p.n) {
		p = (struct procedure){ .rows = &rows[i] };
		while (i + p.n < n && !strcmp(rows[i].name, p.rows[p.n].name))
			p.n++;
		move(&p);
	}
}
