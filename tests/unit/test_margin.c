// SPDX-License-Identifier: BSD-3-Clause
/* Brackets of a loop around another one. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/annotate/margin.h"

enum { OUTER, INNER, N_LOOPS, N_MOST = 8 };
#define NONE EP_NONE
#define ANY EP_MARGIN_ANY

TEST(brackets)
{
	static const struct {
		uint32_t n, loops[N_MOST];
		const char *text;
	} cases[] = {
		{ 3, { NONE, NONE, NONE }, "\n\n\n" },
		{ 5, { NONE, OUTER, OUTER, OUTER, NONE }, "  \n/ \n| \n\\ \n  \n" },
		{ 5, { OUTER, INNER, INNER, OUTER, NONE }, "/  \n|/ \n|\\ \n\\  \n   \n" },
		{ 3, { OUTER, INNER, OUTER }, "/  \n|[ \n\\  \n" },
		{ 4, { OUTER, NONE, ANY, OUTER }, "/ \n: \n| \n\\ \n" },
		{ 4, { ANY, INNER, INNER, ANY }, "   \n// \n\\\\ \n   \n" },
	};
	struct ep_annotated_loop loops[N_LOOPS] = { [OUTER] = { .parent_idx = NONE, .depth = 1 },
		[INNER] = { .parent_idx = OUTER, .depth = 2 } };
	const struct ep_annotation annotation = { .loops = loops, .n_loops = N_LOOPS };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		EP_AUTOFREE char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		const struct ep_layout layout = { out, 80, false, false };
		struct ep_margins margins;

		CHECK_INT(ep_margins_create(&annotation, cases[i].loops, cases[i].n, &margins), 0);
		for (uint32_t row = 0; row < cases[i].n; row++) {
			ep_margins_put(&margins, row, &layout);
			fputc('\n', out);
		}
		fclose(out);
		CHECK_STR(text, cases[i].text);
		ep_margins_finish(&margins);
	}
}
