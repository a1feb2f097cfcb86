// SPDX-License-Identifier: BSD-3-Clause
/*
 * A thread's slices by hand, on the simulated PMU: what the trace holds is what the table says,
 * lost slices included. That threads end while others flush is tried in tests/sanitize.
 */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "preload/process/process.h"
#include "preload/sample/slice.h"

enum { N_TABLE_ROWS = 50, PERIOD_NS = 50000 };

static char trace_path[] = "/tmp/evprof-test-XXXXXX";
static char table_path[] = "/tmp/evprof-test-XXXXXX";

/* Event a: 10 * row + 1, b: 10 * row + 2; one counter, so that they take turns. */
static void write_table(void)
{
	FILE *table = fdopen(mkstemp(table_path), "w");

	fprintf(table, "a,b\n");
	for (int row = 0; row < N_TABLE_ROWS; row++)
		fprintf(table, "%d,%d\n", 10 * row + 1, 10 * row + 2);
	fclose(table);
}

static void begin(void)
{
	static char source[100];
	uint64_t tick = 1ull << (EP_SLICE_SIGNAL - 1);

	snprintf(source, sizeof(source), "EVPROF_SOURCE=sim:%s,counters=1,cpuid=none", table_path);
	static char output[100];
	char *env[] = { source, output, "EVPROF_PERIOD=1s", NULL };

	snprintf(output, sizeof(output), "EVPROF_OUTPUT=%s", trace_path);
	ep_process_begin(0, NULL, env);
	/* slices end when the test says so */
	ep_sys_sigmask(SIG_BLOCK, &tick, NULL);
	ep_recording.period_ns = PERIOD_NS;
}

