// SPDX-License-Identifier: BSD-3-Clause
/* Sentences on time in which one thread ran alone, and on what has most of the time then. */
#include "tests/unit/test.h"

#include <string.h>

#include "reporter/words/words.h"

static struct ep_trace trace;
static struct ep_report report;
static struct ep_report_row rows[3];
static struct ep_report_program program = { .name = "app", .file = "app", .share = 1 };

/* perf's example: 9 s of foo in one thread, 1 s of bar in 128. */
static void start(void)
{
	memset(rows, 0, sizeof(rows));
	rows[0] = (struct ep_report_row){ .self_share = 0.934,
		.self_latency_share = 0.1,
		.total_latency_share = 0.1,
		.name = "bar" };
	rows[1] = (struct ep_report_row){ .self_share = 0.066,
		.self_latency_share = 0.88,
		.total_latency_share = 0.9,
		.alone_share = 0.88,
		.name = "foo" };
	rows[2] = (struct ep_report_row){
		.alone_share = 0.89, .name = "[kernel]", .kind = EP_SYMBOL_KERNEL
	};
	for (int i = 0; i < 3; i++) {
		rows[i].short_name = rows[i].name;
		rows[i].total_share = rows[i].self_share;
		rows[i].module = "/opt/app";
		rows[i].module_name = "app";
	}
	report = (struct ep_report){ .n_samples = 1000,
		.procedures = { .rows = rows, .n_rows = 3 },
		.programs = &program,
		.n_programs = 1,
		.parallel = { .busy_s = 10, .alone_share = 0.9, .is_telling = true } };
}

static bool says(const char *part)
{
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };
	bool found = false;

	ep_said_finish(&report.said);
	ep_build_in_short(&words);
	for (uint32_t i = 0; i < report.said.n_in_short; i++)
		found |= strstr(report.said.in_short[i], part) != NULL;
	return found;
}

TEST(what_ran_alone)
{
	start();
	CHECK(says("For 90 % of the time in which threads ran, one ran alone, 88 points of that "
		   "in foo: more CPUs do not shorten that part."));
	rows[1].alone_share = 0.04; /* spread over many */
	CHECK(says("one ran alone: more CPUs"));
	report.parallel.alone_share = 0.09;
	CHECK(!says("alone"));
	report.parallel.alone_share = 0.9;
	report.parallel.is_telling = false;
	CHECK(!says("alone"));
	ep_said_finish(&report.said);
}

/* A share of the time that passes is no promise: what runs beside it may last as long. */
TEST(what_has_most_of_the_time_that_passes)
{
	start();
	CHECK(says("Look first at foo: 88 % of the time in which threads ran is there (7 % of the "
		   "CPU time)."));
	CHECK(!says("saved"));
	rows[1].self_latency_share = 0.5;
	CHECK(says(
		"50 % of the time in which threads ran is there (7 % of the CPU time), 90 % with "
		"what it calls."));
	report.parallel.is_telling = false;
	CHECK(says("Look first at bar: at most 93 % can be saved there."));
	ep_said_finish(&report.said);
}
