// SPDX-License-Identifier: BSD-3-Clause
/* Processes of one executable are one row. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

TEST(processes_are_summed_by_program)
{
	static struct ep_report_process processes[] = {
		{ .program = "cc1", .cpu_ns = 30, .share = 0.3, .n_threads = 1 },
		{ .program = "ld", .cpu_ns = 36, .share = 0.36, .n_threads = 4 },
		{ .program = "cc1", .cpu_ns = 20, .share = 0.2, .n_threads = 1 },
		{ .program = "as", .cpu_ns = 7, .share = 0.07, .n_threads = 1 },
		{ .program = "ar", .cpu_ns = 7, .share = 0.07, .n_threads = 1 },
	};
	static const struct ep_report_program expected[] = {
		{ "cc1", 2, 2, 50, 0.5 },
		{ "ld", 1, 4, 36, 0.36 },
		{ "ar", 1, 1, 7, 0.07 },
		{ "as", 1, 1, 7, 0.07 },
	};
	static const struct ep_report_options options = { .top = 3 };
	struct ep_report report = { .processes = processes, .n_processes = 5 };
	struct ep_builder builder = { .report = &report, .options = &options };

	ep_build_programs(&builder);
	CHECK_INT(report.n_programs, 4);
	CHECK_INT(report.n_programs_shown, 3);
	for (uint32_t i = 0; i < report.n_programs; i++) {
		CHECK_STR(report.programs[i].name, expected[i].name);
		CHECK_INT(report.programs[i].n_processes, expected[i].n_processes);
		CHECK_INT(report.programs[i].n_threads, expected[i].n_threads);
		CHECK_INT(report.programs[i].cpu_ns, expected[i].cpu_ns);
		CHECK_CLOSE(report.programs[i].share, expected[i].share, 1e-12);
	}
	free(report.programs);
}

/* The first rows always, then those with half a per cent, unless all are asked for. */
TEST(brief_lists_end_where_nothing_is_left)
{
	static const struct {
		uint32_t top;
		bool brief;
		uint32_t i;
		double share;
		bool is_shown;
	} rows[] = {
		{ 20, true, 4, 0.0001, true },
		{ 20, true, 5, 0.0049, false },
		{ 20, true, 5, 0.005, true },
		{ 20, true, 20, 0.04, false },
		{ 20, false, 19, 0.0001, true },
		{ 20, false, 20, 0.04, false },
		{ 0, false, 5000, 0, true },
		{ 3, true, 3, 0.2, false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report_options options = { .top = rows[i].top, .brief = rows[i].brief };
		struct ep_builder builder = { .options = &options };

		CHECK_MSG(ep_row_is_shown(&builder, rows[i].i, rows[i].share) == rows[i].is_shown,
			"row %zu", i);
	}
}

TEST(a_trace_without_processes_has_no_programs)
{
	struct ep_report report = { 0 };
	struct ep_builder builder = { .report = &report };

	ep_build_programs(&builder);
	CHECK_INT(report.n_programs, 0);
	free(report.programs);
}
