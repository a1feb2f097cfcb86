// SPDX-License-Identifier: BSD-3-Clause
/* Rows through ep_slice_rows_append and back through ep_samples_decode, value by value. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "preload/process/process.h"
#include "preload/thread/slice_rows.h"

#define MAX_ROWS 4096
#define N_EVENTS 5
#define PERIOD_US 1000

static struct ep_thread thread;
static struct ep_slice_row rows[MAX_ROWS];
static uint64_t values[MAX_ROWS][EP_GROUP_MAX_EVENTS];
static uint8_t block_bytes[EP_MEMBER_MAX_BYTES * 4];

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Event 0 in every group; 1 and 2 in group 0, 3 in group 1, 4 and 0 (that order) in group 2. */
static void set_plan(void)
{
	static const uint8_t groups[][3] = { { 0, 1, 2 }, { 0, 3 }, { 4, 0 } };
	static const uint32_t sizes[] = { 3, 2, 2 };
	struct ep_event event = { .name = "e" };

	memset(&ep_recording.plan, 0, sizeof(ep_recording.plan));
	ep_recording.period_ns = PERIOD_US * 1000;
	ep_recording.key = (struct ep_process_key){ 42, 77 };
	for (int i = 0; i < N_EVENTS; i++)
		CHECK_INT(ep_plan_add_event(&ep_recording.plan, &event), i);
	for (int i = 0; i < 3; i++)
		CHECK_INT(ep_plan_add_group(&ep_recording.plan, groups[i], sizes[i]), 0);
}

static void fill_groups(struct ep_groups *groups)
{
	static uint8_t holds[3 * N_EVENTS];

	memset(holds, 0, sizeof(holds));
	*groups = (struct ep_groups){ N_EVENTS, 3, PERIOD_US, holds };
	for (uint32_t g = 0; g < 3; g++)
		for (uint32_t i = 0; i < ep_recording.plan.groups[g].n_events; i++)
			holds[g * N_EVENTS + ep_recording.plan.groups[g].events[i]] = i + 1;
}

static uint64_t any_size(uint64_t limit)
{
	return (next_random() >> (next_random() % 64)) % limit;
}

static void make_row(uint32_t i, bool any_group)
{
	uint32_t group = any_group ? next_random() % 3 : i % 3;
	bool did_run = next_random() % 8 != 0;

	for (uint32_t k = 0; k < EP_GROUP_MAX_EVENTS; k++)
		values[i][k] = next_random() % 16 ? any_size(UINT64_MAX) : UINT64_MAX;
	rows[i] = (struct ep_slice_row){
		.cpu_us = any_size(1ull << 40),
		.wall_us = any_size(1ull << 40),
		.idle_us = next_random() % 4 ? 0 : any_size(1ull << 30),
		.node_idx = any_size(EP_TREE_MAX_NODES),
		.group = group,
		.flags = did_run ? any_size(8) : EP_SAMPLE_NOT_RUN,
		.n_values = did_run ? ep_recording.plan.groups[group].n_events : 0,
		.values = values[i],
	};
}

static void check_row(const struct ep_samples *got, uint32_t i, uint64_t time_us)
{
	const struct ep_group *group = &ep_recording.plan.groups[rows[i].group];
	const struct ep_sample *sample = &got->samples[i];

	CHECK_INT(sample->time_us, time_us);
	CHECK_INT(sample->cpu_us, rows[i].cpu_us);
	CHECK_INT(sample->wall_us, rows[i].wall_us);
	CHECK_INT(sample->idle_us, rows[i].idle_us);
	CHECK_INT(sample->node_idx, rows[i].node_idx);
	CHECK_INT(sample->group, rows[i].group);
	CHECK_INT(sample->flags, rows[i].flags);
	for (uint32_t k = 0; k < rows[i].n_values; k++)
		CHECK_MSG(got->values[(size_t)i * N_EVENTS + group->events[k]] == values[i][k],
			"row %u value %u", i, k);
}

