/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of a run that never was, written to a trace: for generate. */
#ifndef EVPROF_TESTS_TRACE_RUNS_H
#define EVPROF_TESTS_TRACE_RUNS_H

#include <stdint.h>

#include "tests/trace/shapes.h"
#include "tests/trace/writer.h"

#define BIRTH_NS 1000000000000ull

/* Nodes of every thread's stacks, from 1: 3 and 6 in axpy, 4 in write_out, 7 in solve. */
enum { N_NODES = 7 };

struct run {
	struct trace_writer *writer;
	const struct shape *shape;
	const char *root; /* the tree's name */
	uint32_t pid;
	uint64_t time_us; /* of the thread being written */
};

/* command: its words with tabs between them; more: lines of META. */
void put_process(
	struct run *run, uint32_t pid, uint64_t birth_ns, const char *command, const char *more);

void put_stacks(struct run *run, uint32_t thread);

/* Slice i is in node_of[i % n]; an event counts (event + 1) * 100 per slice, plus 10 in node 4. */
struct slices {
	uint32_t thread, n_slices;
	const uint32_t *node_of;
	uint32_t n_node_of;
	uint64_t first_slice;
	uint64_t cpu_us; /* 0: one period */
	uint64_t off_us; /* between the ticks, without running */
	uint16_t flags;
	uint64_t idle_us;      /* enabled without counting */
	uint64_t more;         /* added to every count */
	uint64_t more_of_last; /* to the last event's besides */
	uint32_t noise;        /* counts and times vary below this; 0: not at all */
};

void put_slices(struct run *run, const struct slices *slices);

void put_totals(
	struct run *run, uint32_t thread, const char *name, uint64_t n_samples, uint64_t n_lost);
/* amounts: what is not as in every thread. */
void put_totals_of(
	struct run *run, uint32_t thread, const char *name, const struct ep_totals *amounts);

/* rests.c: a run whose waits and regions are known, as are their times. */
void put_rests(struct run *run);

void put_end(struct run *run, enum ep_end_how how, uint32_t status);

/* The same numbers on every machine. */
uint32_t next_random(void);

#endif
