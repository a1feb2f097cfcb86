// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program that never was, whose procedures take turns, and evprof's trace of it: the counts of each
 * procedure are known. turns OUT.gz TRUTH [KEY=VALUE...], where the keys are those of options below.
 * TRUTH gets a line per procedure: its name, its CPU time in us, the counts of each event. The names
 * are the trace's own where the perf map of process 100, which is printed, lies under the sysroot.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/trace/writer.h"

enum { MOST_PROCEDURES = 20, N_EVENTS = 4, PERIOD_NS = 1000000, BLOCK_SLICES = 500, PID = 100 };

static const char *const event_names[N_EVENTS] = { "cycles", "instructions", "loads", "misses" };

static struct {
	const char *name;
	double value;
} options[] = {
	{ "turn_us",
		100 }, /* the mean length of a turn; each is from a half to one and a half of it */
	{ "procedures", 2 }, /* at most MOST_PROCEDURES */
	{ "slices", 4000 }, { "seed", 1 },
	{ "phases", 1 }, /* the second half of two has the procedures' rates the other way round */
	{ "groups", 1 }, /* 2: loads and misses are counted by turns */
};

static double option(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			return options[i].value;
	abort();
}

static int take_option(const char *text)
{
	size_t size = strcspn(text, "=");

	for (size_t i = 0; i < EP_ARRAY_SIZE(options); i++) {
		if (strlen(options[i].name) != size || memcmp(options[i].name, text, size))
			continue;
		options[i].value = text[size] ? strtod(text + size + 1, NULL) : 1;
		return 0;
	}
	return -1;
}

