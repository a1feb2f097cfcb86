// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/fill/slice_order.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

TEST(slices_of_a_key_stand_together_in_time)
{
	static const uint64_t keys[] = { 7, 7, 3, 7, UINT64_MAX, 3, 0, 0, 7 };
	static const uint32_t expected[] = { 0, 1, 3, 8, 2, 5, 4, 6, 7 };
	EP_AUTOFREE struct ep_keyed_slice *order = ep_slices_by_key(keys, 9);

	for (int i = 0; i < 9; i++) {
		CHECK_INT(order[i].slice, expected[i]);
		CHECK(order[i].key == keys[expected[i]]);
	}
}

TEST(many_keys_and_none)
{
	enum { N = 10000 };
	EP_AUTOFREE uint64_t *keys = calloc(N, sizeof(*keys));
	EP_AUTOFREE struct ep_keyed_slice *order = NULL, *empty = ep_slices_by_key(keys, 0);

	CHECK(empty != NULL);
	for (uint64_t i = 0; i < N; i++)
		keys[i] = i % 5000 * 0x9e3779b97f4a7c15ull;
	order = ep_slices_by_key(keys, N);
	for (uint32_t i = 0; i < N; i++)
		CHECK_INT(order[i].slice, i / 2 + i % 2 * 5000);
}

TEST(in_time_all_have_one_key)
{
	EP_AUTOFREE struct ep_keyed_slice *order = ep_slices_in_time(3);

	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(order[i].slice, i);
		CHECK(order[i].key == 0);
	}
}
