/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the roofs of this machine: peak floating-point rates by precision and width (Williams, Waterman
 * and Patterson, CACM 52(4), 2009) and the bandwidth of each level of memory (Ilic, Pratas and Sousa, IEEE
 * CAL 13(1), 2014), for one CPU and for all that the process may use.
 */
#ifndef EVPROF_KERNELS_ROOFS_ROOFS_H
#define EVPROF_KERNELS_ROOFS_ROOFS_H

#include "kernels/measure/machine.h"

#include <stdbool.h>

enum ep_roof_cpus { EP_ROOF_ONE, EP_ROOF_ALL, EP_N_ROOF_CPUS };

/* The number of rounds of all loops, each with newly mapped memory. Between rounds, other programs' part of a shared
 * cache changes, and the new memory pages are on other sets of the cache. Therefore rounds vary as much as separate
 * measurements. */
enum { EP_ROOF_ROUNDS = 5 };

struct ep_roof_rate {
	/* best rate of each round, in operations or bytes per second */
	double rounds[EP_ROOF_ROUNDS];
	/* the second highest of rounds, so that no single round decides; the highest if there are at most two rounds;
	 * 0: not measured */
	double best;
	double spread; /* difference of the highest and the lowest of rounds */
};

struct ep_roof {
	char name[32];   /* "Peak_DP_256_FMA", "Bandwidth_L2_Load" */
	char about[128]; /* a sentence without its full stop */
	bool is_bandwidth;
	struct ep_roof_rate rates[EP_N_ROOF_CPUS];
};

struct ep_roofs {
	struct ep_roof *roofs; /* (n_roofs) peaks, then bandwidths from L1 to memory */
	size_t n_roofs;
	double cycle_ns; /* nanoseconds of a cycle, by a chain of additions; NaN: not known */
	/* the reason why bandwidths of memory are missing; NULL: they are there */
	const char *lacking;
};

/* Measures every loop on one CPU and on all, with n_repetitions of about a millisecond each. If n_repetitions is less
 * than EP_ROOF_ROUNDS, there are only n_repetitions rounds. Returns 0, -ENOMEM or -EAGAIN. */
int ep_roofs_measure(const struct ep_cal_machine *machine, unsigned n_repetitions,
	struct ep_roofs *out, struct ep_error *err) EP_MUST_CHECK;
void ep_roofs_finish(struct ep_roofs *roofs);
/* Sets best and spread from the first n_rounds rounds. */
void ep_roof_rate_sum_up(struct ep_roof_rate *rate, unsigned n_rounds);

#endif
