// SPDX-License-Identifier: BSD-3-Clause
/* An array that grows keeps its elements, and one that cannot grow keeps what it has. */
#include "common/containers/array.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>

enum { N = 1000 };

TEST(elements_stay_as_the_array_grows)
{
	uint32_t *values = NULL, n = 0, capacity = 0;

	for (uint32_t i = 0; i < N; i++) {
		CHECK_INT(EP_ARRAY_RESERVE(values, n, capacity), 0);
		CHECK(capacity > n);
		values[n++] = i * 3;
	}
	for (uint32_t i = 0; i < N; i++)
		CHECK_INT(values[i], i * 3);
	free(values);
}

TEST(a_capacity_beyond_its_number_is_refused)
{
	uint32_t value = 7, *values = &value, capacity = 1u << 31;

	CHECK_INT(EP_ARRAY_RESERVE(values, capacity, capacity), -ENOMEM);
	CHECK(values == &value && capacity == 1u << 31);
}
