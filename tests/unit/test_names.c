// SPDX-License-Identifier: BSD-3-Clause
/* Sets of names: each has one number, by which its text is found, however many there are. */
#include "common/containers/names.h"

#include "tests/unit/test.h"

enum { N_NAMES = 5000 }; /* the arrays grow nine times */

static void name_of(uint32_t i, char out[16])
{
	snprintf(out, 16, "n%u", i);
}

TEST(numbers_are_by_first_appearance)
{
	struct ep_names names = { 0 };
	char name[16];
	uint32_t idx;

	CHECK_INT(ep_names_find(&names, "n0"), EP_NONE);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < N_NAMES; i++) {
			name_of(i, name);
			CHECK_INT(ep_names_add(&names, name, &idx), 0);
			CHECK_INT(idx, i);
		}
	CHECK_INT(names.n_names, N_NAMES);
	for (uint32_t i = 0; i < N_NAMES; i++) {
		name_of(i, name);
		CHECK_INT(ep_names_find(&names, name), i);
		CHECK_STR(names.texts[i], name);
	}
	CHECK_INT(ep_names_find(&names, "n5000"), EP_NONE);
	ep_names_finish(&names);
}

/* Elements that were forgotten are not found, and their places are free for others. */
static bool same_number(const void *owner, uint32_t idx, const void *key)
{
	return ((const uint64_t *)owner)[idx] == *(const uint64_t *)key;
}

TEST(a_cleared_index_is_used_again)
{
	static const uint64_t numbers[] = { 3, 5, 3ull << 40 };
	struct ep_index index = { 0 };

	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(ep_index_add(&index, ep_hash_mix(0, numbers[i]), i), 0);
	CHECK_INT(ep_index_find(
			  &index, ep_hash_mix(0, numbers[2]), same_number, numbers, &numbers[2]),
		2);
	ep_index_clear(&index);
	CHECK_INT(ep_index_find(
			  &index, ep_hash_mix(0, numbers[2]), same_number, numbers, &numbers[2]),
		EP_NONE);
	CHECK_INT(ep_index_add(&index, ep_hash_mix(0, numbers[1]), 1), 0);
	CHECK_INT(ep_index_find(
			  &index, ep_hash_mix(0, numbers[1]), same_number, numbers, &numbers[1]),
		1);
	ep_index_finish(&index);
}
