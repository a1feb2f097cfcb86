// SPDX-License-Identifier: BSD-3-Clause
/* Sums are the same to the last bit however many threads inflate ahead. */
#include "reporter/load/load.h"

#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/two_groups.h"

enum { N_BLOCKS = 60, N_SAMPLES = 1500, N_NODES = 50, N_EVENTS = 3 };

static struct ep_sample rows[N_SAMPLES];
static uint64_t values[N_SAMPLES * N_EVENTS];
static uint64_t state;

static uint32_t chance(uint32_t limit)
{
	state = ep_hash_mix(state, 3);
	return (uint32_t)((state >> 32) * limit >> 32);
}

static void make_rows(void)
{
	for (uint32_t i = 0; i < N_SAMPLES; i++) {
		uint64_t us = 900 + chance(200);

		rows[i] = (struct ep_sample){ .cpu_us = us,
			.wall_us = us + chance(3000),
			.node_idx = 1 + chance(N_NODES),
			.group = (uint16_t)(i % 2) };
		for (uint32_t e = 0; e < N_EVENTS; e++)
			values[i * N_EVENTS + e] = chance(UINT32_MAX);
	}
}

static void put_block(uint32_t thread, uint32_t before)
{
	struct ep_samples samples = { thread, 1, N_SAMPLES, before, rows, values };

	make_rows();
	trace_put_samples(&writer, &groups, &samples, (uint64_t)before * 3000);
	trace_flush(&writer);
}

/* Two threads whose blocks alternate; the trace is the same each time. */
static void put_trace(void)
{
	struct ep_stack_node nodes[N_NODES];

	state = 1;
	trace_put_meta(&writer, meta);
	for (uint32_t i = 0; i < N_NODES; i++)
		nodes[i] = (struct ep_stack_node){ chance(i + 1), 0, 0x1000 + 16 * i };
	for (uint32_t thread = 1; thread <= 2; thread++)
		trace_put_stacks(&writer, &(struct ep_stacks){ thread, 1, 1, N_NODES, nodes });
	for (uint32_t i = 0; i < N_BLOCKS; i++)
		put_block(1 + i % 2, i / 2 * N_SAMPLES);
}

static struct ep_trace *load_with(uint32_t n_threads)
{
	start_trace();
	put_trace();
	return finish_trace_as(
		&(struct ep_load_options){ .filler = &ep_filler_fixed, .n_threads = n_threads });
}

static bool same_sums(const struct ep_sums *a, const struct ep_sums *b)
{
	return a->n_rows == b->n_rows && !memcmp(a->rows, b->rows, a->n_rows * sizeof(*a->rows));
}

static void check_same(const struct ep_trace *a, const struct ep_trace *b)
{
	CHECK_INT(a->n_paths, b->n_paths);
	CHECK_INT(a->n_costs, b->n_costs);
	for (uint32_t i = 0; i < a->n_costs; i++) {
		CHECK_INT(a->costs[i].cost.cpu_us, b->costs[i].cost.cpu_us);
		CHECK_INT(a->costs[i].cost.n_samples, b->costs[i].cost.n_samples);
		CHECK_MSG(same_sums(&a->costs[i].sums, &b->costs[i].sums), "path cost %u", i);
	}
	for (uint32_t e = 0; e < a->n_events; e++)
		CHECK_MSG(!memcmp(&a->events[e].sum, &b->events[e].sum, sizeof(a->events[e].sum)),
			"event %u", e);
	CHECK_INT(a->timeline.n_bins, b->timeline.n_bins);
	CHECK(!memcmp(a->timeline.cpu_us, b->timeline.cpu_us,
		a->timeline.n_bins * sizeof(*a->timeline.cpu_us)));
}

TEST(sums_do_not_depend_on_the_number_of_threads)
{
	struct ep_trace *alone = load_with(1);

	CHECK(alone->reader.file_bytes > 4 * EP_AHEAD_RAW_BYTES);
	CHECK_INT(alone->events[0].n_slices, N_BLOCKS * N_SAMPLES);
	for (uint32_t n = 2; n <= 5; n++) {
		struct ep_trace *ahead = load_with(n);

		check_same(ahead, alone);
		ep_trace_destroy(ahead);
	}
	ep_trace_destroy(alone);
}
