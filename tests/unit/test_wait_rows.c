// SPDX-License-Identifier: BSD-3-Clause
/* Sums of waits: alike ones in one row, others in their own, and none beyond what there is room for. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "preload/thread/wait_rows.h"

static struct ep_wait_rows waits;

static struct ep_wait_sum wait_of(uint32_t node_idx, uint64_t ns)
{
	return (struct ep_wait_sum){ .node_idx = node_idx,
		.kind = EP_WAIT_MUTEX,
		.n_waits = 1,
		.off_ns = ns,
		.longest_ns = ns };
}

static void add(struct ep_wait_sum sum)
{
	ep_wait_rows_add(&waits, &sum);
}

TEST(alike_waits_share_a_row)
{
	ep_wait_rows_clear(&waits);
	add(wait_of(3, 100));
	add(wait_of(3, 300));
	add(wait_of(3, 200));
	CHECK_INT(waits.n_rows, 1);
	CHECK_INT(waits.rows[0].n_waits, 3);
	CHECK_INT(waits.rows[0].off_ns, 600);
	CHECK_INT(waits.rows[0].longest_ns, 300);
}

TEST(each_difference_has_its_own_row)
{
	struct ep_wait_sum others[9];

	for (int i = 0; i < 9; i++)
		others[i] = wait_of(3, 100);
	others[0].node_idx = 4;
	others[1].kind = EP_WAIT_READ;
	others[2].object = 64;
	others[3].object_module = 1;
	others[4].name = 1;
	others[5].holder = 1;
	others[6].holder_node = 1;
	others[7].holder_kind = 1;
	others[8].region = 1;
	ep_wait_rows_clear(&waits);
	add(wait_of(3, 100));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 9; i++)
			add(others[i]);
	CHECK_INT(waits.n_rows, 10);
	for (uint32_t i = 1; i < waits.n_rows; i++)
		CHECK_INT(waits.rows[i].n_waits, 2);
}

TEST(what_has_no_room_is_counted_as_lost)
{
	ep_wait_rows_clear(&waits);
	for (uint32_t i = 0; i < EP_WAIT_MAX_ROWS + 5; i++)
		add(wait_of(i, 100));
	CHECK(ep_wait_rows_are_full(&waits));
	CHECK_INT(waits.n_rows, EP_WAIT_MAX_ROWS);
	CHECK_INT(waits.n_lost, 5);
	add(wait_of(0, 100)); /* has its row */
	CHECK_INT(waits.n_lost, 5);
	ep_wait_rows_clear(&waits);
	CHECK_INT(waits.n_rows, 0);
	CHECK_INT(waits.n_lost, 5); /* until a block says so */
	waits.n_lost = 0;
	add(wait_of(EP_WAIT_MAX_ROWS, 100));
	CHECK_INT(waits.n_rows, 1);
}

TEST(names_are_kept_once_and_while_there_is_room)
{
	char text[EP_WAIT_NAMES_BYTES / 4];

	ep_wait_rows_clear(&waits);
	CHECK_INT(ep_wait_rows_name(&waits, "/a", 2), 1);
	CHECK_INT(ep_wait_rows_name(&waits, "/ab", 3), 2);
	CHECK_INT(ep_wait_rows_name(&waits, "/a", 2), 1);
	CHECK_INT(ep_wait_rows_name(&waits, "", 0), 0);
	for (int i = 0; i < 4; i++) {
		memset(text, 'a' + i, sizeof(text));
		CHECK_INT(ep_wait_rows_name(&waits, text, sizeof(text)), i < 3 ? 3 + i : 0);
	}
	ep_wait_rows_clear(&waits);
	for (int i = 0; i < EP_WAIT_MAX_NAMES + 3; i++) {
		text[0] = (char)('A' + i);
		CHECK_INT(ep_wait_rows_name(&waits, text, 1), i < EP_WAIT_MAX_NAMES ? i + 1 : 0);
	}
}

/* The largest block that a thread can have fits where blocks are put together. */
TEST(a_full_block_comes_back)
{
	static uint8_t data[EP_MEMBER_MAX_BYTES];
	struct ep_wire wire = { .data = data, .capacity_bytes = sizeof(data) };
	struct ep_waits got = { 0 };
	struct ep_block block;
	size_t at = 0;

	ep_wait_rows_clear(&waits);
	ep_wait_rows_append(&waits, 1, 1, (struct ep_process_key){ 1, 2 }, &wire);
	CHECK_INT(wire.size_bytes, 0); /* there is nothing to say */
	for (uint32_t i = 0; i < EP_WAIT_MAX_ROWS; i++)
		add(wait_of(i, UINT64_MAX));
	ep_wait_rows_name(&waits, "/a", 2);
	waits.n_lost = 3;
	ep_wait_rows_append(&waits, 5, 6, (struct ep_process_key){ 1, 2 }, &wire);
	CHECK(!wire.overflow && wire.size_bytes < sizeof(data) / 4);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(ep_waits_decode(&block, &got), 0);
	CHECK_INT(got.thread, 5);
	CHECK_INT(got.epoch, 6);
	CHECK_INT(got.n_sums, EP_WAIT_MAX_ROWS);
	CHECK_INT(got.n_names, 1);
	CHECK_INT(got.n_lost, 3);
	CHECK_INT(waits.n_lost, 3); /* the block may have to be appended again */
	waits.n_lost++;
	ep_wait_rows_clear(&waits);
	CHECK_INT(waits.n_lost, 1);
	free(got.sums);
}

/* Where the thread has been in a region, the block before says in which it waited. */
TEST(regions_of_sums_come_before_them)
{
	static uint8_t data[4096];
	struct ep_wire wire = { .data = data, .capacity_bytes = sizeof(data) };
	struct ep_wait_sum in_region = wait_of(1, 100);
	struct ep_wait_regions got = { 0 };
	struct ep_block block;
	size_t at = 0;

	ep_wait_rows_clear(&waits);
	in_region.region = 9;
	add(wait_of(1, 100));
	add(in_region);
	waits.has_regions = true;
	ep_wait_rows_append(&waits, 5, 6, (struct ep_process_key){ 1, 2 }, &wire);
	waits.has_regions = false;
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_WAIT_REGIONS);
	CHECK_INT(ep_wait_regions_decode(&block, &got), 0);
	CHECK_INT(got.n_sums, 2);
	CHECK(!got.nodes[0] && got.nodes[1] == 9);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_WAITS);
	free(got.nodes);
}

TEST(calls_that_were_not_looked_at_are_a_sum_without_time)
{
	ep_wait_rows_clear(&waits);
	waits.n_unseen[EP_WAIT_READ] = 500;
	ep_wait_rows_add_unseen(&waits);
	waits.n_unseen[EP_WAIT_READ] = 70;
	ep_wait_rows_add_unseen(&waits);
	CHECK_INT(waits.n_rows, 1);
	CHECK_INT(waits.rows[0].kind, EP_WAIT_READ);
	CHECK_INT(waits.rows[0].n_waits, 570);
	CHECK_INT(waits.rows[0].off_ns, 0);
	CHECK_INT(waits.n_unseen[EP_WAIT_READ], 0);
}
