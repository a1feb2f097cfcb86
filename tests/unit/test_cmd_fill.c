// SPDX-License-Identifier: BSD-3-Clause
/* evreport fill: a table with gaps in, a complete one and its errors out. */
#include "reporter/command/estimate_commands.h"
#include "tests/unit/command.h"

static const char gaps[] = "cycles,a,b,never\n10,1,,\n10,,4,\n10,3,,\n10,,8,\n";

TEST(lines_through_what_was_measured)
{
	write_file("in.csv", gaps);
	RUN(ep_cmd_fill, "in.csv", "--estimator", "linear", "--errors", "errors.csv");
	EP_AUTOFREE char *errors = read_file("errors.csv");
	CHECK_INT(status, 0);
	CHECK_STR(out, "cycles,a,b,never\n10,1,4,\n10,2,4,\n10,3,6,\n10,3,8,\n");
	CHECK_STR(err, "evreport: never was never measured: missing\n");
	CHECK_HAS(errors, "cycles,a,b,never\n0,0,");
	CHECK(!strstr(errors, "0,0,0,\n")); /* half of each line was not measured */
}

TEST(a_file_leaves_room_for_a_summary)
{
	static const char line[] = "a                                linear         50.0%          "
				   "   -                9 ";

	write_file("in.csv", gaps);
	RUN(ep_cmd_fill, "in.csv", "--estimator", "linear", "-o", "out.csv");
	EP_AUTOFREE char *table = read_file("out.csv");
	CHECK_INT(status, 0);
	CHECK_STR(table, "cycles,a,b,never\n10,1,4,\n10,2,4,\n10,3,6,\n10,3,8,\n");
	CHECK_HAS(out, line);
	CHECK_HAS(out, "measured      100.0%");
	CHECK_HAS(out, "missing         0.0%");
}

TEST(what_is_no_count_is_said)
{
	write_file("in.csv", "cycles,a\n10,1\n10,-2\n10,3\n10,1e19\n");
	RUN(ep_cmd_fill, "in.csv", "--estimator", "fixed");
	CHECK_INT(status, 0);
	CHECK_STR(out, "cycles,a\n10,1\n10,1\n10,3\n10,3\n");
	CHECK_STR(err, "evreport: 2 values are no counts (negative or above 2^63): dropped\n");
}

TEST(a_clock_by_name)
{
	write_file("in.csv", "t,a\n10,1\n30,\n");
	RUN(ep_cmd_fill, "in.csv", "--estimator", "fixed", "--always", "t");
	CHECK_INT(status, 0);
	CHECK_STR(out, "t,a\n10,1\n30,3\n");
}

TEST(what_cannot_be_is_refused)
{
	static const struct {
		char *arguments[4], *says;
		int status;
	} rows[] = {
		{ { "nosuch.csv" }, "nosuch.csv: cannot open: No such file", 1 },
		{ { "in.csv", "--estimator", "guess" }, "no estimator \"guess\" (auto, fixed,", 1 },
		{ { "in.csv", "--always", "b" }, "\"b\" is not measured in every slice", 1 },
		{ { "in.csv", "--weights", "in.csv" }, "in.csv", 1 },
		{ { "in.csv", "-o", "no/such/folder" }, "no/such/folder", 1 },
		{ { "in.csv", "more.csv" }, "usage: evreport fill", 2 },
	};

	write_file("in.csv", gaps);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		RUN(ep_cmd_fill, rows[i].arguments[0], rows[i].arguments[1], rows[i].arguments[2]);
		CHECK_MSG(status == rows[i].status, "row %zu: status %d", i, status);
		CHECK_HAS(err, rows[i].says);
		CHECK_STR(out, "");
	}
}

TEST(help_names_every_estimator)
{
	RUN(ep_cmd_fill, "--help");
	CHECK_INT(status, 0);
	CHECK_HAS(out, "usage: evreport fill IN.csv[.gz]");
	CHECK_HAS(out, "  linear     straight lines between samples (trapezoid)\n");
	CHECK_HAS(out, "  auto       for each event the one that does best on hidden slices\n");
}
