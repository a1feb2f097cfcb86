// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"

#define BECAME .has_end = true, .end_how = EP_END_EXEC
#define ENDED .has_end = true

static const char *find(struct ep_report_process *processes, uint32_t n, struct ep_trace *trace)
{
	static char text[1000];
	struct ep_report report = { .processes = processes, .n_processes = n };
	struct ep_words words = { .trace = trace, .report = &report, .said = &report.said };

	ep_find_became(&words);
	CHECK(!words.out_of_memory);
	CHECK(report.said.n_findings <= 1);
	snprintf(text, sizeof(text), "%s",
		report.said.n_findings ? report.said.findings[0].text : "");
	ep_said_finish(&report.said);
	ep_strings_finish(&trace->strings);
	return text;
}

TEST(what_came_after_an_exec_is_there)
{
	struct ep_report_process processes[] = {
		{ .pid = 2, .program = "ls", .start_s = 2, ENDED },
		{ .pid = 2, .program = "sh", .start_s = 1, BECAME },
		{ .pid = 1, .program = "sh", ENDED },
	};
	struct ep_trace trace = { .n_processes = 0 };

	CHECK_STR(find(processes, 3, &trace), "");
	CHECK_STR(find(processes, 0, &trace), "");
}

TEST(what_did_not_is_told_by_who_became_it)
{
	struct ep_report_process processes[] = {
		{ .pid = 5, .program = "su", BECAME },
		{ .pid = 2, .program = "env", .start_s = 2, BECAME },
		{ .pid = 2, .program = "sh", .start_s = 1, BECAME },
		{ .pid = 1, .program = "sh", ENDED },
		{ .pid = 4, .program = "env", .start_s = 9, BECAME },
	};
	struct ep_trace trace = { .n_processes = 0 };
	const char *said = find(processes, 5, &trace),
		   *expected =
			   "3 processes became a program that is not in this trace: env (2), su. ";

	CHECK_MSG(!strncmp(said, expected, strlen(expected)), "%s", said);
	said = find(processes, 1, &trace);
	CHECK_MSG(!strncmp(said, "1 process became a program that is not in this trace: su. ", 58),
		"%s", said);
}

TEST(a_cut_trace_says_nothing_of_it)
{
	struct ep_report_process process = { .pid = 5, .program = "su", BECAME };
	struct ep_trace trace = { .reader = { .cut_bytes = 1 } };

	CHECK_STR(find(&process, 1, &trace), "");
}
