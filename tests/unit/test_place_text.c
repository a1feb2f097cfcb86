// SPDX-License-Identifier: BSD-3-Clause
/* How a row's place is written. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/compare/place_text.h"

static const struct {
	struct ep_compared_place place;
	uint32_t columns;
	const char *text;
} cases[] = {
	{ { .name = "solve" }, 40, "solve" },
	{ { .name = "solve", .is_gone = true }, 40, "solve (gone)" },
	{ { .name = "solve", .was = "iterate" }, 40, "solve (was iterate)" },
	{ { .name = "solve", .file = "fem.c", .line = 12 }, 40, "fem.c:12 solve" },
	{ { .name = "solve", .file = "fem.c", .line = 12, .was_line = 10 }, 40, "fem.c:12 solve" },
	{ { .name = "solve", .file = "fem.c", .line = 12, .was_file = "old.c" }, 40,
		"fem.c:12 solve (was old.c:12)" },
	{ { .name = "solve",
		  .was = "iterate",
		  .file = "fem.c",
		  .line = 12,
		  .was_file = "old.c",
		  .was_line = 10 },
		50, "fem.c:12 solve (was old.c:10 iterate)" },
	{ { .name = "solve<std::vector<double>>", .was = "iterate" }, 24,
		"solve<..> (was iterate)" },
};

TEST(places_say_what_they_were)
{
	const struct ep_layout layout = { .width = 80 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		char text[2400];

		ep_compare_format_place(
			&layout, &cases[i].place, cases[i].columns, text, sizeof(text));
		CHECK_STR(text, cases[i].text);
	}
}