static void check_block(struct ep_wire *wire, uint32_t n_rows)
{
	struct ep_samples got = { 0 };
	struct ep_groups groups;
	struct ep_block block;
	size_t at = 0;
	uint64_t time_us = thread.rows.start_us;

	fill_groups(&groups);
	CHECK(!wire->overflow);
	CHECK_INT(ep_block_next(wire->data, wire->size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_SAMPLES);
	CHECK_INT(block.key.pid, 42);
	CHECK_INT(ep_samples_decode(&block, &groups, &got), 0);
	CHECK_INT(got.n_samples, n_rows);
	CHECK_INT(got.thread, thread.idx);
	CHECK_INT(got.epoch, thread.tree.epoch);
	CHECK_INT(got.first_slice, thread.rows.first_slice);
	for (uint32_t i = 0; i < got.n_samples && i < n_rows; i++) {
		time_us += rows[i].wall_us;
		check_row(&got, i, time_us);
	}
	free(got.samples);
	free(got.values);
	CHECK_INT(ep_block_next(wire->data, wire->size_bytes, &at, &block), 0);
}

static void round_trip(uint32_t n_wanted, bool any_group)
{
	struct ep_wire wire = { block_bytes, 0, sizeof(block_bytes), false };
	uint32_t n = 0;

	ep_slice_rows_clear(&thread.rows);
	thread.idx = 3;
	thread.tree.epoch = 9;
	thread.rows.start_us = any_size(1ull << 50);
	thread.rows.first_slice = any_size(1ull << 40);
	while (n < n_wanted && !ep_slice_rows_are_full(&thread.rows)) {
		make_row(n, any_group);
		CHECK(ep_slice_rows_add(&thread.rows, &rows[n]));
		n++;
	}
	CHECK_INT(thread.rows.n_rows, n);
	ep_slice_rows_append(&thread, &wire);
	check_block(&wire, n);
}

TEST(rows_in_turn_come_back)
{
	set_plan();
	for (int i = 0; i < 50; i++)
		round_trip(1 + next_random() % 200, false);
}

TEST(rows_of_groups_out_of_turn_come_back)
{
	set_plan();
	for (int i = 0; i < 50; i++)
		round_trip(1 + next_random() % 200, true);
}

TEST(as_many_rows_as_fit_come_back_and_the_next_is_refused)
{
	set_plan();
	round_trip(UINT32_MAX, true);
	CHECK(ep_slice_rows_are_full(&thread.rows));
	CHECK(!ep_slice_rows_add(&thread.rows, &rows[0]));
}

TEST(no_rows_make_no_block)
{
	struct ep_wire wire = { block_bytes, 0, sizeof(block_bytes), false };

	set_plan();
	ep_slice_rows_clear(&thread.rows);
	ep_slice_rows_append(&thread, &wire);
	CHECK_INT(wire.size_bytes, 0);
}

/* A member too small for the block: it is taken back whole, and fits the next. */
TEST(a_block_that_does_not_fit_is_taken_back)
{
	set_plan();
	round_trip(100, false);
	for (size_t room = 0; room < 2000; room += 7) {
		struct ep_wire wire = { block_bytes, 0, room, false };

		ep_slice_rows_append(&thread, &wire);
		CHECK(wire.overflow);
		CHECK_INT(wire.size_bytes, 0);
	}
}

/* thread_write.c relies on this: full rows and their block fit one member. */
TEST(full_rows_fit_a_member)
{
	struct ep_wire wire = { block_bytes, 0, EP_MEMBER_MAX_BYTES - 512, false };

	set_plan();
	for (uint32_t small = 0; small < 2; small++) {
		ep_slice_rows_clear(&thread.rows);
		for (uint32_t i = 0; !ep_slice_rows_are_full(&thread.rows); i++) {
			make_row(i % MAX_ROWS, true);
			if (small)
				rows[i % MAX_ROWS] =
					(struct ep_slice_row){ .group = 1, .flags = 8 };
			CHECK(ep_slice_rows_add(&thread.rows, &rows[i % MAX_ROWS]));
		}
		wire.size_bytes = 0;
		ep_slice_rows_append(&thread, &wire);
		CHECK(!wire.overflow);
	}
}
