// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/size.h"

TEST(a_letter_stands_for_a_power_of_1024_small_or_large)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = { { "0", 0 }, { "65536", 65536 }, { "64k", 65536 }, { "64K", 65536 },
		{ "1.5m", 3 << 19 }, { "1.5M", 3 << 19 }, { ".5k", 512 }, { "2g", 2ull << 30 },
		{ "2G", 2ull << 30 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		uint64_t bytes = 7;

		CHECK_INT(ep_size_parse(rows[i].text, &bytes), 0);
		CHECK_INT(bytes, rows[i].bytes);
	}
}

TEST(what_is_no_size_is_refused_and_changes_nothing)
{
	static const char *const rows[] = { "", "k", ".", "much", "10MB", "10kk", "10 k", " 10",
		"-1G", "+1", "1e6", "10t", "1.2.3", "2000000000G",
		"1111111111111111111111111111111" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		uint64_t bytes = 7;

		CHECK_INT(ep_size_parse(rows[i], &bytes), -EINVAL);
		CHECK_INT(bytes, 7);
	}
}
