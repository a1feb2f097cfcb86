// SPDX-License-Identifier: BSD-3-Clause
/* Rows whose source file was renamed find their file, and those that were not are left where they are. */
#include "tests/unit/test.h"

#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/moved_files.h"

enum { MOST_ROWS = 4 };

struct place {
	const char *file, *module; /* file NULL and module NULL: there is none */
};

/* Files that the rows before have then; rows of one procedure. */
static const struct {
	const char *what;
	struct place before[MOST_ROWS], after[MOST_ROWS];
	const char *files[MOST_ROWS];
} cases[] = {
	{ "nothing was renamed", { { "a.c", "app" } }, { { "a.c", "app" } }, { "a.c" } },
	{ "a file was", { { "a.c", "app" }, { "a.c", "app" } }, { { "b.c", "app" } },
		{ "b.c", "b.c" } },
	{ "the program was, too", { { "a.c", "app.1" } }, { { "b.c", "app.2" } }, { "b.c" } },
	{ "one of two", { { "a.c", "app" }, { "h.h", "app" } },
		{ { "h.h", "app" }, { "b.c", "app" } }, { "b.c", "h.h" } },
	{ "two at once, of which nothing tells which is which",
		{ { "a.c", "app" }, { "a.inc", "app" } }, { { "b.c", "app" }, { "b.inc", "app" } },
		{ "a.c", "a.inc" } },
	{ "a file is no longer there", { { "a.c", "app" }, { "b.c", "app" } }, { { "b.c", "app" } },
		{ "a.c", "b.c" } },
	{ "its library was, too, beside another", { { "a.c", "liba.so" }, { "c.c", "libc.so" } },
		{ { "b.c", "libb.so" }, { "c.c", "libc.so" } }, { "b.c", "c.c" } },
	{ "libraries that both sides have", { { "a.c", "liba.so" }, { "c.c", "libb.so" } },
		{ { "b.c", "libb.so" }, { "c.c", "liba.so" } }, { "a.c", "c.c" } },
	{ "without a file", { { NULL, "app" } }, { { "b.c", "app" } }, { NULL } },
};

static uint32_t add(
	const struct place *places, const char *name, bool is_after, struct ep_compared_row *rows)
{
	uint32_t n = 0;

	for (; n < MOST_ROWS && places[n].module; n++)
		rows[n] = (struct ep_compared_row){ .name = name,
			.file = places[n].file,
			.module_name = places[n].module,
			.line = n + 1,
			.is_before = !is_after,
			.is_after = is_after };
	return n;
}

/* A row keeps its side and line, however rows are sorted. */
static const struct ep_compared_row *find(
	const struct ep_compared_row *rows, uint32_t n, bool is_after, uint32_t line)
{
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].is_after == is_after && rows[i].line == line)
			return &rows[i];
	return NULL;
}

static bool are_same(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

TEST(rows_get_the_newer_files)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_compared_row rows[2 * MOST_ROWS];
		uint32_t n_after = add(cases[i].after, "solve", true, rows);
		uint32_t n = n_after + add(cases[i].before, "solve", false, rows + n_after);

		ep_compare_move_files(rows, n);
		for (uint32_t k = 0; k < n - n_after; k++) {
			const struct ep_compared_row *row = find(rows, n, false, k + 1);
			const char *was = cases[i].before[k].file;

			CHECK_MSG(are_same(row->file, cases[i].files[k]), "%s, row %u: %s",
				cases[i].what, k, row->file);
			CHECK_MSG(are_same(row->was_file, are_same(row->file, was) ? NULL : was),
				"%s, row %u", cases[i].what, k);
		}
		for (uint32_t k = 0; k < n_after; k++)
			CHECK_MSG(
				are_same(find(rows, n, true, k + 1)->file, cases[i].after[k].file),
				"%s", cases[i].what);
	}
}

TEST(other_procedures_stay)
{
	static const struct place before[2] = { { "a.c", "app" } }, after[2] = { { "b.c", "app" } };
	struct ep_compared_row rows[2 * MOST_ROWS];
	uint32_t n = add(before, "solve", false, rows);

	n += add(after, "write_out", true, rows + n);
	ep_compare_move_files(rows, n);
	CHECK_INT(n, 2);
	for (uint32_t i = 0; i < n; i++)
		CHECK(!rows[i].was_file);
}
