// SPDX-License-Identifier: BSD-3-Clause
/* Scripts: what their reader is told, once, and only where names are missing. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/words/findings.h"
#include "reporter/words/words.h"

static uint32_t find(struct ep_report_row *rows, uint32_t n, char *out, size_t size)
{
	struct ep_trace trace = { 0 };
	struct ep_report report = { .procedures = { .rows = rows, .n_rows = n } };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };
	uint32_t n_said;

	ep_find_interpreter(&words);
	snprintf(out, size, "%s", report.said.n_findings ? report.said.findings[0].text : "");
	n_said = report.said.n_findings;
	ep_said_finish(&report.said);
	return n_said;
}

static const char *language_of(struct ep_report_row *rows, uint32_t n)
{
	struct ep_report report = { .procedures = { .rows = rows, .n_rows = n } };

	return ep_interpreted_language(&report);
}

TEST(python_is_told_from_the_script)
{
	struct ep_report_row rows[] = {
		{ .short_name = "_PyEval_EvalFrameDefault",
			.self_share = 0.3,
			.total_share = 0.914 },
		{ .short_name = "dict_get", .self_share = 0.2, .total_share = 0.2 },
	};
	char text[400];

	CHECK_INT(find(rows, 2, text, sizeof(text)), 1);
	CHECK_MSG(strstr(text, "91 % of the time is below _PyEval_EvalFrameDefault"), "%s", text);
	CHECK_MSG(strstr(text, "python3 -X perf"), "%s", text);
	CHECK_STR(language_of(rows, 2), "Python");
	rows[1].short_name = "py::leaf:/home/you/deep.py"; /* -X perf is on */
	CHECK_INT(find(rows, 2, text, sizeof(text)), 0);
	CHECK(!language_of(rows, 2));
	rows[1].short_name = "dict_get";
	rows[0].total_share = 0.1; /* a program that embeds it */
	CHECK_INT(find(rows, 2, text, sizeof(text)), 0);
}

static uint32_t find_unread(uint64_t n_unread, uint64_t n_samples, char *out, size_t size)
{
	struct ep_trace_thread threads[] = { { .is_wanted = true, .n_unread_frames = n_unread },
		{ .n_unread_frames = 1000 } };
	struct ep_trace trace = { .threads = threads, .n_threads = 2 };
	struct ep_report report = { .n_samples = n_samples };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };
	uint32_t n_said;

	ep_find_interpreter(&words);
	snprintf(out, size, "%s", report.said.n_findings ? report.said.findings[0].text : "");
	n_said = report.said.n_findings;
	ep_said_finish(&report.said);
	return n_said;
}

TEST(frames_that_could_not_be_read_are_told)
{
	char text[400];

	CHECK_INT(find_unread(30, 3000, text, sizeof(text)), 1);
	CHECK_MSG(strstr(text, "30 frames of scripts could not be read, in 3000 samples"), "%s",
		text);
	CHECK_INT(find_unread(30, 3001, text, sizeof(text)), 0);
	CHECK_INT(find_unread(19, 100, text, sizeof(text)), 0);
}

static void check_maker(const char *module, double share, double total_share, const char *option)
{
	struct ep_module_info modules[] = { { .path = "/usr/lib/libc.so.6" }, { .path = module } };
	struct ep_trace trace = { .modules = modules, .n_modules = 2 };
	struct ep_report_row row = { .short_name = "[code made at run time]",
		.kind = EP_SYMBOL_RUN_TIME,
		.self_share = share,
		.total_share = total_share };
	struct ep_report report = { .procedures = { .rows = &row, .n_rows = 1 } };
	struct ep_words words = { .trace = &trace, .report = &report, .said = &report.said };

	ep_find_run_time_code(&words);
	CHECK_INT(report.said.n_findings, option != NULL);
	if (report.said.n_findings && option)
		CHECK_MSG(strstr(report.said.findings[0].text, option), "%s: %s", module,
			report.said.findings[0].text);
	ep_said_finish(&report.said);
}

TEST(code_made_at_run_time_is_named_by_an_option_of_its_maker)
{
	static const struct {
		const char *module, *option;
	} rows[] = {
		{ "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
			"no names. java -XX:+PreserveFramePointer" },
		{ "/lib/x86_64-linux-gnu/libnode.so.108", "no names. node --perf-basic-prof" },
		{ "/opt/node/bin/node", "no names. node --perf-basic-prof" },
		{ "/usr/share/dotnet/libcoreclr.so", "DOTNET_PerfMapEnabled=1" },
		{ "/lib/x86_64-linux-gnu/libpypy3.9-c.so", "pypy3 -m cProfile" },
		{ "/usr/bin/luajit", "luajit -jp FILE" },
		{ "/usr/lib/x86_64-linux-gnu/libluajit-5.1.so.2", "require('jit.p')" },
		{ "/usr/lib/libnodes.so", "If its maker can write" },
		{ "", "If its maker can write" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		check_maker(rows[i].module, 0.1, 0.1, rows[i].option);
	check_maker("/opt/node/bin/node", 0.09, 0.09, NULL);
	check_maker("/opt/node/bin/node", 0.07, 0.58,
		"58 % of the time is in, or called by, code made at run time that has no names. node");
}

TEST(others_have_no_names_to_offer)
{
	struct ep_report_row row = { .short_name = "vm_exec_core", .total_share = 0.5 };
	char text[400];

	CHECK_INT(find(&row, 1, text, sizeof(text)), 1);
	CHECK_MSG(strstr(text, "which interprets Ruby"), "%s", text);
}
