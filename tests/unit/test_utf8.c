// SPDX-License-Identifier: BSD-3-Clause
/* The characters of RFC 3629, section 4, and what comes in the place of other bytes. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/text/utf8.h"

TEST(sizes)
{
	static const struct {
		const char *text;
		size_t size;
	} rows[] = {
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "", 0 },
		{ "\x80", 0 },     /* a byte that continues nothing */
		{ "\xc1\xbf", 0 }, /* a long form of U+007F */
		{ "\xc2\x80", 2 }, /* U+0080 */
		{ "\xdf\xbf", 2 }, /* U+07FF */
		{ "\xc2", 0 },     /* cut */
		{ "\xc2z", 0 },
		{ "\xe0\x9f\xbf", 0 }, /* a long form of U+07FF */
		{ "\xe0\xa0\x80", 3 }, /* U+0800 */
		{ "\xed\x9f\xbf", 3 }, /* U+D7FF */
		{ "\xed\xa0\x80", 0 }, /* a surrogate */
		{ "\xee\x80\x80", 3 }, /* U+E000 */
		{ "\xef\xbf\xbf", 3 },
		{ "\xe2\x80", 0 },
		{ "\xe2\x80z", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 }, /* a long form of U+FFFF */
		{ "\xf0\x90\x80\x80", 4 }, /* U+10000 */
		{ "\xf4\x8f\xbf\xbf", 4 }, /* U+10FFFF */
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_MSG(ep_utf8_size(rows[i].text) == rows[i].size, "row %zu: %zu bytes", i,
			ep_utf8_size(rows[i].text));
}

TEST(copies)
{
	EP_AUTOFREE char *good = ep_utf8_copy("w\xc3\xb6rker"), *bad = ep_utf8_copy("a\xff"
										    "b\xe2\x80");

	CHECK_STR(good, "w\xc3\xb6rker");
	CHECK_STR(bad, "a" EP_UTF8_UNKNOWN "b" EP_UTF8_UNKNOWN EP_UTF8_UNKNOWN);
}
