// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "counters/events/suggest.h"

static const char *suggest(const char *wanted, const char *const *names)
{
	static char text[512];
	struct ep_suggest list;

	ep_suggest_init(&list, wanted);
	for (; *names; names++)
		ep_suggest_add(&list, *names, *names);
	return ep_suggest_text(&list, text, sizeof(text));
}

TEST(nearest_first_and_nothing_far)
{
	static const char *const names[] = { "ref-cycles", "cpu-cycles", "cycles", "instructions",
		NULL };

	CHECK_STR(suggest("cycels", names), "cycles");
	CHECK_STR(suggest("cpu_cycle", names), "cpu-cycles");
	CHECK_STR(suggest("INSTRUCTION", names), "instructions");
	CHECK_STR(suggest("xyzzy", names), "");
}

TEST(keeps_the_best_few_and_each_once)
{
	static const char *const names[] = { "abcdefgz", "abcdefyz", "abcdefgx", "abcdefgy",
		"abcdefgw", "abcdefgh", "abcdefgh", "ABCDEFGH", NULL };

	CHECK_STR(suggest("abcdefgh", names), "abcdefgh, abcdefgz, abcdefgx, abcdefgy");
}

TEST(text_is_cut_to_its_room)
{
	struct ep_suggest list;
	char text[8];

	ep_suggest_init(&list, "instructions");
	ep_suggest_add(&list, "instructions", "instructions");
	CHECK_STR(ep_suggest_text(&list, text, sizeof(text)), "instruc");
}

TEST(long_names_stay_within_bounds)
{
	char wanted[EP_EVENT_NAME_BYTES * 2], shown[EP_EVENT_NAME_BYTES * 2];
	struct ep_suggest list;

	memset(wanted, 'a', sizeof(wanted) - 1);
	wanted[sizeof(wanted) - 1] = '\0';
	memcpy(shown, wanted, sizeof(shown));
	ep_suggest_init(&list, wanted);
	ep_suggest_add(&list, shown, shown);
	CHECK_INT(list.n_names, 1);
	CHECK_INT(strlen(list.best[0].name), EP_EVENT_NAME_BYTES - 1);
}
