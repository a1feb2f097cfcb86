// SPDX-License-Identifier: BSD-3-Clause
/* Loops whose lines moved find each other, and those that stayed are left where they are. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/compare/moved_loops.h"

enum { MOST_LOOPS = 4 };

struct loop {
	uint32_t line, depth; /* line 0: there is none */
};

/* Lines that the loops before have then; loops of one procedure in one file. */
static const struct {
	const char *what;
	struct loop before[MOST_LOOPS], after[MOST_LOOPS];
	uint32_t lines[MOST_LOOPS];
} cases[] = {
	{ "nothing moved", { { 10, 1 }, { 11, 2 } }, { { 10, 1 }, { 11, 2 } }, { 10, 11 } },
	{ "one line was added above", { { 10, 1 }, { 11, 2 }, { 20, 1 } },
		{ { 11, 1 }, { 12, 2 }, { 21, 1 } }, { 11, 12, 21 } },
	{ "siblings moved onto each other's lines", { { 10, 1 }, { 12, 1 }, { 14, 1 } },
		{ { 12, 1 }, { 14, 1 }, { 16, 1 } }, { 12, 14, 16 } },
	{ "all moved, by different amounts", { { 10, 1 }, { 20, 1 } }, { { 15, 1 }, { 32, 1 } },
		{ 15, 32 } },
	{ "another one was sampled, nothing moved", { { 10, 1 }, { 30, 1 } },
		{ { 20, 1 }, { 30, 1 } }, { 10, 30 } },
	{ "nested differently", { { 10, 1 }, { 11, 2 } }, { { 20, 1 }, { 21, 1 } }, { 10, 11 } },
	{ "one more", { { 10, 1 } }, { { 20, 1 }, { 30, 1 } }, { 10 } },
	{ "a compiler made two loops of one line", { { 10, 1 }, { 10, 1 }, { 20, 1 } },
		{ { 11, 1 }, { 21, 1 } }, { 11, 11, 21 } },
};

static uint32_t add(const struct loop *loops, bool is_after, struct ep_compared_row *rows)
{
	uint32_t n = 0;

	for (; n < MOST_LOOPS && loops[n].line; n++)
		rows[n] = (struct ep_compared_row){ .name = "solve",
			.file = "fem.c",
			.line = loops[n].line,
			.depth = loops[n].depth,
			.is_before = !is_after,
			.is_after = is_after };
	return n;
}

TEST(loops_keep_their_partners)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_compared_row rows[2 * MOST_LOOPS + 1];
		uint32_t n = add(cases[i].after, true, rows), n_before;

		n_before = add(cases[i].before, false, rows + n);
		ep_compare_move_loops(rows, n + n_before);
		for (uint32_t k = 0; k < n_before; k++) {
			CHECK_MSG(rows[k].is_before && rows[k].line == cases[i].lines[k],
				"%s: line %u", cases[i].what, rows[k].line);
			CHECK_INT(rows[k].was_line, rows[k].line == cases[i].before[k].line
							    ? 0
							    : cases[i].before[k].line);
		}
		for (uint32_t k = n_before; k < n + n_before; k++)
			CHECK_MSG(rows[k].is_after &&
					  rows[k].line == cases[i].after[k - n_before].line,
				"%s", cases[i].what);
	}
}

TEST(other_procedures_and_places_without_a_file_stay)
{
	struct ep_compared_row rows[] = {
		{ .name = "a", .file = "f.c", .line = 10, .depth = 1, .is_before = true },
		{ .name = "b", .file = "f.c", .line = 20, .depth = 1, .is_after = true },
		{ .name = "c", .line = 1, .depth = 1, .is_before = true },
		{ .name = "c", .line = 2, .depth = 1, .is_after = true },
	};

	ep_compare_move_loops(rows, EP_ARRAY_SIZE(rows));
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_INT(rows[i].was_line, 0);
}
