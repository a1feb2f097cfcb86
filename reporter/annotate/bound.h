/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the least cycles of a loop's iteration with llvm-mca, which simulates a CPU's ports and the
 * results that instructions wait for. llvm-mca assumes that all loads hit the first cache, and that all
 * branches are predicted. If an iteration takes longer, misses of the cache or of predictions are the usual
 * reasons.
 */
#ifndef EVPROF_REPORTER_ANNOTATE_BOUND_H
#define EVPROF_REPORTER_ANNOTATE_BOUND_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The reason why an iteration cannot be quicker. */
enum ep_bound_limit {
	EP_LIMIT_PORTS,     /* some ports are always busy */
	EP_LIMIT_CHAIN,     /* results wait for each other, from one iteration to the next */
	EP_LIMIT_FRONT_END, /* the CPU can start no more instructions in a cycle */
};

struct ep_loop_bound {
	double cycles;       /* cycles of an iteration */
	double ports_cycles; /* cycles if no instruction waited for a result */
	enum ep_bound_limit limit;
};

/* Returns llvm-mca's name of a CPU for a key of the formula files (GenuineIntel-6-55-4), and in *out_march
 * llvm-mca's name of the architecture. NULL: the list of known CPUs does not have the CPU. */
const char *ep_bound_cpu_of(const char *cpuid, const char **out_march);

struct ep_bound_question {
	const char *cpu, *march; /* march NULL: llvm-mca's default */
	const char *assembly;    /* one line for each instruction of an iteration */
};

/* Computes a bound. Returns 0, -ENOENT if llvm-mca is not installed, -EINVAL if llvm-mca does not know the
 * CPU or an instruction, or another negative errno. */
int ep_loop_bound_find(
	const struct ep_bound_question *question, struct ep_loop_bound *out) EP_MUST_CHECK;
/* Reads a bound from llvm-mca's output. Returns 0, or -EINVAL if the text is no summary. */
int ep_loop_bound_parse(const char *text, struct ep_loop_bound *out) EP_MUST_CHECK;

#endif
