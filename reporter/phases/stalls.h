/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins stalls, which are short times in which the run got no CPU, to the phase around them. */
#ifndef EVPROF_REPORTER_PHASES_STALLS_H
#define EVPROF_REPORTER_PHASES_STALLS_H

#include "reporter/phases/segment.h"

struct ep_stall_series {
	const double *edges_us; /* (n_windows + 1) times of the windows' edges */
	const double *cpu_us;   /* (n_windows) CPU time of all threads */
};

/* Changes the kinds of stretches that are stalls to that of the phase around them, and joins neighbours of one kind.
 * Returns 0 or -ENOMEM. */
int ep_stalls_join(const struct ep_stall_series *of, uint32_t n_windows,
	struct ep_segmentation *in) EP_MUST_CHECK;

#endif
