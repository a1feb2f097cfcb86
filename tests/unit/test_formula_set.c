// SPDX-License-Identifier: BSD-3-Clause
/* --param NAME=NUMBER: what is taken, what is refused, and that a refusal changes nothing. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/formula/formula_file.h"

TEST(parameters_are_set_by_their_whole_name)
{
	static const struct {
		const char *text;
		int rc;
		double l2, l2_lat; /* afterwards */
		const char *says;
	} rows[] = {
		{ "L2=12", 0, 12, 14, "" },
		{ "L2_lat=1.5e1", 0, 10, 15, "" },
		{ "L2=-3", 0, -3, 14, "" },
		{ "L=1", -ENOENT, 10, 14, "no model here has a parameter of that name" },
		{ "L2_latency=1", -ENOENT, 10, 14, "no model here has a parameter of that name" },
		{ "L2", -EINVAL, 10, 14, "expected NAME=NUMBER" },
		{ "L2=", -EINVAL, 10, 14, "expected NAME=NUMBER" },
		{ "=12", -EINVAL, 10, 14, "expected NAME=NUMBER" },
		{ "L2=12 cycles", -EINVAL, 10, 14, "expected NAME=NUMBER" },
		{ "L2=nan", -EINVAL, 10, 14, "expected NAME=NUMBER" },
		{ "L2=inf", -EINVAL, 10, 14, "expected NAME=NUMBER" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_formula_parameter parameters[] = { { .name = (char *)"L2", .value = 10 },
			{ .name = (char *)"L2_lat", .value = 14 } };
		struct ep_formula_file file = { .parameters = parameters, .n_parameters = 2 };
		struct ep_error err = { .message = "" };

		CHECK_INT(ep_formula_file_set_parameter(&file, rows[i].text, &err), rows[i].rc);
		CHECK_CLOSE(parameters[0].value, rows[i].l2, 0);
		CHECK_CLOSE(parameters[1].value, rows[i].l2_lat, 0);
		CHECK_MSG(strstr(err.message, rows[i].says), "%s: %s", rows[i].text, err.message);
	}
}
