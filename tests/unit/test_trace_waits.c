// SPDX-License-Identifier: BSD-3-Clause
/* WAITS and WAIT_REGIONS blocks: what is written comes back, and what makes no sense is refused. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/trace.h"

static uint8_t data[4096];

static struct ep_wait_sum sums[] = {
	{ 4, EP_WAIT_MUTEX, 7, 9000000, 5000000, 2, 0x40c0, 0, 3, 9, EP_WAIT_SLEEP },
	{ 5, EP_WAIT_READ, 1, 1ull << 40, 1ull << 40, 0, 0, 2, 0, 0, 0 },
	{ UINT32_MAX, 255, UINT64_MAX, UINT64_MAX, 0, UINT32_MAX, UINT64_MAX, 1, 0, 0, 200 },
};

static struct ep_waits waits = { .thread = 3,
	.epoch = 2,
	.n_lost = 11,
	.n_names = 2,
	.n_sums = EP_ARRAY_SIZE(sums),
	.names = { { "/tmp/a file", 11 }, { "a pipe", 6 } },
	.sums = sums };

static struct ep_block encode(const struct ep_waits *what)
{
	struct ep_wire wire = { .data = data, .capacity_bytes = sizeof(data) };
	struct ep_block block = { 0 };
	size_t at = 0;

	ep_waits_encode(&wire, (struct ep_process_key){ 42, 7 }, what);
	CHECK(!wire.overflow);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_WAITS);
	CHECK_INT(block.key.pid, 42);
	return block;
}

static void check_sum(const struct ep_wait_sum *got, const struct ep_wait_sum *wanted)
{
	CHECK_INT(got->node_idx, wanted->node_idx);
	CHECK_INT(got->kind, wanted->kind);
	CHECK(got->n_waits == wanted->n_waits);
	CHECK(got->off_ns == wanted->off_ns);
	CHECK(got->longest_ns == wanted->longest_ns);
	CHECK_INT(got->object_module, wanted->object_module);
	CHECK(got->object == wanted->object);
	CHECK_INT(got->name, wanted->name);
	CHECK_INT(got->holder, wanted->holder);
	CHECK_INT(got->holder_node, wanted->holder_node);
	CHECK_INT(got->holder_kind, wanted->holder_kind);
}

TEST(what_is_written_comes_back)
{
	struct ep_block block = encode(&waits);
	struct ep_waits got = { 0 };

	CHECK_INT(ep_waits_decode(&block, &got), 0);
	CHECK_INT(got.thread, 3);
	CHECK_INT(got.epoch, 2);
	CHECK_INT(got.n_lost, 11);
	CHECK_INT(got.n_names, 2);
	CHECK(got.names[0].size == 11 && !memcmp(got.names[0].text, "/tmp/a file", 11));
	CHECK(got.names[1].size == 6 && !memcmp(got.names[1].text, "a pipe", 6));
	CHECK_INT(got.n_sums, EP_ARRAY_SIZE(sums));
	for (uint32_t i = 0; i < got.n_sums && i < EP_ARRAY_SIZE(sums); i++)
		check_sum(&got.sums[i], &sums[i]);
	free(got.sums);
}

TEST(a_body_cut_at_any_byte_or_too_long_is_refused)
{
	struct ep_block block = encode(&waits);
	size_t whole = block.size_bytes;

	for (size_t size = 0; size < whole; size++) {
		EP_AUTOFREE uint8_t *copy = malloc(size + 1);
		struct ep_waits got;

		memcpy(copy + 1, block.body, size);
		CHECK_INT(ep_waits_decode(&(struct ep_block){ .type = EP_BLOCK_WAITS,
						  .body = copy + 1,
						  .size_bytes = size },
				  &got),
			-EBADMSG);
	}
	data[block.body - data + whole] = 0;
	block.size_bytes = whole + 1;
	CHECK_INT(ep_waits_decode(&block, &(struct ep_waits){ 0 }), -EBADMSG);
}

static struct ep_block encode_regions(void)
{
	struct ep_wait_sum of_regions[] = { { .region = 7 }, { .region = 0 },
		{ .region = UINT32_MAX } };
	struct ep_waits what = {
		.thread = 5, .n_sums = EP_ARRAY_SIZE(of_regions), .sums = of_regions
	};
	struct ep_wire wire = { .data = data, .capacity_bytes = sizeof(data) };
	struct ep_block block = { 0 };
	size_t at = 0;

	ep_wait_regions_encode(&wire, (struct ep_process_key){ 42, 7 }, &what);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_WAIT_REGIONS);
	return block;
}

TEST(regions_of_sums_come_back)
{
	struct ep_block block = encode_regions();
	struct ep_wait_regions got = { 0 };

	CHECK_INT(ep_wait_regions_decode(&block, &got), 0);
	CHECK_INT(got.thread, 5);
	CHECK_INT(got.n_sums, 3);
	CHECK(got.nodes[0] == 7 && got.nodes[1] == 0 && got.nodes[2] == UINT32_MAX);
	free(got.nodes);
}

TEST(regions_of_sums_cut_at_any_byte_or_too_long_are_refused)
{
	struct ep_block block = encode_regions();
	size_t whole = block.size_bytes;
	struct ep_wait_regions got;

	for (size_t size = 0; size < whole; size++) {
		EP_AUTOFREE uint8_t *copy = malloc(size + 1);

		memcpy(copy + 1, block.body, size);
		CHECK_INT(ep_wait_regions_decode(&(struct ep_block){ .type = EP_BLOCK_WAIT_REGIONS,
							 .body = copy + 1,
							 .size_bytes = size },
				  &got),
			-EBADMSG);
	}
	data[block.body - data + whole] = 0;
	block.size_bytes = whole + 1;
	CHECK_INT(ep_wait_regions_decode(&block, &got), -EBADMSG);
}

/* A name that is not there, more names than there may be, and a wait longer than all of its sum. */
TEST(what_makes_no_sense_is_refused)
{
	struct ep_wait_sum one = sums[0];
	struct ep_waits wrong = { .n_sums = 1, .sums = &one }, got = { 0 };
	struct ep_block block;
	uint8_t many[] = { 0, 0, 0, EP_WAIT_MAX_NAMES + 1 };

	one.name = 1;
	block = encode(&wrong);
	CHECK_INT(ep_waits_decode(&block, &got), -EBADMSG);
	one = sums[0];
	one.longest_ns = one.off_ns + 1;
	block = encode(&wrong);
	CHECK_INT(ep_waits_decode(&block, &got), -EBADMSG);
	block.body = many;
	block.size_bytes = sizeof(many);
	CHECK_INT(ep_waits_decode(&block, &got), -EBADMSG);
}

TEST(random_damage_is_refused_or_whole)
{
	struct ep_block block = encode(&waits);
	uint32_t seed = 99, n_refused = 0;

	for (int round = 0; round < 5000; round++) {
		EP_AUTOFREE uint8_t *copy = malloc(block.size_bytes);
		struct ep_block damaged = block;
		struct ep_waits got = { 0 };

		memcpy(copy, block.body, block.size_bytes);
		seed = seed * 1664525 + 1013904223;
		copy[(seed >> 8) % block.size_bytes] = (uint8_t)(seed >> 24);
		damaged.body = copy;
		if (ep_waits_decode(&damaged, &got))
			n_refused++;
		else
			free(got.sums);
	}
	CHECK(n_refused > 50);
}
