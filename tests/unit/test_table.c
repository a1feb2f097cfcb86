// SPDX-License-Identifier: BSD-3-Clause
/* The table reader: what it takes, what it refuses and where it says the fault is. */
#include "common/table.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <unistd.h>

struct bad_case {
	const char *text, *where, *message;
};

static const struct bad_case bad_cases[] = {
	{ "", "t.csv:1", "no header" },
	{ "A,B\n", "t.csv", "no row" },
	{ "A,A\n1,2\n", "t.csv:1:2", "twice" },
	{ "A,,C\n1,2,3\n", "t.csv:1:2", "no event name" },
	{ "A,B\n1,2\n3\n", "t.csv:3", "1 cells, the header has 2" },
	{ "A,B\n1,2,3\n", "t.csv:2", "3 cells" },
	{ "A,B\n1,zebra\n", "t.csv:2:2", "\"zebra\" is not a number" },
	{ "A,B\n1,nan\n", "t.csv:2:2", "\"nan\"" },
	{ "A,B\n1,0x10\n", "t.csv:2:2", "\"0x10\"" },
	{ "A,B\n1,1e999\n", "t.csv:2:2", "\"1e999\"" },
	{ "A,B\n1,1-2\n", "t.csv:2:2", "\"1-2\"" },
};

TEST(faults_are_named_with_their_place)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(bad_cases); i++) {
		const struct bad_case *b = &bad_cases[i];
		struct ep_table t;
		struct ep_error err;
		CHECK_INT(ep_table_parse("t.csv", b->text, strlen(b->text), &t, &err), -EINVAL);
		CHECK_STR(err.where, b->where);
		CHECK_MSG(strstr(err.message, b->message), "\"%s\" lacks \"%s\"", err.message,
			b->message);
	}
}

TEST(empty_cells_are_not_measured)
{
	static const char text[] = "A, \"B\" ,C\r\n1,,3\r\n,-2.5e3,\r\n\r\n";
	struct ep_table t;

	CHECK_INT(ep_table_parse("t", text, strlen(text), &t, NULL), 0);
	CHECK_INT(t.n_rows, 2);
	CHECK_STR(t.names[1], "B");
	CHECK_INT(t.measured[0] + 2 * t.measured[1] + 4 * t.measured[2], 5);
	CHECK_INT(t.measured[3] + 2 * t.measured[4] + 4 * t.measured[5], 2);
	CHECK_CLOSE(t.values[4], -2500, 0);
	CHECK_INT(ep_table_column(&t, "C"), 2);
	CHECK_INT(ep_table_column(&t, "D"), -1);
	ep_table_finish(&t);
}

TEST(names_command_no_terminal)
{
	static const char text[] = "a\033[31mb,c\xc2\x9b"
				   "1md,e\xe2\x80\xae"
				   "f,\xc3\xbc\n1,2,3,4\n";
	static const char *const names[] = { "a?[31mb", "c??1md", "e???f", "\xc3\xbc" };
	EP_AUTOTABLE struct ep_table t = { 0 };
	struct ep_error err;

	CHECK_INT(ep_table_parse("names.csv", text, sizeof(text) - 1, &t, &err), 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		CHECK_STR(t.names[i], names[i]);
}

TEST(one_column_keeps_its_empty_slices)
{
	struct ep_table t;

	CHECK_INT(ep_table_parse("t", "A\n1\n\n3\n", 7, &t, NULL), 0);
	CHECK_INT(t.n_rows, 3);
	CHECK_INT(t.measured[1], 0);
	ep_table_finish(&t);
}

static void round_trip(const char *suffix)
{
	static const char text[] = "A,B\n1e18,\n0,0.5\n";
	char path[64];
	struct ep_table t, back;

	snprintf(path, sizeof(path), "/tmp/test_table.%d%s", (int)getpid(), suffix);
	CHECK_INT(ep_table_parse("t", text, strlen(text), &t, NULL), 0);
	CHECK_INT(ep_table_write(path, &t, 15, NULL), 0);
	CHECK_INT(ep_table_read(path, &back, NULL), 0);
	CHECK_INT(back.n_rows, 2);
	CHECK_INT(memcmp(back.values, t.values, 4 * sizeof(double)), 0);
	CHECK_INT(memcmp(back.measured, t.measured, 4), 0);
	unlink(path);
	ep_table_finish(&t);
	ep_table_finish(&back);
}

TEST(written_tables_read_back)
{
	round_trip(".csv");
	round_trip(".csv.gz");
}

TEST(an_unwritable_path_is_an_error)
{
	struct ep_table t;

	CHECK_INT(ep_table_parse("t", "A\n1\n", 4, &t, NULL), 0);
	CHECK_INT(ep_table_write("/nonexistent/x.csv", &t, 9, NULL), -ENOENT);
	ep_table_finish(&t);
}

TEST(text_for_programs_is_quoted_where_it_must_be)
{
	static const struct {
		const char *text, *cell;
	} rows[] = {
		{ NULL, "" },
		{ "", "" },
		{ "main", "main" },
		{ "operator()(int, char)", "\"operator()(int, char)\"" },
		{ "operator\"\" _s", "\"operator\"\"\"\" _s\"" },
		{ "two\nlines", "\"two\nlines\"" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		char cell[64] = "";
		FILE *out = fmemopen(cell, sizeof(cell), "w");

		ep_table_put_text(out, rows[i].text);
		fclose(out);
		CHECK_STR(cell, rows[i].cell);
	}
}
