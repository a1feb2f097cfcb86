// SPDX-License-Identifier: BSD-3-Clause
/* An index finds what was added, told apart by the caller where hashes are equal, and nothing else. */
#include "common/containers/index.h"
#include "tests/unit/test.h"

enum { N = 5000 };

static bool is_key(const void *owner, uint32_t idx, const void *key)
{
	return ((const uint64_t *)owner)[idx] == *(const uint64_t *)key;
}

/* n_hashes: of all elements together; with few many share one. */
static void fill(struct ep_index *index, uint64_t *keys, uint32_t n, uint64_t n_hashes)
{
	for (uint32_t i = 0; i < n; i++) {
		keys[i] = i * 7919ull;
		CHECK_INT(ep_index_add(index, ep_hash_mix(0, keys[i] % n_hashes), i), 0);
	}
}

static void find_all(uint32_t n, uint64_t n_hashes)
{
	static uint64_t keys[N];
	struct ep_index index = { 0 };
	uint64_t missing = 1;

	CHECK_INT(ep_index_find(&index, ep_hash_mix(0, 1), is_key, keys, &missing), EP_NONE);
	fill(&index, keys, n, n_hashes);
	for (uint32_t i = 0; i < n; i++)
		CHECK_INT(ep_index_find(&index, ep_hash_mix(0, keys[i] % n_hashes), is_key, keys,
				  &keys[i]),
			i);
	CHECK_INT(ep_index_find(&index, ep_hash_mix(0, 1 % n_hashes), is_key, keys, &missing),
		EP_NONE);
	ep_index_clear(&index);
	CHECK_INT(ep_index_find(&index, ep_hash_mix(0, keys[0] % n_hashes), is_key, keys, &keys[0]),
		EP_NONE);
	ep_index_finish(&index);
}

TEST(elements_are_found_as_the_index_grows)
{
	find_all(N, UINT64_MAX);
}

TEST(elements_of_one_hash_are_told_apart)
{
	find_all(300, 3);
}

TEST(bytes_of_other_lengths_have_other_hashes)
{
	static const char zeros[17];

	for (size_t i = 0; i < sizeof(zeros); i++)
		for (size_t k = i + 1; k < sizeof(zeros); k++)
			CHECK(ep_hash_bytes(0, zeros, i) != ep_hash_bytes(0, zeros, k));
}
