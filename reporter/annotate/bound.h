/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many cycles a turn of a loop takes at least, by llvm-mca, which simulates a CPU's ports and the
 * results that instructions wait for. It takes every load to hit the first cache, and knows no branch
 * that is foretold wrongly: what is measured beyond it is for these.
 */
#ifndef EVPROF_REPORTER_ANNOTATE_BOUND_H
#define EVPROF_REPORTER_ANNOTATE_BOUND_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The reason why a turn is not quicker. */
enum ep_bound_limit {
	EP_LIMIT_PORTS,     /* some are busy all the time */
	EP_LIMIT_CHAIN,     /* results that wait for each other, from turn to turn */
	EP_LIMIT_FRONT_END, /* so many instructions begin in a cycle, and no more */
};

struct ep_loop_bound {
	double cycles;       /* of a turn */
	double ports_cycles; /* if nothing waited for a result */
	enum ep_bound_limit limit;
};

/* llvm-mca's name of a CPU by the key that formula files have (GenuineIntel-6-55-4), and in out_march
 * of its machine; NULL: it is in no list of llvm-mca's. */
const char *ep_bound_cpu_of(const char *cpuid, const char **out_march);

struct ep_bound_question {
	const char *cpu, *march; /* march NULL: llvm-mca's own */
	const char *assembly;    /* a line for each instruction of a turn */
};

/* -ENOENT: llvm-mca is not installed; -EINVAL: it does not know the CPU or an instruction; other
 * negative errnos. */
int ep_loop_bound_find(
	const struct ep_bound_question *question, struct ep_loop_bound *out) EP_MUST_CHECK;
/* The same from what llvm-mca printed. -EINVAL: it is no summary. */
int ep_loop_bound_parse(const char *text, struct ep_loop_bound *out) EP_MUST_CHECK;

#endif
