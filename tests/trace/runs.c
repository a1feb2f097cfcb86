// SPDX-License-Identifier: BSD-3-Clause
#include "tests/trace/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

#define REALTIME "1700000000000000000" /* 2023-11-14 22:13:20 UTC */

/* Addresses that the perf maps name: main calls solve and write_out, solve itself and axpy. */
enum { MAIN = 0x1000, SOLVE = 0x2000, AXPY = 0x3000, WRITE_OUT = 0x4000 };

/* Nodes, indexes from 1. */
static struct ep_stack_node tree[N_NODES] = {
	{ 0, 0, MAIN + 0x10 },      /* 1 main, as a caller */
	{ 1, 0, SOLVE + 0x20 },     /* 2 main > solve, as a caller */
	{ 2, 0, AXPY + 0x30 },      /* 3 main > solve > axpy */
	{ 1, 0, WRITE_OUT + 0x40 }, /* 4 main > write_out */
	{ 2, 0, SOLVE + 0x28 },     /* 5 main > solve > solve, as a caller */
	{ 5, 0, AXPY + 0x34 },      /* 6 main > solve > solve > axpy */
	{ 1, 0, SOLVE + 0x44 },     /* 7 main > solve */
};

void put_process(
	struct run *run, uint32_t pid, uint64_t birth_ns, const char *command, const char *more)
{
	char text[4096];

	run->pid = pid;
	run->writer->key = (struct ep_process_key){ pid, birth_ns };
	snprintf(text, sizeof(text),
		"evprof\t0.1.0\nrun\t%s\npid\t%u\nborn\troot\nexe\t/opt/bin/%.*s\n"
		"host\tnode17\nkernel\t6.1.0\narch\tx86_64\ncpu\tImagined CPU @ 2.10GHz\n"
		"n_cpus\t4\nrealtime_ns\t" REALTIME "\nargv\t%s\nsource\t%s\nclock\t%s\n"
		"period_ns\t1000000\n%s%s",
		run->root, pid, (int)strcspn(command, "\t"), command, command, run->shape->source,
		run->shape->clock, run->shape->events, more);
	trace_put_meta(run->writer, text);
}

void put_stacks(struct run *run, uint32_t thread)
{
	struct ep_stacks stacks = { thread, 0, 1, N_NODES, tree };

	trace_put_stacks(run->writer, &stacks);
}

uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static uint64_t value_of(const struct ep_sample *s, uint32_t e)
{
	return (e + 1) * 100 + (s->node_idx == 4 ? 10 : 0);
}

void put_slices(struct run *run, const struct slices *slices)
{
	const struct ep_groups *groups = &run->shape->groups;
	EP_AUTOFREE struct ep_sample *rows = calloc(slices->n_slices, sizeof(*rows));
	EP_AUTOFREE uint64_t *values =
		calloc((size_t)slices->n_slices * groups->n_events, sizeof(*values));
	struct ep_samples samples = { slices->thread, 0, slices->n_slices, slices->first_slice,
		rows, values };
	uint64_t before_us = run->time_us;

	for (uint32_t i = 0; i < slices->n_slices; i++) {
		uint32_t noise = slices->noise;
		uint64_t cpu_us = slices->cpu_us ? slices->cpu_us : SHAPE_PERIOD_US;

		if (noise)
			cpu_us += next_random() % 16;

		run->time_us += cpu_us + slices->off_us;
		rows[i] = (struct ep_sample){
			.time_us = run->time_us,
			.cpu_us = cpu_us,
			.wall_us = cpu_us + slices->off_us,
			.node_idx = slices->node_of[i % slices->n_node_of],
			.group = (uint16_t)((slices->first_slice + i) % groups->n_groups),
			.flags = slices->flags,
			.idle_us = slices->idle_us,
		};
		for (uint32_t e = 0; e < groups->n_events; e++)
			values[(size_t)i * groups->n_events + e] =
				value_of(&rows[i], e) + slices->more +
				(e + 1 == groups->n_events ? slices->more_of_last : 0) +
				(noise ? next_random() % noise : 0);
	}
	trace_put_samples(run->writer, groups, &samples, before_us);
}

void put_totals_of(
	struct run *run, uint32_t thread, const char *name, const struct ep_totals *amounts)
{
	struct ep_totals totals = *amounts;

	totals.thread = thread;
	totals.tid = run->pid + thread;
	totals.name = name;
	totals.name_size = strlen(name);
	totals.final = true;
	totals.end_us = run->time_us + 500;
	totals.own_ns = 2000000;
	totals.n_minor_faults = 120;
	trace_put_totals(run->writer, &totals);
}

void put_totals(
	struct run *run, uint32_t thread, const char *name, uint64_t n_samples, uint64_t n_lost)
{
	put_totals_of(run, thread, name,
		&(struct ep_totals){ .cpu_ns = run->time_us * 1000,
			.n_samples = n_samples,
			.n_lost = n_lost,
			.n_voluntary = 3,
			.n_involuntary = 4 });
}

void put_end(struct run *run, enum ep_end_how how, uint32_t status)
{
	struct ep_end end = { .time_us = run->time_us + 1000,
		.how = how,
		.status = status,
		.user_us = run->time_us,
		.system_us = 1500,
		.peak_rss_kib = 20480 };

	trace_put_end(run->writer, &end);
}
