// SPDX-License-Identifier: BSD-3-Clause
/* Procedures with a new name are found by what they call, and none is where that says little. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/compare/renames.h"

enum { MOST_ROWS = 8, MOST_CALLERS = 3 };

/* A procedure, the time that it and what it calls took, and who called it for how much of that. */
struct made_row {
	const char *name;
	uint64_t ns;
	struct ep_report_caller callers[MOST_CALLERS];
};

struct made {
	struct made_row rows[MOST_ROWS];
	struct ep_report_row table[MOST_ROWS];
	struct ep_report report;
	const struct ep_report *reports[1];
};

static struct ep_compared_runs runs_of(struct made *made)
{
	uint32_t n = 0;

	for (; n < MOST_ROWS && made->rows[n].name; n++) {
		struct ep_report_row *row = &made->table[n];

		*row = (struct ep_report_row){ .short_name = made->rows[n].name,
			.total_ns = made->rows[n].ns,
			.callers = made->rows[n].callers };
		while (row->n_callers < MOST_CALLERS && row->callers[row->n_callers].name)
			row->n_callers++;
	}
	made->report = (struct ep_report){ .procedures = { .rows = made->table, .n_rows = n } };
	made->reports[0] = &made->report;
	return (struct ep_compared_runs){ made->reports, 1 };
}

static const char *new_name(struct made *before, struct made *after, const char *name)
{
	__attribute__((cleanup(ep_renames_finish))) struct ep_renames renames = { 0 };
	struct ep_compared_runs one = runs_of(before), other = runs_of(after);
	const char *found;

	CHECK_INT(ep_renames_find(&one, &other, &renames), 0);
	found = ep_renames_after(&renames, name);
	if (found)
		CHECK_STR(ep_renames_before(&renames, found), name);
	return found ? found : "";
}

TEST(the_same_callees_make_the_same_procedure)
{
	struct made before = { { { "main", 100, { { 0 } } }, { "solve", 90, { { "main", 90, 1 } } },
		{ "kernel", 60, { { "solve", 60, 1 } } },
		{ "norm", 20, { { "solve", 20, 1 } } } } };
	struct made after = { { { "main", 90, { { 0 } } },
		{ "solve_all", 80, { { "main", 80, 1 } } },
		{ "kernel", 40, { { "solve_all", 40, 1 } } },
		{ "norm", 30, { { "solve_all", 30, 1 } } } } };

	CHECK_STR(new_name(&before, &after, "solve"), "solve_all");
	CHECK_STR(new_name(&before, &after, "main"), "");
	CHECK_STR(new_name(&before, &after, "norm"), "");
}

/* The outer one is known by the inner one, which is known by what it calls. */
TEST(a_renamed_callee_makes_its_caller_known)
{
	struct made before = { { { "outer", 90, { { 0 } } },
		{ "inner", 80, { { "outer", 80, 1 } } }, { "leaf", 60, { { "inner", 60, 1 } } } } };
	struct made after = { { { "around", 90, { { 0 } } },
		{ "within", 80, { { "around", 80, 1 } } },
		{ "leaf", 60, { { "within", 60, 1 } } } } };

	CHECK_STR(new_name(&before, &after, "inner"), "within");
	CHECK_STR(new_name(&before, &after, "outer"), "around");
}

/* A callee of all procedures tells none of them, and neither does one that two new ones call alike. */
TEST(what_says_little_makes_no_pair)
{
	struct made before = { { { "a", 30, { { 0 } } }, { "b", 30, { { 0 } } },
		{ "malloc", 100, { { "b", 40, 0.4 }, { "a", 30, 0.3 }, { "b", 30, 0.3 } } } } };
	struct made after = { { { "x", 30, { { 0 } } }, { "b", 30, { { 0 } } },
		{ "malloc", 100, { { "b", 70, 0.7 }, { "x", 30, 0.3 } } } } };
	struct made one = { { { "old", 30, { { 0 } } }, { "leaf", 30, { { "old", 30, 1 } } } } };
	struct made two = { { { "x", 30, { { 0 } } }, { "y", 30, { { 0 } } },
		{ "leaf", 60, { { "x", 54, 0.9 }, { "y", 6, 0.1 } } } } };
	struct made leaves = { { { "x", 30, { { 0 } } } } };

	CHECK_STR(new_name(&before, &after, "a"), "");
	CHECK_STR(new_name(&one, &two, "old"), "x");
	two.rows[2].callers[0].ns = 31;
	two.rows[2].callers[1].ns = 29;
	CHECK_STR(new_name(&one, &two, "old"), "");
	CHECK_STR(new_name(&one, &leaves, "old"), "");
}
