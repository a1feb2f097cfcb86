// SPDX-License-Identifier: BSD-3-Clause
/* A thread's regions: what it enters and leaves comes back from its blocks, each once, whatever does not fit. */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/thread/region_rows.h"

static struct ep_region_mark mark;
static struct ep_region_rows rows;
static uint8_t data[65536];
static uint64_t now_ns;

static void start(void)
{
	ep_region_rows_clear(&mark, &rows);
	now_ns = 1000;
}

static void begin(const char *name)
{
	ep_region_begin(&mark, &rows, name, now_ns += 10);
}

static void end(const char *name)
{
	ep_region_end(&mark, &rows, name, now_ns += 10);
}

static void note(uint64_t slice)
{
	if (ep_region_has_changed(&mark))
		ep_region_rows_note(&mark, &rows, slice);
}

static struct ep_block append(void)
{
	struct ep_wire wire = { .data = data, .capacity_bytes = sizeof(data) };
	struct ep_block block = { 0 };
	size_t at = 0;

	ep_region_rows_append(&mark, &rows, 3, (struct ep_process_key){ 42, 7 }, &wire);
	CHECK(!wire.overflow);
	if (ep_block_next(wire.data, wire.size_bytes, &at, &block) != 1)
		return (struct ep_block){ 0 };
	CHECK_INT(block.type, EP_BLOCK_REGIONS);
	return block;
}

static struct ep_regions read_back(void)
{
	struct ep_block block = append();
	struct ep_regions regions = { 0 };

	CHECK_INT(ep_regions_decode(&block, &regions), 0);
	ep_region_rows_sent(&mark, &rows);
	return regions;
}

static void check_node(
	const struct ep_regions *regions, uint32_t i, uint32_t parent, const char *name)
{
	CHECK(i < regions->n_nodes);
	CHECK_INT(regions->nodes[i].parent, parent);
	CHECK(regions->nodes[i].name_size == strlen(name) &&
		!memcmp(regions->nodes[i].name, name, strlen(name)));
}

static void check_sum(
	const struct ep_regions *regions, uint32_t node, uint64_t n_entries, uint64_t wall_ns)
{
	CHECK(node && node <= regions->n_sums);
	CHECK_INT(regions->sums[node - 1].node, node);
	CHECK_INT(regions->sums[node - 1].n_entries, n_entries);
	CHECK_INT(regions->sums[node - 1].wall_ns, wall_ns);
}

TEST(regions_come_back_with_how_often_and_how_long)
{
	struct ep_regions got;

	start();
	for (int i = 0; i < 2; i++) {
		begin("a");
		begin("b");
		end("b");
		end("a");
	}
	begin("b"); /* another one than b in a */
	end("b");
	got = read_back();
	CHECK_INT(got.thread, 3);
	CHECK_INT(got.n_nodes, 3);
	check_node(&got, 0, 0, "a");
	check_node(&got, 1, 1, "b");
	check_node(&got, 2, 0, "b");
	check_sum(&got, 1, 2, 60);
	check_sum(&got, 2, 2, 20);
	check_sum(&got, 3, 1, 10);
	CHECK_INT(got.n_unmatched + got.n_left + got.n_lost + got.n_open, 0);
	ep_regions_finish(&got);
	CHECK(!append().size_bytes); /* nothing new */
	begin("a");
	end("a");
	got = read_back();
	CHECK_INT(got.n_nodes, 0); /* names are sent once */
	CHECK_INT(got.first_node, 4);
	check_sum(&got, 1, 3, 70);
	ep_regions_finish(&got);
}

TEST(slices_change_where_the_region_did)
{
	struct ep_regions got;

	start();
	note(0);
	begin("a");
	end("a"); /* between two slices: none is in it */
	note(1);
	begin("a");
	note(5);
	note(6);
	end("a");
	note(9);
	got = read_back();
	CHECK_INT(got.n_changes, 2);
	CHECK_INT(got.changes[0].slice, 5);
	CHECK_INT(got.changes[0].node, 1);
	CHECK_INT(got.changes[1].slice, 9);
	CHECK_INT(got.changes[1].node, 0);
	ep_regions_finish(&got);
	begin("a");
	note(1000);
	got = read_back();
	CHECK_INT(got.n_changes, 1);
	CHECK_INT(got.changes[0].slice, 1000);
	CHECK_INT(got.n_open, 1);
	ep_regions_finish(&got);
}

