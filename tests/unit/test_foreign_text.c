// SPDX-License-Identifier: BSD-3-Clause
/* test_index.c tests which characters of a trace's names stay. */
#include "common/foreign_text.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/unit/test.h"

TEST(lines_of_a_file_stay)
{
	char text[] = "a\tb\r\n\x1b[0m\xc2\x9bz\n";
	char name[] = "a\tb\n";

	ep_foreign_text_clean(text, strlen(text), EP_FOREIGN_LINES);
	CHECK_STR(text, "a\tb\r\n?[0m??z\n");
	ep_foreign_text_clean(name, strlen(name), "");
	CHECK_STR(name, "a?b?");
}

TEST(the_first_is_found)
{
	static const struct {
		const char *text;
		size_t at;
	} rows[] = {
		{ "", 0 }, { "plain\n", 6 }, { "\x1b", 0 }, { "ab\x7f\x1b", 2 },
		{ "\xc3\x84\xc2\x85", 2 }, { "x\xe2\x80\xae", 1 },
		{ "x\xe2\x80", 3 }, /* cut: no letter yet */
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_INT(
			ep_foreign_text_find(rows[i].text, strlen(rows[i].text), EP_FOREIGN_LINES),
			rows[i].at);
}

/* Cut anywhere, nothing beyond the end is looked at (under AddressSanitizer). */
TEST(truncation_at_every_byte)
{
	static const char whole[] = "a\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xf0\x9f\x98\x80";

	for (size_t size = 0; size < sizeof(whole); size++) {
		EP_AUTOFREE char *text = malloc(size + 1);

		memcpy(text, whole, size);
		ep_foreign_text_clean(text, size, "");
		CHECK_INT(ep_foreign_text_find(text, size, ""), size);
	}
}
