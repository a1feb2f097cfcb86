// SPDX-License-Identifier: BSD-3-Clause
/* Lines move with the beginning of their procedure, where that is known. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/compare/moved_lines.h"
#include "tests/unit/compared.h"

enum { MOST_BEGINNINGS = 2 };

struct begins {
	const char *name, *file; /* name NULL: there is none */
	uint32_t line;
};

/* Where the line 30 of solve before, in was_file or fem.c, is then. */
static const struct {
	const char *what;
	struct begins before[MOST_BEGINNINGS], after[MOST_BEGINNINGS];
	const char *was, *was_file;
	uint32_t line;
} cases[] = {
	{ "nothing moved", { { "solve", "/a/fem.c", 20 } }, { { "solve", "/b/fem.c", 20 } }, NULL,
		NULL, 30 },
	{ "down", { { "solve", "/a/fem.c", 20 } }, { { "solve", "/a/fem.c", 24 } }, NULL, NULL,
		34 },
	{ "up", { { "solve", "/a/fem.c", 20 } }, { { "solve", "/a/fem.c", 1 } }, NULL, NULL, 11 },
	{ "renamed procedure and file", { { "iterate", "/a/old.c", 20 } },
		{ { "solve", "/a/fem.c", 24 } }, "iterate", "old.c", 34 },
	{ "of an unknown beginning", { { "solve", NULL, 0 } }, { { "solve", "/a/fem.c", 24 } },
		NULL, NULL, 30 },
	{ "no longer there", { { "solve", "/a/fem.c", 20 } }, { { "other", "/a/fem.c", 24 } }, NULL,
		NULL, 30 },
	{ "another file's", { { "solve", "/a/fem.h", 20 } }, { { "solve", "/a/fem.h", 24 } }, NULL,
		NULL, 30 },
	{ "above its procedure", { { "solve", "/a/fem.c", 31 } }, { { "solve", "/a/fem.c", 35 } },
		NULL, NULL, 30 },
	{ "several of the name", { { "solve", "/a/fem.c", 20 }, { "solve", "/a/fem.c", 10 } },
		{ { "solve", "/a/fem.c", 24 } }, NULL, NULL, 30 },
	{ "several parts of one", { { "solve", "/a/fem.c", 20 }, { "solve", "/a/fem.c", 20 } },
		{ { "solve", "/a/fem.c", 24 } }, NULL, NULL, 34 },
};

static uint32_t add(const struct begins *begins, struct ep_report_row *rows)
{
	uint32_t n = 0;

	for (; n < MOST_BEGINNINGS && begins[n].name; n++)
		rows[n] = (struct ep_report_row){
			.short_name = begins[n].name, .file = begins[n].file, .line = begins[n].line
		};
	return n;
}

TEST(lines_move_with_their_procedure)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_report_row old_rows[MOST_BEGINNINGS], new_rows[MOST_BEGINNINGS];
		struct ep_report before = plain(), after = plain();
		const struct ep_report *reports[] = { &before, &after };
		struct ep_compared_row rows[] = {
			{ .name = "solve",
				.was = cases[i].was,
				.file = "fem.c",
				.was_file = cases[i].was_file,
				.line = 30,
				.is_before = true },
			{ .name = "solve", .file = "fem.c", .line = 30, .is_after = true },
			{ .name = "solve", .is_before = true },
		};

		before.procedures.rows = old_rows;
		before.procedures.n_rows = add(cases[i].before, old_rows);
		after.procedures.rows = new_rows;
		after.procedures.n_rows = add(cases[i].after, new_rows);
		CHECK_INT(ep_compare_move_lines(rows, EP_ARRAY_SIZE(rows),
				  &(struct ep_compared_runs){ &reports[0], 1 },
				  &(struct ep_compared_runs){ &reports[1], 1 }),
			0);
		CHECK_MSG(rows[0].line == cases[i].line, "%s: %u", cases[i].what, rows[0].line);
		CHECK_INT(rows[0].was_line, cases[i].line == 30 ? 0 : 30);
		CHECK_INT(rows[1].line, 30);
		CHECK_INT(rows[2].line, 0);
	}
}
