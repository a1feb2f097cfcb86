// SPDX-License-Identifier: BSD-3-Clause
/* A part of a run: the slices that end in it, and of the threads' own totals only their times. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/load/load.h"
#include "tests/trace/writer.h"

enum { N_SLICES = 10, SLICE_US = 1000, BIRTH_US = 5000000 };

static uint8_t one_group[] = { 1 };
static const struct ep_groups groups = {
	.n_events = 1, .n_groups = 1, .period_us = SLICE_US, .holds = one_group
};

static void put_samples(struct trace_writer *writer)
{
	struct ep_stack_node node = { 0, 0, 16 };
	struct ep_stacks stacks = { 0, 1, 1, 1, &node };
	struct ep_sample rows[N_SLICES];
	uint64_t values[N_SLICES];
	struct ep_samples samples = { 0, 1, N_SLICES, 0, rows, values };

	for (int i = 0; i < N_SLICES; i++) {
		rows[i] = (struct ep_sample){
			.cpu_us = SLICE_US, .wall_us = SLICE_US, .node_idx = 1
		};
		values[i] = 7;
	}
	trace_put_stacks(writer, &stacks);
	trace_put_samples(writer, &groups, &samples, 0);
}

/* A thread of 10 ms, which says so itself. */
static void write_trace(const char *path)
{
	struct ep_group_totals group = { .n_slices = N_SLICES,
		.enabled_ns = N_SLICES * SLICE_US * 1000,
		.running_ns = N_SLICES * SLICE_US * 1000,
		.n_counts = 1 };
	uint64_t count = 70;
	struct ep_totals totals = { .tid = 12,
		.final = true,
		.start_us = 0,
		.end_us = N_SLICES * SLICE_US,
		.cpu_ns = N_SLICES * SLICE_US * 1000,
		.own_ns = 5000,
		.n_samples = N_SLICES,
		.name = "worker",
		.name_size = 6,
		.n_groups = 1,
		.groups = &group,
		.counts = &count };
	struct trace_writer writer;

	trace_writer_init(&writer, fopen(path, "wbe"));
	writer.key = (struct ep_process_key){ 100, BIRTH_US * 1000ull };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n"
				"event\t0\tcycles\talways\tcount\ngroup\t0\t0\n");
	put_samples(&writer);
	/* never ready without a CPU in the first half */
	totals.end_us = N_SLICES * SLICE_US / 2;
	trace_put_totals(&writer, &totals);
	trace_put_ready(&writer, &(struct ep_ready_time){ 0, 0, 1 });
	totals.end_us = N_SLICES * SLICE_US;
	trace_put_totals(&writer, &totals);
	trace_put_ready(&writer, &(struct ep_ready_time){ 0, 2000000, 2 });
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
}

static struct ep_trace *load(const char *path, uint64_t from_us, uint64_t to_us)
{
	struct ep_load_options options = {
		.filler = &ep_filler_fixed, .from_ns = from_us * 1000, .to_ns = to_us * 1000
	};
	struct ep_trace *trace = NULL;
	struct ep_error err;

	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	return trace;
}

TEST(parts)
{
	static const struct {
		uint64_t from_us, to_us; /* since birth; to 0: all */
		uint64_t n_samples, start_us, end_us, wall_us, ready_ns;
	} rows[] = {
		{ 0, 0, 10, 0, 10000, 10000, 2000000 },
		{ 3000, 7000, 4, 3000, 7000, 4000, 800000 },
		{ 2500, 5500, 3, 2500, 5500, 2500, 200000 },
		{ 0, 1000, 1, 0, 1000, 1000, 0 },
		{ 9999, 90000, 1, 9999, 10000, 1, 400 },
		{ 20000, 30000, 0, 0, 0, 0, 0 },
	};
	char path[] = "/tmp/evprof-part-XXXXXX";

	close(mkstemp(path));
	write_trace(path);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		uint64_t to_us = rows[i].to_us ? BIRTH_US + rows[i].to_us : 0;
		struct ep_trace *trace = load(path, BIRTH_US + rows[i].from_us, to_us);
		const struct ep_trace_thread *thread = &trace->threads[0];

		CHECK_INT(ep_trace_birth_ns(trace), BIRTH_US * 1000ull);
		CHECK_INT(thread->cost.n_samples, rows[i].n_samples);
		CHECK_INT(thread->n_got - thread->n_outside, rows[i].n_samples);
		CHECK_INT(thread->totals.start_us, rows[i].start_us);
		CHECK_INT(thread->totals.end_us, rows[i].end_us);
		CHECK_INT(thread->wall_us, rows[i].wall_us);
		CHECK_INT(thread->totals.cpu_ns, rows[i].to_us ? 0 : 10000000);
		CHECK(thread->has_ready);
		CHECK_INT(thread->ready.ready_ns, rows[i].ready_ns);
		CHECK_INT(thread->n_exact, rows[i].to_us ? 0 : 1);
		CHECK_CLOSE(trace->events[0].sum.measured, 7.0 * rows[i].n_samples, 0);
		CHECK_INT(trace->loss.n_missing_slices + trace->loss.n_lost_slices, 0);
		CHECK_STR(thread->name, "worker");
		ep_trace_destroy(trace);
	}
	unlink(path);
}
