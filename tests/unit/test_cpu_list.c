// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/facts/cpu_list.h"

TEST(lists)
{
	static const struct {
		const char *text;
		bool is_one;
		uint32_t n;
	} rows[] = {
		{ "0", true, 1 },
		{ "0-3", true, 4 },
		{ "0-3,8,10-11", true, 7 },
		{ "5,5,4-6", true, 3 },
		{ "63-64", true, 2 },
		{ "8191", true, 1 },
		{ "8192", false, 0 },
		{ "0-9999", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "", false, 0 },
		{ "a", false, 0 },
		{ "1,", false, 1 },
		{ "1-", false, 0 },
		{ "-1", false, 0 },
		{ "1 2", false, 1 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_cpu_list list = { { 0 } };

		CHECK_MSG(ep_cpu_list_add(&list, rows[i].text) == rows[i].is_one, "\"%s\"",
			rows[i].text);
		CHECK_INT(ep_cpu_list_count(&list), rows[i].n);
	}
}

TEST(what_several_may_use_together)
{
	struct ep_cpu_list list = { { 0 } };

	CHECK(ep_cpu_list_add(&list, "0-1") && ep_cpu_list_add(&list, "1-2,200"));
	CHECK_INT(ep_cpu_list_count(&list), 4);
}
