// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/advise/sections.h"
#include "tests/unit/compared.h"

enum { MOST_ROWS = 4 };

struct run {
	struct ep_report_row rows[MOST_ROWS];
	struct ep_report report;
	struct ep_assessment items[MOST_ROWS];
	struct ep_assessments assessments;
};

static void assess(struct run *run)
{
	run->assessments = (struct ep_assessments){ .items = run->items };
	for (uint32_t i = 0; i < MOST_ROWS && run->rows[i].name; i++) {
		const char *slash = run->rows[i].module ? strrchr(run->rows[i].module, '/') : NULL;

		if (!run->rows[i].short_name)
			run->rows[i].short_name = run->rows[i].name;
		run->rows[i].module_name = slash ? slash + 1 : "[no file]";
		run->items[i].row = &run->rows[i];
		run->assessments.n_items++;
	}
	run->report = plain();
	run->report.procedures =
		(struct ep_report_table){ .rows = run->rows, .n_rows = run->assessments.n_items };
}

static int make_sections(
	const struct run *a, const struct run *b, double min_share, struct ep_sections *out)
{
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };
	const struct ep_section_question question = { { &a->assessments, &b->assessments }, &c,
		min_share };

	CHECK_INT(compare(&a->report, &b->report, EP_BY_PROCEDURES, &c), 0);
	return ep_sections_create(&question, out);
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
	CHECK_INT(make_sections(&a, &b, 0.1, &sections), 0);
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
	CHECK_INT(make_sections(&a, &b, 0.1, &sections), 0);
	CHECK_INT(sections.n_rows, 2);
	check_section(&sections, 0, &a.rows[0], NULL);
	check_section(&sections, 1, &a.rows[1], &b.rows[0]);
	ep_sections_finish(&sections);
	/* of two namesakes neither is the one of another file */
	b.rows[0].module = "/y/other";
	assess(&b);
	CHECK_INT(make_sections(&a, &b, 0.1, &sections), 0);
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
	CHECK_INT(make_sections(&a, &b, 0, &sections), 0);
	CHECK_INT(sections.n_rows, 1);
	check_section(&sections, 0, &a.rows[0], &b.rows[0]);
	ep_sections_finish(&sections);
}

/* The one of another name that calls what it called; overloads are told apart by their parameters. */
TEST(renamed_procedures_are_paired_by_what_they_call)
{
	struct ep_report_caller of_old = { "old", 50 * MS, 1 }, of_new = { "fresh", 50 * MS, 1 };
	struct run a = { .rows = { { .name = "old(int)", .short_name = "old", .self_share = 0.4 },
				 { .name = "inner",
					 .total_ns = 50 * MS,
					 .self_share = 0.2,
					 .callers = &of_old,
					 .n_callers = 1 },
				 { .name = "f(int)", .short_name = "f", .self_share = 0.2 },
				 { .name = "f(double)", .short_name = "f", .self_share = 0.2 } } };
	struct run b = { .rows = {
				 { .name = "fresh(int)", .short_name = "fresh", .self_share = 0.4 },
				 { .name = "inner",
					 .total_ns = 50 * MS,
					 .self_share = 0.2,
					 .callers = &of_new,
					 .n_callers = 1 },
				 { .name = "f(double)", .short_name = "f", .self_share = 0.2 },
				 { .name = "f(int)", .short_name = "f", .self_share = 0.2 } } };
	struct ep_sections sections = { 0 };

	assess(&a);
	assess(&b);
	CHECK_INT(make_sections(&a, &b, 0.1, &sections), 0);
	CHECK_INT(sections.n_rows, 4);
	check_section(&sections, 0, &a.rows[0], &b.rows[0]);
	check_section(&sections, 1, &a.rows[1], &b.rows[1]);
	check_section(&sections, 2, &a.rows[2], &b.rows[3]);
	check_section(&sections, 3, &a.rows[3], &b.rows[2]);
	ep_sections_finish(&sections);
}
