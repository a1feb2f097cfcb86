// SPDX-License-Identifier: BSD-3-Clause
/* Names of a trace come from programs: none of them may steer the terminal that shows it. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/containers/strings.h"

static void check_kept(const char *text, const char *kept)
{
	struct ep_strings strings = { 0 };

	CHECK_STR(ep_strings_add(&strings, text, strlen(text)), kept);
	ep_strings_finish(&strings);
}

TEST(what_a_terminal_would_obey_is_not_kept)
{
	static const struct {
		const char *text, *kept;
	} rows[] = {
		{ "a\x1b[31mb\x7f\n", "a?[31mb??" },
		{ "\xc2\x9b"
		  "31m",
			"??31m" }, /* CSI in UTF-8 */
		{ "a\x9b"
		  "31m",
			"a?31m" }, /* and in Latin-1 */
		{ "\xc3\xa4\x9b"
		  "31m",
			"\xc3\xa4?31m" },
		{ "x\xe2\x80\xae"
		  "c.exe",
			"x???c.exe" }, /* U+202E */
		{ "\xe2\x81\xa6"
		  "a\xe2\x81\xa9",
			"???a???" },
		{ "\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8", "????????" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		check_kept(rows[i].text, rows[i].kept);
}

static EP_PRINTF(2, 3) const char *format(struct ep_strings *strings, const char *text, ...)
{
	const char *kept;
	va_list args;

	va_start(args, text);
	kept = ep_strings_format(strings, text, args);
	va_end(args);
	return kept;
}

TEST(formatted_texts_are_kept_once)
{
	struct ep_strings strings = { 0 };
	const char *kept = format(&strings, "%s %d\n", "run", 7);

	CHECK_STR(kept, "run 7?");
	CHECK(format(&strings, "%s", "run 7?") == kept);
	ep_strings_finish(&strings);
}

/* Letters hold bytes from 0x80 to 0x9f, too; a byte cut off and Latin-1 stay for who writes them. */
TEST(letters_stay)
{
	static const char *const texts[] = { "plain", "\xc3\x9f\xc3\x84",
		"\xe2\x80\x93\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xd8\xa7\xd9\x84", "caf\xe9",
		"cut\xc3", "cut\xe2\x80", "" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(texts); i++)
		check_kept(texts[i], texts[i]);
}
