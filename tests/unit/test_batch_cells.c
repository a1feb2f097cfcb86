// SPDX-License-Identifier: BSD-3-Clause
/* Where the counts of single slices go: sums of the thread and of each path, by what is known of a count. */
#include "tests/unit/test.h"

#include "reporter/load/batch.h"

enum { N = 4, E = 2 };

/* Two paths, the process' events 0 and 1 are events 1 and 0 of the trace. */
static struct ep_event_sum of_thread[E], of_paths[2][E], of_none[E];
static float thread_changes[E * EP_N_REPLICAS], path_changes[2][E * EP_N_REPLICAS];
static struct ep_event_info events[E];
static struct ep_path paths[] = { { .cost_idx = 0 }, { .cost_idx = 1 } };
static struct ep_path_cost costs[2];
static struct ep_trace trace;
static struct loader loader = { .trace = &trace };
static struct ep_trace_process process;
static struct ep_trace_thread thread;

static uint32_t event_idx[] = { 1, 0 }, path_idx[] = { 0, 1, 1, 0 };
static struct ep_sample samples[] = { { .cpu_us = 10 }, { .cpu_us = 20 }, { .cpu_us = 30 },
	{ .cpu_us = 40 } };
static uint64_t counted[] = { 5, 0, 6, 0, 7, 3, 8, 0 };
static double values[] = { 5, 100, 6, 200, 7, 4, 8, 400 };
static uint8_t states[] = { EP_VALUE_MEASURED, EP_VALUE_FILLED, EP_VALUE_MEASURED, EP_VALUE_FILLED,
	EP_VALUE_MEASURED, EP_VALUE_MEASURED, EP_VALUE_MEASURED, EP_VALUE_MISSING };
static double variances[] = { 0, 9, 0, 16, 0, 25, 0, 36 };
static struct ep_fill_quality quality[] = { { 0 }, { "own", 0, 0, 0 } };
static struct ep_value_change changes[N * E];

static const struct ep_pending pending = {
	.n_slices = N, .samples = samples, .path_idx = path_idx, .values = counted
};

static struct slice_batch batch_of(bool has_variances, bool has_idle)
{
	memset(of_thread, 0, sizeof(of_thread));
	memset(of_paths, 0, sizeof(of_paths));
	memset(of_none, 0, sizeof(of_none));
	memset(events, 0, sizeof(events));
	for (int i = 0; i < 2; i++)
		costs[i].sums = (struct ep_sums){ of_paths[i], E, path_changes[i] };
	trace = (struct ep_trace){
		.events = events, .paths = paths, .costs = costs, .unplaced = { of_none, E, NULL }
	};
	process = (struct ep_trace_process){ .event_idx = event_idx };
	thread = (struct ep_trace_thread){ .sums = { of_thread, E, thread_changes } };
	return (struct slice_batch){
		.loader = &loader,
		.process = &process,
		.thread = &thread,
		.pending = &pending,
		.stretch = { .n_slices = N,
			.n_events = E,
			.values = values,
			.state = states,
			.variances = has_variances ? variances : NULL,
			.quality = quality,
			.changes = changes },
		.n_events = E,
		.has_idle = has_idle,
	};
}

TEST(measured_filled_and_missing)
{
	struct slice_batch batch = batch_of(true, false);
	const struct ep_event_sum *first = &of_thread[1], *second = &of_thread[0];

	ep_batch_add_counts(&batch, 0, N);
	CHECK_CLOSE(first->measured, 26, 0);
	CHECK_CLOSE(first->filled, 0, 0);
	CHECK_INT(first->measured_us, 100);
	CHECK_CLOSE(first->squares, 25 + 36 + 49 + 64, 0);

	CHECK_CLOSE(second->measured, 4, 0);
	CHECK_CLOSE(second->filled, 300, 0);
	CHECK_CLOSE(second->squares, 1e4 + 4e4 + 16, 0); /* without what is missing */
	CHECK_CLOSE(second->variance, 9 + 16, 0);        /* what was measured has none */
	CHECK_INT(second->filled_us, 30);
	CHECK_INT(second->measured_us, 30);
	CHECK_INT(second->missing_us, 40);

	CHECK_INT(events[0].n_slices, 4);
	CHECK_INT(events[0].n_slices_measured, 1);
	CHECK_INT(events[1].n_slices_measured, 4);
}

