// SPDX-License-Identifier: BSD-3-Clause
/* evreport accuracy: tables in, figures out, whoever works on them. */
#include "reporter/command/estimate_commands.h"
#include "tests/unit/command.h"

/* 60 slices; a rises by one each, b is 20 or 40. Lines are right about a. */
static void write_table(const char *name, const char *header)
{
	EP_AUTOFCLOSE FILE *out = fopen(name, "w");

	fprintf(out, "%s\n", header);
	for (int t = 0; t < 60; t++)
		fprintf(out, "1000,%d,%d,%d\n", 500 + t % 3, t + 1, t / 3 % 2 ? 20 : 40);
}

/* The line that begins so, to its end. */
static const char *line_of(char *text, const char *begin)
{
	static char line[512];
	const char *at = strstr(text, begin);

	CHECK_MSG(at, "no %s in\n%s", begin, text);
	snprintf(line, sizeof(line), "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return line;
}

TEST(what_is_hidden_is_judged)
{
	write_table("p-1.csv", "CYCLES,INSTR,a,b");
	RUN(ep_cmd_accuracy, "p-1.csv", "--counters", "1", "--estimator", "linear,fixed",
		"--format", "csv");
	CHECK_INT(status, 0);
	CHECK_STR(err, "");
	/* a is hidden in every second slice but the last, and met but for rounding */
	CHECK(!strncmp(line_of(out, "linear,p-1,a,linear,"), "linear,p-1,a,linear,1,", 22));
	CHECK(strncmp(line_of(out, "fixed,p-1,a,fixed,"), "fixed,p-1,a,fixed,1,", 20));
	CHECK(strstr(out, "linear,p-1,b,"));
	CHECK(!strstr(out, "CYCLES") && !strstr(out, "INSTR"));
}

TEST(with_a_counter_for_each_nothing_is_hidden)
{
	write_table("p-1.csv", "CYCLES,INSTR,a,b");
	RUN(ep_cmd_accuracy, "p-1.csv", "--counters", "2", "--format", "csv");
	CHECK_INT(status, 0);
	CHECK_HAS(out, "auto,p-1,a,linear,,,0,0,,1\n");
}

TEST(jobs_and_seeds)
{
	write_table("p-1.csv", "CYCLES,INSTR,a,b");
	write_table("p-2.csv", "CYCLES,INSTR,a,b");
	write_table("q-1.csv", "CYCLES,INSTR,a,b");
	RUN(ep_cmd_accuracy, "p-1.csv", "p-2.csv", "q-1.csv", "--counters", "1", "--estimator",
		"fixed,linear", "--jobs", "3", "--format", "csv");
	EP_AUTOFREE char *more_out = NULL, *more_err = NULL;
	char *one[] = { "accuracy", "p-1.csv", "p-2.csv", "q-1.csv", "--counters", "1",
		"--estimator", "fixed,linear", "--jobs", "1", "--format", "csv", NULL };
	CHECK_INT(status, 0);
	CHECK_INT(run_command(ep_cmd_accuracy, one, &more_out, &more_err), 0);
	CHECK_STR(out, more_out);
	CHECK_HAS(out, "linear,q-1,b,");
}

TEST(what_cannot_be_is_refused)
{
	static const struct {
		char *arguments[3], *says;
		int status;
	} rows[] = {
		{ { "gaps.csv" }, "gaps.csv:3:2: no count of INSTR; accuracy needs complete tables",
			1 },
		{ { "p-1.csv", "nosuch.csv" }, "nosuch.csv: cannot open", 1 },
		{ { "p-1.csv", "--always", "ticks" }, "has no event \"ticks\" (--always)", 1 },
		{ { "nosuch.csv", "--format", "jsn" }, "no format \"jsn\"", 1 },
		{ { "nosuch.csv", "--estimator", "auto,guess" }, "no estimator \"guess\"", 1 },
		{ { "p-1.csv", "--jobs", "65" }, "a number from 1 to 64", 2 },
		{ { "p-1.csv", "--counters", "0" }, "a number, at least 1", 2 },
		{ { "--seed", "1" }, "usage: evreport accuracy", 2 },
	};

	write_table("p-1.csv", "CYCLES,INSTR,a,b");
	write_file("gaps.csv", "CYCLES,INSTR,a\n1,2,3\n1,,3\n");
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		RUN(ep_cmd_accuracy, rows[i].arguments[0], rows[i].arguments[1],
			rows[i].arguments[2]);
		CHECK_MSG(status == rows[i].status, "row %zu: status %d", i, status);
		CHECK_HAS(err, rows[i].says);
		CHECK_STR(out, "");
	}
}
