// SPDX-License-Identifier: BSD-3-Clause
/*
 * generate CASE > trace.gz: traces whose content is known, for the golden tests and the benchmarks.
 * Nothing in them depends on the machine. Code has no file behind it; its names are in
 * /tmp/perf-PID.map below the sysroot of the golden folders.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/trace/runs.h"

static const uint32_t work[] = { 3, 3, 6, 4, 7, 3, 6, 3, 4, 3 };

static void put_thread(struct run *run, uint32_t thread, const char *name, uint32_t n_slices)
{
	struct slices slices = { .thread = thread,
		.n_slices = n_slices,
		.node_of = work,
		.n_node_of = EP_ARRAY_SIZE(work) };

	run->time_us = 0;
	trace_flush(run->writer);
	put_stacks(run, thread);
	put_slices(run, &slices);
	trace_flush(run->writer);
	put_totals(run, thread, name, n_slices, 0);
}

/* Two threads, 600 and 200 slices. */
static void two_threads(struct run *run, uint32_t pid, uint64_t birth_ns, const char *more)
{
	put_process(run, pid, birth_ns, "solver\t--grid\t200", more);
	put_thread(run, 1, "worker", 200);
	put_thread(run, 0, "solver", 600);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

static void basic(struct run *run)
{
	two_threads(run, 4242, BIRTH_NS, "");
}

/* solve is a parallel region's start here, axpy the program's loop in it, write_out MPI's. */
static void parallel(struct run *run)
{
	two_threads(run, 4343, BIRTH_NS, "");
}

static struct ep_machine_times busy_and_stolen(
	uint64_t time_us, uint64_t busy_us, uint64_t stolen_us)
{
	return (struct ep_machine_times){ .time_us = time_us,
		.is_known = { [EP_MACHINE_BUSY_US] = true, [EP_MACHINE_STOLEN_US] = true },
		.values = { [EP_MACHINE_BUSY_US] = busy_us, [EP_MACHINE_STOLEN_US] = stolen_us } };
}

/* Eight threads on four CPUs: half of the time each is ready without one; the last one sleeps. The
 * machine's host takes a part of what there is. */
static void crowded(struct run *run)
{
	enum { N = 8 };
	struct slices slices = { .node_of = work, .n_node_of = EP_ARRAY_SIZE(work) };
	struct ep_machine_times start = busy_and_stolen(300, 7000000, 40000), end;

	put_process(run, 4242, BIRTH_NS, "solver\t--threads\t8", "n_cpus_allowed\t4\n");
	trace_put_machine(run->writer, &start);
	for (uint32_t t = 0; t < N; t++) {
		struct ep_ready_time ready = { t, t == N - 1 ? 300000 : 280000000 + t * 1000000,
			90 };

		run->time_us = 0;
		slices.thread = t;
		slices.n_slices = t == N - 1 ? 5 : 300;
		slices.off_us = t == N - 1 ? 119000 : 1000;
		trace_flush(run->writer);
		put_stacks(run, t);
		put_slices(run, &slices);
		put_totals_of(run, t, t ? "worker" : "solver",
			&(struct ep_totals){ .cpu_ns = slices.n_slices * SHAPE_PERIOD_US * 1000ull,
				.n_samples = slices.n_slices,
				.n_voluntary = t == N - 1 ? 80 : 3,
				.n_involuntary = 90 });
		trace_put_ready(run->writer, &ready);
	}
	end = busy_and_stolen(run->time_us + 900, 9400000, 328000);
	trace_put_machine(run->writer, &end);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

/* The kernel charged the thread for most of what the host took, in a slice that met axpy. */
static void stolen(struct run *run)
{
	struct ep_machine_times start = busy_and_stolen(300, 7000000, 40000), end;
	struct slices slices = {
		.node_of = work, .n_node_of = EP_ARRAY_SIZE(work), .n_slices = 600
	};
	struct slices charged = { .node_of = work + 2,
		.n_node_of = 1,
		.n_slices = 1,
		.first_slice = 600,
		.cpu_us = 401000,
		.flags = EP_SAMPLE_NOT_SYSTEM };

	put_process(run, 4242, BIRTH_NS, "solver	--grid	200", "");
	trace_put_machine(run->writer, &start);
	trace_flush(run->writer);
	put_stacks(run, 0);
	put_slices(run, &slices);
	put_slices(run, &charged);
	trace_flush(run->writer);
	put_totals_of(run, 0, "solver",
		&(struct ep_totals){ .cpu_ns = 1001000000, .n_samples = 601, .n_involuntary = 4 });
	end = busy_and_stolen(run->time_us + 900, 8600000, 520000);
	trace_put_machine(run->writer, &end);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

/* 5 J and 1 J in its first half, 1.5 J and 0.25 J in its second. */
static void put_energy(struct run *run, int n_readings)
{
	static const uint64_t readings[][2] = { { 0, 0 }, { 5000000, 1000000 },
		{ 6500000, 1250000 } };
	struct slices slices = {
		.node_of = work, .n_node_of = EP_ARRAY_SIZE(work), .n_slices = 300
	};

	put_process(run, 4242, BIRTH_NS, "solver\t--grid\t200", "");
	for (int i = 0; i < (int)EP_ARRAY_SIZE(readings); i++) {
		struct ep_machine_times times = { .time_us = 1 + (uint64_t)i * 300000,
			.is_known = { [EP_MACHINE_PACKAGE_UJ] = true,
				[EP_MACHINE_MEMORY_UJ] = true },
			.values = { [EP_MACHINE_PACKAGE_UJ] = readings[i][0],
				[EP_MACHINE_MEMORY_UJ] = readings[i][1] } };

		if (i < n_readings)
			trace_put_machine(run->writer, &times);
		trace_flush(run->writer);
		if (i == 0)
			put_stacks(run, 0);
		slices.first_slice = (uint32_t)i * 300;
		if (i < 2)
			put_slices(run, &slices);
	}
	put_totals_of(run, 0, "solver",
		&(struct ep_totals){ .cpu_ns = 600000000, .n_samples = 600, .n_involuntary = 4 });
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

static void energy(struct run *run)
{
	put_energy(run, 3);
}

/* Its second half was not read. */
static void energy_of_half(struct run *run)
{
	put_energy(run, 2);
}

/* The simulator's ticks wait: its slices are long, and none of them is the host's. */
static void stolen_simulated(struct run *run)
{
	run->shape = &shape_simulated;
	stolen(run);
}

/* The same program's second rank: another machine, switched on later, 0.2 s or a minute after the
 * first. */
static void other_host(struct run *run)
{
	run->root = "node18:4242:77";
	two_threads(
		run, 4242, 5000000000, "host\tnode18\nrank\t1\nrealtime_ns\t1700000000200000000\n");
}

static void later(struct run *run)
{
	run->root = "node18:4242:78";
	two_threads(run, 4242, 65000000000,
		"host\tnode18\nrank\t1\nrealtime_ns\t1700000060200000000\n");
}

/* A rank of so many milliseconds, at so many cycles in each. */
static void put_rank(struct run *run, uint32_t n_ms, uint64_t cycles)
{
	struct slices slices = { .n_slices = n_ms,
		.node_of = work,
		.n_node_of = EP_ARRAY_SIZE(work),
		.more = cycles - 100 };

	run->shape = &shape_rotated;
	put_process(run, 4242, BIRTH_NS, "solver\t--grid\t200", "rank\t0\n");
	put_stacks(run, 0);
	put_slices(run, &slices);
	trace_flush(run->writer);
	put_totals(run, 0, "solver", n_ms, 0);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

/* The last two take longer: one has the same work on a slower CPU, the other has more of it. */
static void quick_rank(struct run *run)
{
	put_rank(run, 600, 3000000);
}

static void slow_rank(struct run *run)
{
	put_rank(run, 900, 2000000);
}

static void busy_rank(struct run *run)
{
	put_rank(run, 900, 3000000);
}

/* More events than counters, a user-mode clock that missed some kernel time, lost slices, notes. */
static void estimates(struct run *run)
{
	struct slices slices = {
		.n_slices = 400, .node_of = work, .n_node_of = EP_ARRAY_SIZE(work)
	};

	run->shape = &shape_rotated;
	put_process(run, 4242, BIRTH_NS, "solver\t--grid\t200",
		"note\tno hardware counters in this virtual machine: counting software events\n"
		"note\tevent 'L3_HITS' is not counted: this CPU has no such event\n");
	put_stacks(run, 0);
	put_slices(run, &slices);
	slices.n_slices = 20;
	slices.first_slice = 410;
	slices.cpu_us = 4000;
	put_slices(run, &slices);
	put_totals(run, 0, "solver", 420, 10);
	trace_put_note(run->writer, "the disk was full for a moment");
	put_end(run, EP_END_SIGNAL, 11);
	trace_put_eof(run->writer);
}

/* Counters that were set back, did not run, were someone else's for the whole slice, or leapt. */
static void odd_counts(struct run *run)
{
	const struct slices parts[] = {
		{ .n_slices = 380 },
		{ .n_slices = 5, .more = (uint64_t)-500 },
		{ .n_slices = 10, .flags = EP_SAMPLE_NOT_RUN },
		{ .n_slices = 5, .idle_us = SHAPE_PERIOD_US },
		{ .n_slices = 2, .more = 5000 },
	};
	uint64_t n_before = 0;

	run->shape = &shape_rotated;
	put_process(run, 4242, BIRTH_NS, "solver", "");
	put_stacks(run, 0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(parts); i++) {
		struct slices slices = parts[i];

		slices.node_of = work;
		slices.n_node_of = EP_ARRAY_SIZE(work);
		slices.first_slice = n_before;
		put_slices(run, &slices);
		n_before += slices.n_slices;
	}
	put_totals(run, 0, "solver", n_before, 0);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

static void solver_with(struct run *run, const struct shape *shape)
{
	struct slices slices = { .n_slices = 300,
		.node_of = work,
		.n_node_of = EP_ARRAY_SIZE(work),
		.flags = shape->flags,
		.more = shape->more,
		.more_of_last = shape->more_of_last };

	run->shape = shape;
	put_process(run, 4242, BIRTH_NS, "solver", "");
	put_stacks(run, 0);
	put_slices(run, &slices);
	slices.first_slice = slices.n_slices;
	slices.n_slices = 100;
	slices.flags = 0;
	put_slices(run, &slices);
	put_totals(run, 0, "solver", 400, 0);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

/* Events of a CPU's Top-Down model. */
static void topdown_events(struct run *run)
{
	solver_with(run, &shape_topdown);
}

static void flops_events(struct run *run)
{
	solver_with(run, &shape_flops);
}

static void simulated_events(struct run *run)
{
	solver_with(run, &shape_simulated);
}

/* A program whose simulated instructions (the last event) wait for less. */
static void put_efficient(struct run *run, uint64_t birth_ns, const char *more_meta,
	uint64_t n_instructions, uint64_t more)
{
	struct slices slices = { .n_slices = 400,
		.node_of = work,
		.n_node_of = EP_ARRAY_SIZE(work),
		.flags = shape_simulated.flags,
		.more = more,
		.more_of_last = n_instructions };

	run->shape = &shape_simulated;
	put_process(run, 4242, birth_ns, "solver", more_meta);
	put_stacks(run, 0);
	put_slices(run, &slices);
	put_totals(run, 0, "solver", 400, 0);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

static void efficient(struct run *run)
{
	put_efficient(run, BIRTH_NS, "", 30000, 0);
}

/* A minute after the other, changed for the better but for the instructions' cache. */
static void efficient_later(struct run *run)
{
	run->root = "node17:100:9000";
	put_efficient(
		run, BIRTH_NS + 60000000000, "realtime_ns\t1700000060000000000\n", 60000, 200);
}

/* Another tree's process, as a second run into the same file leaves it. */
static void other_run(struct run *run)
{
	run->root = "node17:777:9000";
	put_process(run, 7777, BIRTH_NS + 50000000, "other\t'quoted'\ttwo words", "");
	put_thread(run, 0, "other", 50);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

/* A tree: the root execs, forks many; one rank each. */
static void tree_of_processes(struct run *run)
{
	put_process(run, 4242, BIRTH_NS, "make\t-j4", "rank\t0\n");
	put_thread(run, 0, "make", 100);
	put_end(run, EP_END_EXIT, 2);
	for (uint32_t i = 0; i < 30; i++) {
		char command[64];

		snprintf(command, sizeof(command), "cc1\tfile%u.c\tit\\ts", i);
		put_process(run, 4300 + i, BIRTH_NS + i * 10000000ull, command, "rank\t1\n");
		put_thread(run, 0, "cc1", 10 + i);
		put_end(run, EP_END_EXIT_NOW, 0);
		trace_flush(run->writer);
	}
	trace_put_eof(run->writer);
}

/* A program that ended before its first slice. */
static void no_samples(struct run *run)
{
	put_process(run, 4242, BIRTH_NS, "true", "");
	run->time_us = 700;
	put_totals(run, 0, "true\033[2J", 0, 0);
	trace_put_note(run->writer, "a note with \033[31mcolour");
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

/* A later format: samples before any META, unknown block types, a body that makes no sense, a missing STACKS. */
static void mixed(struct run *run)
{
	run->writer->key = (struct ep_process_key){ 9999, 5 };
	trace_put_raw(run->writer, EP_TRACE_VERSION, EP_BLOCK_SAMPLES, "", 0);
	put_process(run, 4242, BIRTH_NS, "solver", "format\t1.7\n");
	trace_put_raw(run->writer, EP_TRACE_VERSION, 77, "later", 5);
	trace_put_raw(run->writer, EP_TRACE_VERSION, EP_BLOCK_TOTALS, "\xff", 1);
	put_slices(run, &(struct slices){ .n_slices = 50, .node_of = work, .n_node_of = 1 });
	put_thread(run, 1, "worker", 100);
	put_end(run, EP_END_EXIT, 0);
	trace_put_eof(run->writer);
}

static void only_end_mark(struct run *run)
{
	trace_put_eof(run->writer);
}

static void only_unknown(struct run *run)
{
	trace_put_raw(run->writer, EP_TRACE_VERSION, 77, "later", 5);
	only_end_mark(run);
}

static void other_version(struct run *run)
{
	trace_put_raw(run->writer, 9, EP_BLOCK_META, "a\tb\n", 4);
	only_end_mark(run);
}

/* Noisy counters, some 10 bytes a sample, as in a real trace: for the benchmarks. */
static void big(struct run *run, uint64_t n_samples)
{
	enum { BATCH = 1500, THREADS = 4 };
	uint64_t times[THREADS] = { 0 }, firsts[THREADS] = { 0 };
	uint32_t nodes[997];

	run->shape = &shape_rotated;
	put_process(run, 4242, BIRTH_NS, "solver\t--big", "");
	for (uint32_t i = 0; i < EP_ARRAY_SIZE(nodes); i++) {
		nodes[i] = 1 + next_random() % N_NODES;
	}
	for (uint32_t t = 0; t < THREADS; t++)
		put_stacks(run, t);
	for (uint64_t done = 0; done < n_samples; done += BATCH) {
		uint32_t t = (done / BATCH) % THREADS;
		struct slices slices = { .thread = t,
			.n_slices = BATCH,
			.node_of = nodes,
			.n_node_of = EP_ARRAY_SIZE(nodes),
			.first_slice = firsts[t],
			.noise = 1 << 20 };

		run->time_us = times[t];
		trace_flush(run->writer);
		put_slices(run, &slices);
		times[t] = run->time_us;
		firsts[t] += BATCH;
	}
	trace_put_eof(run->writer);
}

static const struct {
	const char *name;
	void (*write)(struct run *run);
} cases[] = {
	{ "basic", basic },
	{ "crowded", crowded },
	{ "stolen", stolen },
	{ "energy", energy },
	{ "energy-of-half", energy_of_half },
	{ "stolen-simulated", stolen_simulated },
	{ "other-host", other_host },
	{ "later", later },
	{ "quick-rank", quick_rank },
	{ "slow-rank", slow_rank },
	{ "busy-rank", busy_rank },
	{ "parallel", parallel },
	{ "estimates", estimates },
	{ "odd-counts", odd_counts },
	{ "simulated", simulated_events },
	{ "efficient", efficient },
	{ "efficient-later", efficient_later },
	{ "topdown", topdown_events },
	{ "flops", flops_events },
	{ "tree", tree_of_processes },
	{ "other-run", other_run },
	{ "only-unknown", only_unknown },
	{ "no-samples", no_samples },
	{ "mixed", mixed },
	{ "rests", put_rests },
	{ "end-mark", only_end_mark },
	{ "other-version", other_version },
};

int main(int argc, char **argv)
{
	static struct trace_writer writer;
	struct run run = { .writer = &writer, .shape = &shape_plain, .root = "node17:100:5000" };

	trace_writer_init(&writer, stdout);
	if (argc == 3 && !strcmp(argv[1], "big")) {
		big(&run, strtoull(argv[2], NULL, 10));
		return fflush(stdout) != 0;
	}
	for (size_t i = 0; argc == 2 && i < EP_ARRAY_SIZE(cases); i++) {
		if (strcmp(cases[i].name, argv[1]))
			continue;
		cases[i].write(&run);
		return fflush(stdout) != 0;
	}
	fprintf(stderr, "usage: generate CASE | generate big SAMPLES\n");
	return 2;
}
