/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of one and the same program: with two events that take turns, or counted throughout. */
#ifndef EVPROF_TESTS_UNIT_RUNS_H
#define EVPROF_TESTS_UNIT_RUNS_H

#include "common/cleanup.h"
#include "tests/trace/writer.h"
#include "tests/unit/test.h"

enum { RUN_EVENTS = 3, RUN_SLICES = 60 };

/* The count of event e (cycles, a, b) in slice i. */
static uint64_t run_count(uint32_t i, uint32_t e)
{
	const uint64_t counts[RUN_EVENTS] = { 1000 + i * 37 % 11 * 50, 100 + i * 5 % 7 * 30,
		500 + i / 10 % 3 * 200 };

	return counts[e];
}

/* Slices [begin, end) of RUN_SLICES. */
struct run_of {
	bool takes_turns;
	uint32_t begin, end, period_us, n_threads;
	uint32_t bad; /* slice whose count of a is none; 0: there is none */
};

static void put_run(struct trace_writer *writer, const struct run_of *run, uint32_t thread)
{
	static uint8_t turns[] = { 1, 2, 0, 1, 0, 2 }, throughout[] = { 1, 2, 3 };
	const struct ep_groups groups = { .n_events = RUN_EVENTS,
		.n_groups = run->takes_turns ? 2 : 1,
		.period_us = run->period_us,
		.holds = run->takes_turns ? turns : throughout };
	uint32_t n = run->end - run->begin;
	EP_AUTOFREE struct ep_sample *rows = calloc(n, sizeof(*rows));
	EP_AUTOFREE uint64_t *values = calloc(n * RUN_EVENTS, sizeof(*values));
	struct ep_samples samples = { thread, 1, n, 0, rows, values };

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = (struct ep_sample){ .cpu_us = run->period_us,
			.wall_us = run->period_us,
			.group = run->takes_turns ? i % 2 : 0 };
		for (uint32_t e = 0; e < RUN_EVENTS; e++)
			values[i * RUN_EVENTS + e] = run_count(run->begin + i, e);
	}
	if (run->bad)
		values[run->bad * RUN_EVENTS + 1] = UINT64_MAX;
	trace_put_samples(writer, &groups, &samples, 0);
}

static void write_run(const char *path, struct run_of run)
{
	static struct trace_writer writer;
	char meta[512];

	snprintf(meta, sizeof(meta),
		"host\tn\nperiod_ns\t%u000\nclock\ttask-clock\n"
		"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n%s",
		run.period_us,
		run.takes_turns ? "group\t0\t0,1\ngroup\t1\t0,2\n" : "group\t0\t0,1,2\n");
	trace_writer_init(&writer, fopen(path, "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(&writer, meta);
	for (uint32_t thread = 0; thread < run.n_threads; thread++, run.end--)
		put_run(&writer, &run, thread); /* a further one is shorter */
	trace_put_eof(&writer);
	fclose(writer.out);
	trace_writer_finish(&writer);
}

#endif