TEST(ends_that_do_not_fit_are_counted)
{
	struct ep_regions got;

	start();
	end("never");
	begin("a");
	begin("b");
	begin("c");
	end("never");
	end("a"); /* and b and c with it */
	got = read_back();
	CHECK_INT(got.n_unmatched, 2);
	CHECK_INT(got.n_left, 2);
	CHECK_INT(got.n_open, 0);
	check_sum(&got, 1, 1, 40);
	check_sum(&got, 3, 1, 20);
	ep_regions_finish(&got);
	CHECK_INT(mark.node, 0);
}

TEST(what_finds_no_room_is_the_region_around)
{
	struct ep_regions got;
	char name[80];

	start();
	for (int i = 0; i < 2 * EP_REGION_MAX_DEPTH; i++)
		begin("deep");
	CHECK_INT(mark.node, EP_REGION_MAX_DEPTH);
	for (int i = 0; i < 2 * EP_REGION_MAX_DEPTH; i++)
		end("deep");
	CHECK_INT(mark.node, 0);
	begin("around");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name),
			"%d a name that is as long as names are, if not longer: all of them so", i);
		begin(name);
		end(name);
	}
	CHECK_INT(mark.node, EP_REGION_MAX_DEPTH + 1);
	end("around");
	got = read_back();
	CHECK(got.n_nodes <= EP_REGION_MAX_NODES);
	CHECK_INT(got.n_lost, EP_REGION_MAX_DEPTH + 1000 - (got.n_nodes - EP_REGION_MAX_DEPTH - 1));
	CHECK_INT(got.n_unmatched + got.n_left + got.n_open, 0);
	CHECK_INT(got.nodes[got.n_nodes - 1].name_size, EP_REGION_NAME_BYTES);
	ep_regions_finish(&got);
}

TEST(a_child_goes_on_in_its_parents_regions)
{
	struct ep_regions got;

	start();
	begin("a");
	begin("b");
	end("b");
	ep_region_rows_sent(&mark, &rows);
	ep_region_rows_after_fork(&mark, &rows, now_ns);
	note(0);
	end("a");
	got = read_back();
	CHECK_INT(got.n_nodes, 2);
	check_sum(&got, 1, 1, 10);
	check_sum(&got, 2, 0, 0);
	CHECK_INT(got.n_changes, 1);
	CHECK_INT(got.changes[0].node, 1);
	ep_regions_finish(&got);
}

TEST(a_child_sends_its_parents_names_again)
{
	struct ep_regions got;

	start();
	begin("a");
	end("a");
	got = read_back();
	ep_regions_finish(&got);
	ep_region_rows_after_fork(&mark, &rows, now_ns);
	CHECK(!append().size_bytes); /* it has entered none yet */
	ep_region_rows_sent(&mark, &rows);
	begin("a");
	end("a");
	got = read_back();
	CHECK_INT(got.first_node, 1);
	CHECK_INT(got.n_nodes, 1);
	check_sum(&got, 1, 1, 10);
	ep_regions_finish(&got);
}

TEST(a_body_cut_at_any_byte_or_too_long_is_refused)
{
	struct ep_regions got;
	struct ep_block block;
	size_t whole;

	start();
	begin("a");
	begin("b");
	note(300);
	block = append();
	whole = block.size_bytes;
	for (size_t size = 0; size < whole; size++) {
		block.size_bytes = size;
		CHECK_INT(ep_regions_decode(&block, &got), -EBADMSG);
	}
	data[block.body - data + whole] = 0;
	block.size_bytes = whole + 1;
	CHECK_INT(ep_regions_decode(&block, &got), -EBADMSG);
}
