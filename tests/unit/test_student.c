// SPDX-License-Identifier: BSD-3-Clause
/* Student's t against its tables: Abramowitz and Stegun, table 26.10. */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "reporter/compare/student.h"

TEST(quantiles_are_those_of_tables)
{
	static const struct {
		double chance, df, t;
	} rows[] = {
		{ 0.025, 1, 12.706 },
		{ 0.025, 2, 4.303 },
		{ 0.025, 4, 2.776 },
		{ 0.005, 4, 4.604 },
		{ 0.05, 10, 1.812 },
		{ 0.0005, 30, 3.646 },
		{ 0.025, 120, 1.980 },
		{ 0.025, INFINITY, 1.960 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		CHECK_CLOSE(ep_student_quantile(rows[i].chance, rows[i].df), rows[i].t, 1e-3);
		CHECK_CLOSE(ep_student_above(rows[i].t, rows[i].df), rows[i].chance, 2e-3);
		CHECK_CLOSE(ep_student_above(-rows[i].t, rows[i].df), 1 - rows[i].chance, 1e-4);
	}
	CHECK_CLOSE(ep_student_above(0, 4), 0.5, 1e-12);
}
