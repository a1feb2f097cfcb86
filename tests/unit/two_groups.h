/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of one thread whose events a and b are counted by turns, beside cycles: written by a test
 * and loaded. */
#ifndef EVPROF_TESTS_UNIT_TWO_GROUPS_H
#define EVPROF_TESTS_UNIT_TWO_GROUPS_H

#include "reporter/load/load.h"
#include "tests/trace/writer.h"

/* Periods of 1000 us. */
extern const struct ep_groups groups;
extern const char meta[];

/* The writer of the trace at hand. */
extern struct trace_writer writer;

void start_trace(void);

/* Ends the test program where it cannot be loaded. */
struct ep_trace *finish_trace(void);
struct ep_trace *finish_trace_as(const struct ep_load_options *options);
struct ep_trace *finish_trace_with(const struct ep_filler_ops *filler);

/* n slices in node, from slice number first on; values 10, 20, 30. */
void put_slices(uint32_t n, uint32_t node, uint64_t first, uint64_t cpu_us);

void put_nodes(uint32_t first, struct ep_stack_node *nodes, uint32_t n);

#endif
