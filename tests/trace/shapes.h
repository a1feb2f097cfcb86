/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of counts and their events, for traces that generate.c writes. */
#ifndef EVPROF_TESTS_TRACE_SHAPES_H
#define EVPROF_TESTS_TRACE_SHAPES_H

#include "tests/trace/writer.h"

#define SHAPE_PERIOD_US 1000

struct shape {
	const char *source, *clock, *events; /* META lines */
	struct ep_groups groups;
	uint16_t flags; /* of the thread's slices while it computes: the first three quarters */
	uint64_t more, more_of_last; /* as in struct slices, of that while */
};

extern const struct shape shape_plain;     /* two software events */
extern const struct shape shape_rotated;   /* two groups */
extern const struct shape shape_topdown;   /* a CPU with models */
extern const struct shape shape_flops;     /* floating-point operations, bytes of memory */
extern const struct shape shape_simulated; /* valgrind's machine */

#endif
