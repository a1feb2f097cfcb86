// SPDX-License-Identifier: BSD-3-Clause
/* Which lines of a perf map name code that ticks met. */
#include "tests/unit/test.h"

#include <string.h>

#include "common/cleanup.h"
#include "preload/interpreter/made_code.h"

static bool wants(const char *line)
{
	return ep_made_code_wants(line, strlen(line));
}

TEST(lines_of_pages_that_ticks_met_are_wanted)
{
	static const struct {
		const char *line;
		bool is_wanted;
	} rows[] = {
		{ "7f0000001000 20 at the page", true },
		{ "7f0000001fff 1 at its end", true },
		{ "7f0000002000 20 behind it", false },
		{ "7f0000000ff0 10 before it", false },
		{ "7f0000000ff0 11 into it", true },
		{ "7F0000000000 3000 OVER IT", true },
		{ "0x7f0000001000 0x20 with 0x", true },
		{ "7f0000800000 20 another page that was met", true },
		{ "1000 7f0000001000 larger than may be", true },
		{ "7f0000001000 0 nothing", false },
		{ "7f0000001000 20", false },
		{ "7f0000001000", false },
		{ "", false },
		{ " 7f0000001000 20 a blank first", false },
		{ "7f0000001000  20 two blanks", false },
		{ "7f0000001000 2g no number", false },
		{ "00007f000000100000 20 too many digits", false },
		{ "ffffffffffffffff ffffffffffffffff wraps around", false },
	};

	CHECK(!ep_made_code_was_met());
	CHECK(!wants(rows[0].line));
	ep_made_code_note(0x7f0000001234);
	ep_made_code_note(0x7f0000001238);
	ep_made_code_note(0x7f0000800000);
	CHECK(ep_made_code_was_met());
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(wants(rows[i].line) == rows[i].is_wanted, "%s", rows[i].line);
}

/* More pages than there is room for: then all lines are. */
TEST(no_line_is_lost_where_there_are_too_many_pages)
{
	char line[64];

	for (uint64_t i = 0; i < 5000; i++)
		ep_made_code_note(0x7e0000000000 + i * 8192);
	for (uint64_t i = 0; i < 5000; i++) {
		snprintf(line, sizeof(line), "%llx 10 one",
			0x7e0000000000ull + (unsigned long long)i * 8192);
		CHECK(wants(line));
	}
	CHECK(!wants("no line"));
}