/* splitmix64: the same numbers on every machine. */
static double next_uniform(void)
{
	static uint64_t state;
	uint64_t z;

	if (!state)
		state = (uint64_t)option("seed") * 0x632be59bd9b4e019u;
	z = state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static struct program {
	uint32_t n_procedures, at, phase;
	double left_ns; /* of the turn */
	double time_ns[MOST_PROCEDURES], counts[MOST_PROCEDURES][N_EVENTS];
} program;

/* Events in a nanosecond of a procedure: cycles at the same rate in all, the others as different as
 * procedures are: every third works in the caches, every third misses them, every third computes. */
static double rate_of(uint32_t procedure, uint32_t event)
{
	static const double rates[3][N_EVENTS] = { { 3, 1, 0.3, 0.02 }, { 3, 6, 0, 0 },
		{ 3, 4, 2, 0.001 } };

	return rates[(procedure + program.phase) % 3][event];
}

static void next_turn(void)
{
	program.at = (program.at + 1) % program.n_procedures;
	program.left_ns = option("turn_us") * 1000 * (0.5 + next_uniform());
}

/* Runs for so long; adds what it counts. */
static void run_for(double ns, double counts[N_EVENTS])
{
	while (ns > 0) {
		double step = fmin(ns, program.left_ns);

		program.time_ns[program.at] += step;
		for (uint32_t e = 0; e < N_EVENTS; e++) {
			double count = step * rate_of(program.at, e);

			program.counts[program.at][e] += count;
			counts[e] += count;
		}
		ns -= step;
		program.left_ns -= step;
		if (program.left_ns <= 0)
			next_turn();
	}
}

static const uint8_t holds_all[] = { 1, 2, 3, 4 };
static const uint8_t holds_by_turns[] = { 1, 2, 3, 0, 1, 2, 0, 3 };

static struct ep_groups groups_of_run(void)
{
	bool has_turns = option("groups") > 1;

	return (struct ep_groups){
		.n_events = N_EVENTS,
		.n_groups = has_turns ? 2 : 1,
		.period_us = PERIOD_NS / 1000,
		.holds = (uint8_t *)(has_turns ? holds_by_turns : holds_all),
	};
}

static void put_slice(const struct ep_groups *groups, uint64_t number, struct ep_sample *s,
	uint64_t values[N_EVENTS])
{
	double counts[N_EVENTS] = { 0 };
	uint64_t us = (uint64_t)(PERIOD_NS / 1000 * (0.875 + 0.25 * next_uniform()));

	run_for((double)us * 1000, counts);
	*s = (struct ep_sample){ .cpu_us = us,
		.wall_us = us,
		.node_idx = 2 + program.at,
		.group = (uint32_t)(number % groups->n_groups) };
	for (uint32_t e = 0; e < N_EVENTS; e++)
		values[e] = (uint64_t)(counts[e] + 0.5);
}

static void put_slices(struct trace_writer *writer)
{
	static struct ep_sample samples[BLOCK_SLICES];
	static uint64_t values[BLOCK_SLICES][N_EVENTS];
	struct ep_groups groups = groups_of_run();
	uint64_t n_slices = (uint64_t)option("slices"), time_us = 0;

	for (uint64_t done = 0; done < n_slices; done += BLOCK_SLICES) {
		uint64_t before_us = time_us;
		uint32_t n =
			n_slices - done < BLOCK_SLICES ? (uint32_t)(n_slices - done) : BLOCK_SLICES;

		for (uint32_t i = 0; i < n; i++) {
			program.phase = option("phases") > 1 && (done + i) * 2 >= n_slices;
			put_slice(&groups, done + i, &samples[i], values[i]);
			time_us += samples[i].cpu_us;
		}
		trace_flush(writer);
		trace_put_samples(writer, &groups,
			&(struct ep_samples){ 1, 0, n, done, samples, values[0] }, before_us);
	}
}

static void put_meta(struct trace_writer *writer)
{
	char text[2048];

	snprintf(text, sizeof(text),
		"evprof\t0.1.0\nrun\tnode17:100:5000\npid\t%d\nborn\troot\nexe\t/opt/bin/turns\n"
		"host\tnode17\nkernel\t6.1.0\narch\tx86_64\ncpu\tImagined CPU\nn_cpus\t4\n"
		"realtime_ns\t1700000000000000000\nargv\tturns\nsource\tperf\nclock\ttask-clock\n"
		"period_ns\t%d\nevent\t0\tcycles\talways\tcount\nevent\t1\tinstructions\talways\tcount\n"
		"event\t2\tloads\t-\tcount\nevent\t3\tmisses\t-\tcount\n%s",
		PID, PERIOD_NS,
		option("groups") > 1 ? "group\t0\t0,1,2\ngroup\t1\t0,1,3\n"
				     : "group\t0\t0,1,2,3\n");
	trace_put_meta(writer, text);
}

static void put_stacks(struct trace_writer *writer)
{
	struct ep_stack_node nodes[1 + MOST_PROCEDURES] = { { 0, 0, 0x1010 } };

	for (uint32_t i = 0; i < program.n_procedures; i++)
		nodes[1 + i] = (struct ep_stack_node){ 1, 0, 0x2000 + 0x100 * i + 0x10 };
	trace_put_stacks(writer, &(struct ep_stacks){ 1, 0, 1, 1 + program.n_procedures, nodes });
}

static int put_truth(const char *path)
{
	EP_AUTOFCLOSE FILE *out = fopen(path, "we");

	if (!out)
		return -1;
	puts("1000 100 main");
	for (uint32_t i = 0; i < program.n_procedures; i++) {
		printf("%x 100 p%u\n", 0x2000 + 0x100 * i, i);
		fprintf(out, "p%u %.0f", i, program.time_ns[i] / 1000);
		for (uint32_t e = 0; e < N_EVENTS; e++)
			fprintf(out, " %s=%.0f", event_names[e], program.counts[i][e]);
		fputc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct trace_writer writer;

	for (int i = 3; i < argc; i++)
		if (take_option(argv[i])) {
			fprintf(stderr, "turns: no option %s\n", argv[i]);
			return 2;
		}
	if (argc < 3) {
		fprintf(stderr, "usage: turns OUT.gz TRUTH [KEY=VALUE...] > PERF_MAP\n");
		return 2;
	}
	program.n_procedures = (uint32_t)option("procedures");
	next_turn();
	trace_writer_init(&writer, fopen(argv[1], "we"));
	writer.key = (struct ep_process_key){ PID, 1000000000000 };
	put_meta(&writer);
	put_stacks(&writer);
	put_slices(&writer);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	return put_truth(argv[2]) ? 1 : 0;
}
