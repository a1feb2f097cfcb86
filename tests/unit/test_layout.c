// SPDX-License-Identifier: BSD-3-Clause
/* Text in columns: nothing is wider than it may be, and what gives way is the middle. */
#include "tests/unit/test.h"

#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/layout.h"

static char *text;
static size_t text_bytes;

static struct ep_layout open_layout(uint32_t width, bool utf8)
{
	return (struct ep_layout){ open_memstream(&text, &text_bytes), width, utf8, false };
}

static void check_text(struct ep_layout *layout, const char *expected)
{
	fclose(layout->out);
	CHECK_STR(text, expected);
	free(text);
}

TEST(cells_are_as_wide_as_told)
{
	static const struct {
		const char *text;
		uint32_t width;
		bool utf8;
		const char *expected;
	} rows[] = {
		{ "abc", 5, true, "abc  " },
		{ "abcde", 5, true, "abcde" },
		{ "abcdefg", 5, true, "ab\u2026fg" },
		{ "abcdefg", 6, true, "abc\u2026fg" },
		{ "abcdefg", 5, false, "ab..g" },
		{ "\u00e4\u00f6\u00fc\u00df\u00e9\u00e8", 4, true, "\u00e4\u00f6\u2026\u00e8" },
		{ "abcdefg", 1, true, "a" },
		{ "abcdefg", 0, true, "" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_layout layout = open_layout(80, rows[i].utf8);

		ep_put_cell(&layout, rows[i].text, rows[i].width);
		check_text(&layout, rows[i].expected);
	}
}

TEST(lines_of_cells_end_without_blanks)
{
	static const struct {
		struct ep_cell cells[3];
		const char *expected;
	} rows[] = {
		{ { { "name", 6 }, { "library", 9 }, { "a.c:1", 8 } },
			"name    library    a.c:1\n" },
		{ { { "name", 6 }, { "library", 9 }, { "", 8 } }, "name    library\n" },
		{ { { "name", 6 }, { "library", 0 }, { "a.c:1", 0 } }, "name\n" },
		{ { { "name", 6 }, { "library", 0 }, { "a.c:1", 8 } }, "name    a.c:1\n" },
		{ { { "a long name", 6 }, { "", 9 }, { "", 8 } }, "a l\u2026me\n" },
		{ { { "", 6 }, { "", 9 }, { "", 8 } }, "\n" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_layout layout = open_layout(80, true);

		ep_put_cells(&layout, rows[i].cells, 3);
		check_text(&layout, rows[i].expected);
	}
}

TEST(paragraphs_stay_in_their_columns)
{
	static const struct {
		const char *text;
		uint32_t width, indent;
		const char *expected;
	} rows[] = {
		{ "one two three", 20, 2, "one two three\n" },
		{ "one two three four", 15, 2, "one two three\n  four\n" },
		{ "a 0123456789abcdefghij b", 14, 2, "a\n  0123456789ab\n  cdefghij b\n" },
		{ "\u00e4\u00e4\u00e4\u00e4 \u00f6\u00f6\u00f6\u00f6\u00f6 \u00fc", 12, 2,
			"\u00e4\u00e4\u00e4\u00e4 \u00f6\u00f6\u00f6\u00f6\u00f6\n  \u00fc\n" },
		{ "it is 126 % of it", 12, 2, "it is\n  126 % of\n  it\n" },
		{ "26 %", 3, 0, "26 %\n" }, /* there are ten columns at least */
		{ "", 20, 2, "\n" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_layout layout = open_layout(rows[i].width, true);

		ep_put_wrapped(&layout, rows[i].text, rows[i].indent);
		check_text(&layout, rows[i].expected);
	}
}

TEST(an_explanation_that_does_not_fit_gets_its_own_lines)
{
	struct ep_layout wide = open_layout(30, true), narrow;

	ep_put_heading(&wide, "Title", "what it is");
	check_text(&wide, "\nTitle  what it is\n");
	narrow = open_layout(16, true);
	ep_put_heading(&narrow, "Title", "what it is");
	check_text(&narrow, "\nTitle\n  what it is\n");
}

TEST(template_arguments_give_way_first)
{
	static const struct {
		const char *name;
		uint32_t width;
		const char *expected;
	} rows[] = {
		{ "std::sort<int*>", 20, "std::sort<int*>" },
		{ "std::sort<int*, std::less<int>>::run", 20, "std::sort<\u2026>::run" },
		{ "a::operator<<", 5, "a::operator<<" },
		{ "physics::solvers::Laplace<double, 2>::apply", 50,
			"physics::solvers::Laplace<double, 2>::apply" },
		{ "physics::solvers::Laplace<double, 2>::apply", 37,
			"physics::solvers::Laplace<\u2026>::apply" },
		{ "physics::solvers::Laplace<double, 2>::apply", 32,
			"\u2026::solvers::Laplace<\u2026>::apply" },
		{ "physics::solvers::Laplace<double, 2>::apply", 24,
			"\u2026::Laplace<\u2026>::apply" },
		{ "physics::solvers::Laplace<double, 2>::apply", 8,
			"\u2026::Laplace<\u2026>::apply" },
		{ "core::ops::function::FnOnce::call_once", 30,
			"\u2026::function::FnOnce::call_once" },
		{ "a::b", 2, "a::b" },
		{ "<core::slice::Iter<T> as Iterator>::next", 10, "<Iter<\u2026>>::next" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_layout layout = { .utf8 = true };
		char out[128];

		ep_shorten_name(&layout, rows[i].name, rows[i].width, out, sizeof(out));
		CHECK_STR(out, rows[i].expected);
	}
}

TEST(libraries_lose_their_versions)
{
	static const char *const rows[][2] = {
		{ "libc.so.6", "libc" },
		{ "libplug.so", "libplug" },
		{ "_umath.cpython-311-x86_64-linux-gnu.so", "_umath" },
		{ "app", "app" },
		{ "[kernel]", "[kernel]" },
	};
	char out[64];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		ep_format_library(out, sizeof(out), rows[i][0]);
		CHECK_STR(out, rows[i][1]);
	}
}

TEST(times_have_three_digits_and_a_unit)
{
	static const struct {
		double seconds;
		const char *expected;
	} rows[] = { { 0, "0 s" }, { 5e-9, "5 ns" }, { 1.5e-6, "1.50 us" }, { 0.0123, "12.3 ms" },
		{ 0.9994, "999 ms" }, { 0.9996, "1.00 s" }, { 59.94, "59.9 s" },
		{ 7200, "2.0 h" } };
	char out[EP_NUMBER_BYTES];

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		ep_format_seconds(out, rows[i].seconds);
		CHECK_STR(out, rows[i].expected);
	}
}