static void end_slice(void)
{
	uint64_t end_ns = ep_now_ns(CLOCK_THREAD_CPUTIME_ID) + PERIOD_NS;
	ucontext_t context;

	while (ep_now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
	getcontext(&context);
	ep_slice_tick(ep_self, &context);
}

struct read_back {
	uint32_t n_samples, n_wrong, n_missing, n_in_order;
	uint32_t n_modules, n_nodes, largest_node_idx;
	uint16_t last_group;
	uint64_t last_row, sums[2];
	struct ep_totals totals;
	uint64_t counts[2];
	bool are_exact[2]; /* no time on without counting */
};

static void check_samples(const struct ep_block *block, struct read_back *back)
{
	static uint8_t holds[] = { 1, 0, 0, 1 };
	const struct ep_groups groups = { 2, 2, PERIOD_NS / 1000, holds };
	struct ep_samples got = { 0 };

	if (ep_samples_decode(block, &groups, &got)) {
		back->n_wrong++;
		return;
	}
	for (uint32_t i = 0; i < got.n_samples; i++) {
		uint64_t row = got.first_slice + i;
		uint16_t group = got.samples[i].group % 2;
		bool is_missing = got.samples[i].flags & EP_SAMPLE_NOT_RUN;

		back->n_samples++;
		if (got.samples[i].node_idx > back->largest_node_idx)
			back->largest_node_idx = got.samples[i].node_idx;
		back->n_missing += is_missing;
		back->n_in_order += row % 2 == group;
		/* both groups in every round of two slices */
		back->n_wrong +=
			got.samples[i].group > 1 ||
			(row % 2 && row == back->last_row + 1 && group == back->last_group) ||
			is_missing != (row >= N_TABLE_ROWS);
		back->last_group = group;
		back->last_row = row;
		back->sums[group] += is_missing ? 0 : 10 * row + 1 + group;
		back->n_wrong += !is_missing && got.values[2 * i + group] != 10 * row + 1 + group;
	}
	free(got.samples);
	free(got.values);
}

static void take_stacks(const struct ep_block *block, struct read_back *back)
{
	struct ep_stacks stacks;

	if (ep_stacks_decode(block, &stacks))
		return;
	back->n_nodes += stacks.n_nodes;
	free(stacks.nodes);
}

static void take_modules(const struct ep_block *block, struct read_back *back)
{
	struct ep_module module;
	size_t at = 0;

	while (ep_modules_next(block, &at, &module) == 1)
		back->n_modules++;
}

static void take_totals(const struct ep_block *block, struct read_back *back)
{
	struct ep_totals totals;

	if (ep_totals_decode(block, &totals))
		return;
	back->totals = totals;
	back->counts[0] = totals.counts[0];
	back->counts[1] = totals.counts[1];
	for (uint32_t g = 0; g < 2; g++)
		back->are_exact[g] = totals.groups[g].running_ns == totals.groups[g].enabled_ns;
	free(totals.groups);
	free(totals.counts);
}

static void read_trace(struct read_back *back)
{
	static uint8_t data[1 << 20], inflated[EP_MEMBER_MAX_BYTES];
	struct ep_inflater *inflater = ep_inflater_create();
	int fd = open(trace_path, O_RDONLY);
	ssize_t size = read(fd, data, sizeof(data));
	size_t member_size = 1, inflated_size;
	struct ep_block block;
	bool need_more;

	memset(back, 0, sizeof(*back));
	for (ssize_t at = 0; at < size && member_size; at += member_size) {
		size_t block_at = 0;

		member_size = ep_member_size(data + at, size - at, &need_more);
		CHECK_INT(ep_inflater_inflate(
				  inflater, data + at, member_size, inflated, &inflated_size),
			0);
		while (ep_block_next(inflated, inflated_size, &block_at, &block) == 1) {
			if (block.type == EP_BLOCK_SAMPLES)
				check_samples(&block, back);
			if (block.type == EP_BLOCK_STACKS)
				take_stacks(&block, back);
			if (block.type == EP_BLOCK_MODULES)
				take_modules(&block, back);
			if (block.type == EP_BLOCK_TOTALS)
				take_totals(&block, back);
		}
	}
	ep_inflater_destroy(inflater);
	close(fd);
}

/* In a child, since a process is begun and ended once. */
static void in_child(void (*run)(void), struct read_back *back)
{
	pid_t pid;
	int status = -1;

	if (strstr(table_path, "XXXXXX")) {
		write_table();
		close(mkstemp(trace_path));
	}
	unlink(trace_path);
	pid = fork();
	if (!pid) {
		begin();
		if (!ep_recording.is_on)
			_exit(99);
		run();
		ep_process_end(EP_END_EXIT, 0, "");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	read_trace(back);
}

static void thirty_slices(void)
{
	for (int i = 0; i < 30; i++)
		end_slice();
}

static void more_than_the_table(void)
{
	for (int i = 0; i < 80; i++)
		end_slice();
}

static void many_flushes(void)
{
	for (int i = 0; i < 40; i++) {
		ep_self->last_flush_us = 0;
		end_slice();
	}
}

static void full_rows(void)
{
	for (int i = 0; i < 3000; i++) {
		ep_self->last_flush_us = ep_recording_now_us();
		end_slice();
	}
}

/* While another thread works on the record the slice goes on, and ends with the next. */
static void while_locked(void)
{
	for (int i = 0; i < 10; i++) {
		atomic_store(&ep_self->lock, 1);
		end_slice();
		atomic_store(&ep_self->lock, 0);
		end_slice();
	}
}

/* The trace's lock is taken: nothing is written, nothing is lost while there is room. */
static void while_another_writes(void)
{
	bool locked = ep_out_try_lock(&ep_recording.out);

	for (int i = 0; i < 30; i++) {
		ep_self->last_flush_us = 0;
		end_slice();
	}
	if (locked)
		ep_out_unlock(&ep_recording.out);
}

/* Until the rows are full: then slices are lost, and counted. */
static void while_another_writes_for_long(void)
{
	bool locked = ep_out_try_lock(&ep_recording.out);

	for (int i = 0; i < 4000; i++)
		end_slice();
	if (locked)
		ep_out_unlock(&ep_recording.out);
	end_slice();
}

/* The program was slow to take a tick: the one behind it comes at once. */
static void two_at_once(void)
{
	ucontext_t context;

	for (int i = 0; i < 10; i++) {
		end_slice();
		getcontext(&context);
		ep_recording.period_ns = 1000000000; /* not nearly over, however slow we are */
		ep_slice_tick(ep_self, &context);
		ep_recording.period_ns = PERIOD_NS;
	}
}

/* A note that leaves a few bytes of the member: the next block finds no room. */
static void fill_member(void)
{
	static const char text[1 << 16];
	struct ep_wire *wire = &ep_recording.out.raw;
	size_t at = ep_block_start(wire, EP_BLOCK_NOTE, ep_recording.key);

	ep_wire_string(wire, text, wire->capacity_bytes - wire->size_bytes - 8);
	ep_block_finish(wire, at);
	CHECK(!wire->overflow);
}

static void behind_a_full_member(void)
{
	fill_member();
	thirty_slices();
}

static const struct {
	const char *name;
	void (*run)(void);
	uint32_t n_samples; /* the last one cut at the end */
	bool loses;
} cases[] = {
	{ "thirty slices", thirty_slices, 31, false },
	{ "more than the table", more_than_the_table, 81, false },
	{ "many flushes", many_flushes, 41, false },
	{ "full rows", full_rows, 3001, false },
	{ "while locked", while_locked, 11, false },
	{ "while another writes", while_another_writes, 31, false },
	{ "while another writes for long", while_another_writes_for_long, 4002, true },
	{ "two at once", two_at_once, 11, false },
	{ "behind a full member", behind_a_full_member, 31, false },
};

TEST(slices_come_back_with_their_rows_counts)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct read_back back;

		in_child(cases[i].run, &back);
		CHECK_MSG(!back.n_wrong, "%s: %u samples are wrong", cases[i].name, back.n_wrong);
		CHECK_INT(back.n_samples, back.totals.n_samples);
		CHECK_MSG(back.totals.n_samples + back.totals.n_lost == cases[i].n_samples,
			"%s: %llu samples, %llu lost", cases[i].name,
			(unsigned long long)back.totals.n_samples,
			(unsigned long long)back.totals.n_lost);
		CHECK_MSG((back.totals.n_lost > 0) == cases[i].loses, "%s: %llu lost",
			cases[i].name, (unsigned long long)back.totals.n_lost);
		CHECK(back.totals.final);
		CHECK(back.n_modules >= 1);
		CHECK(back.largest_node_idx > 0 && back.largest_node_idx <= back.n_nodes);
		CHECK_INT(back.counts[0], back.sums[0]);
		CHECK_INT(back.counts[1], back.sums[1]);
		/* rounds begin now with the one, now with the other */
		CHECK_MSG(back.n_samples < 30 || (back.n_in_order > back.n_samples / 5 &&
							 back.n_in_order < back.n_samples * 4 / 5),
			"%s: %u of %u in order", cases[i].name, back.n_in_order, back.n_samples);
		CHECK_INT(back.are_exact[0], cases[i].n_samples <= N_TABLE_ROWS);
		CHECK_INT(back.are_exact[1], cases[i].n_samples <= N_TABLE_ROWS);
	}
	unlink(trace_path);
	unlink(table_path);
}
