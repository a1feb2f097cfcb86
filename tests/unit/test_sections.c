// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/advise/sections.h"

enum { MOST_ROWS = 4 };

struct run {
	struct ep_report_row rows[MOST_ROWS];
	struct ep_assessment items[MOST_ROWS];
	struct ep_assessments assessments;
};

static void assess(struct run *run)
{
	run->assessments = (struct ep_assessments){ .items = run->items };
	for (uint32_t i = 0; i < MOST_ROWS && run->rows[i].name; i++) {
		run->items[i].row = &run->rows[i];
		run->assessments.n_items++;
	}
}

static void check_section(struct ep_sections *sections, uint32_t i,
	const struct ep_report_row *first, const struct ep_report_row *second)
{
	const struct ep_assessment *const *of = sections->rows[i].of;

	CHECK_MSG((of[0] ? of[0]->row : NULL) == first, "row %u, run 1", i);
	CHECK_MSG((of[1] ? of[1]->row : NULL) == second, "row %u, run 2", i);
}

TEST(sections_pair_by_name_and_stand_by_time)
{
	struct run a = { .rows = { { .name = "solve", .module = "/a/app", .self_share = 0.6 },
				 { .name = "only_before", .module = "/a/app", .self_share = 0.3 },
				 { .name = "grows", .module = "/a/app", .self_share = 0.02 },
				 { .name = "small", .module = "/a/app", .self_share = 0.01 } } };
	struct run b = { .rows = { { .name = "grows", .module = "/b/app2", .self_share = 0.5 },
				 { .name = "solve", .module = "/b/app2", .self_share = 0.05 },
				 { .name = "only_after", .module = "/b/app2", .self_share = 0.2 },
				 { .name = "small", .module = "/b/app2", .self_share = 0.01 } } };
	struct ep_sections sections = { 0 };

	assess(&a);
	assess(&b);
	CHECK_INT(ep_sections_create(&a.assessments, &b.assessments, 0.1, &sections), 0);
	CHECK_INT(sections.n_rows, 4);
	check_section(&sections, 0, &a.rows[0], &b.rows[1]);
	check_section(&sections, 1, &a.rows[1], NULL);
	check_section(&sections, 2, &a.rows[2], &b.rows[0]);
	check_section(&sections, 3, NULL, &b.rows[2]);
	ep_sections_finish(&sections);
}

TEST(namesakes_are_told_apart_by_their_file)
{
	struct run a = { .rows = { { .name = "init", .module = "/x/libone.so", .self_share = 0.5 },
				 { .name = "init", .module = "/x/app", .self_share = 0.4 } } };
	struct run b = { .rows = { { .name = "init", .module = "/y/app", .self_share = 0.9 } } };
	struct ep_sections sections = { 0 };

	assess(&a);
	assess(&b);
	CHECK_INT(ep_sections_create(&a.assessments, &b.assessments, 0.1, &sections), 0);
	CHECK_INT(sections.n_rows, 2);
	check_section(&sections, 0, &a.rows[0], NULL);
	check_section(&sections, 1, &a.rows[1], &b.rows[0]);
	ep_sections_finish(&sections);
	/* of two namesakes neither is the one of another file */
	b.rows[0].module = "/y/other";
	CHECK_INT(ep_sections_create(&a.assessments, &b.assessments, 0.1, &sections), 0);
	CHECK_INT(sections.n_rows, 3);
	check_section(&sections, 2, NULL, &b.rows[0]);
	ep_sections_finish(&sections);
}

TEST(code_without_a_file_is_a_pair_too)
{
	struct run a = { .rows = { { .name = "[code made at run time]", .self_share = 1 } } },
		   b = a;
	struct ep_sections sections = { 0 };

	assess(&a);
	assess(&b);
	CHECK_INT(ep_sections_create(&a.assessments, &b.assessments, 0, &sections), 0);
	CHECK_INT(sections.n_rows, 1);
	check_section(&sections, 0, &a.rows[0], &b.rows[0]);
	ep_sections_finish(&sections);
}
