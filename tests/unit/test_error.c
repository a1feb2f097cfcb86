// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/error.h"

TEST(places_leave_out_what_is_unknown)
{
	static const struct {
		struct ep_place place;
		const char *where;
	} rows[] = {
		{ { NULL, 3, 4 }, "" },
		{ { "a.tsv", 0, 4 }, "a.tsv" },
		{ { "a.tsv", 7, 0 }, "a.tsv:7" },
		{ { "a.tsv", 7, 9 }, "a.tsv:7:9" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ep_error err;

		CHECK_INT(ep_fail_at(&err, -EINVAL, rows[i].place, "bad %d", 5), -EINVAL);
		CHECK_STR(err.where, rows[i].where);
		CHECK_STR(err.message, "bad 5");
	}
}

TEST(a_null_error_is_allowed)
{
	CHECK_INT(ep_fail(NULL, -ENOMEM, "x"), -ENOMEM);
}