TEST(paths_have_their_own)
{
	struct slice_batch batch = batch_of(true, false);

	ep_batch_add_counts(&batch, 0, N);
	CHECK_CLOSE(of_paths[0][1].measured, 5 + 8, 0);
	CHECK_CLOSE(of_paths[1][1].measured, 6 + 7, 0);
	CHECK_CLOSE(of_paths[0][0].filled, 100, 0);
	CHECK_CLOSE(of_paths[1][0].filled, 200, 0);
	CHECK_INT(of_paths[0][0].missing_us, 40);
	CHECK_INT(of_paths[1][0].missing_us, 0);
}

/* Another user had the PMU for a part of slices: what was counted, and an estimate of the rest. */
TEST(partly_counted)
{
	struct slice_batch batch = batch_of(true, true);

	ep_batch_add_counts(&batch, 0, N);
	CHECK_CLOSE(of_thread[0].measured, 3, 0);
	CHECK_CLOSE(of_thread[0].filled, 300 + 1, 0);
	CHECK_CLOSE(of_thread[0].variance, 9 + 16 + 25, 0); /* the rest is an estimate, too */
	CHECK_INT(of_thread[0].measured_us, 30);
}

TEST(a_portion_without_variances)
{
	struct slice_batch batch = batch_of(false, false);

	ep_batch_add_counts(&batch, 1, 3);
	CHECK_CLOSE(of_thread[1].measured, 6 + 7, 0);
	CHECK_CLOSE(of_thread[0].filled, 200, 0);
	CHECK_CLOSE(of_thread[0].variance, 0, 0);
	CHECK_CLOSE(of_paths[0][1].measured, 0, 0);
	CHECK_INT(events[0].n_slices, 2);
}

/* callgrind's costs say where their counts belong; samples of such a process say when alone. */
TEST(processes_with_exact_costs)
{
	struct slice_batch batch = batch_of(true, false);

	process.has_costs = true;
	ep_batch_add_counts(&batch, 0, N);
	CHECK_CLOSE(of_none[1].measured, 26, 0);
	CHECK_CLOSE(of_paths[0][1].measured, 0, 0);
	CHECK_CLOSE(of_thread[1].measured, 26, 0);
}

/* Only an event that was estimated has replicas; the process' event 1 is the trace's event 0. */
TEST(changes_of_replicas)
{
	struct slice_batch batch = batch_of(true, false);

	memset(thread_changes, 0, sizeof(thread_changes));
	memset(path_changes, 0, sizeof(path_changes));
	changes[0 * E + 1] = (struct ep_value_change){ { 1, -2, 0.5f }, { 3, 16, 3 } };
	changes[1 * E + 1] = (struct ep_value_change){ { 4, 0, 0 }, { 3, 5, 6 } };
	changes[1 * E + 0] = (struct ep_value_change){ { 99, 0, 0 }, { 0, 0, 0 } };
	ep_batch_add_counts(&batch, 0, N);
	CHECK_CLOSE(thread_changes[3], 0, 0); /* the filler has set none */
	batch.stretch.has_changes = true;
	ep_batch_add_counts(&batch, 0, N);
	CHECK_CLOSE(thread_changes[3], 1.5 + 4, 0);
	CHECK_CLOSE(thread_changes[16], -2, 0);
	CHECK_CLOSE(path_changes[0][3], 1.5, 0);
	CHECK_CLOSE(path_changes[1][3], 4, 0);
	CHECK_CLOSE(thread_changes[EP_N_REPLICAS], 0, 0);
}
