/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofs of this machine: peak floating-point rates by precision and width (Williams, Waterman and
 * Patterson, CACM 52(4), 2009) and the bandwidth of each level of memory (Ilic, Pratas and Sousa, IEEE
 * CAL 13(1), 2014), of one CPU and of all that the process may use.
 */
#ifndef EVPROF_KERNELS_ROOFS_ROOFS_H
#define EVPROF_KERNELS_ROOFS_ROOFS_H

#include "kernels/measure/machine.h"

#include <stdbool.h>

enum ep_roof_cpus { EP_ROOF_ONE, EP_ROOF_ALL, EP_N_ROOF_CPUS };

/* Rounds of all loops, each with memory of its own: what another program takes of a shared cache, and which sets of it
 * pages fall on, differs from round to round, and so does what one measurement finds from what the next one does. */
enum { EP_ROOF_ROUNDS = 5 };

struct ep_roof_rate {
	double rounds[EP_ROOF_ROUNDS]; /* the best of each, operations or bytes per second */
	double best; /* the second one of rounds, so that no single one sets it; 0: not measured */
	double spread; /* the highest of rounds less the least */
};

struct ep_roof {
	char name[32];   /* "Peak_DP_256_FMA", "Bandwidth_L2_Load" */
	char about[128]; /* a sentence without its end */
	bool is_bandwidth;
	struct ep_roof_rate rates[EP_N_ROOF_CPUS];
};

struct ep_roofs {
	struct ep_roof *roofs; /* (n_roofs) peaks, then bandwidths from L1 to memory */
	size_t n_roofs;
	double cycle_ns;     /* of a cycle, by a chain of additions; NaN: not known */
	const char *lacking; /* why memory's are not there; NULL: they are */
};

/* n_repetitions, each about a millisecond, of every loop on one CPU and on all; fewer rounds where there are fewer.
 * -ENOMEM, -EAGAIN. */
int ep_roofs_measure(const struct ep_cal_machine *machine, unsigned n_repetitions,
	struct ep_roofs *out, struct ep_error *err) EP_MUST_CHECK;
void ep_roofs_finish(struct ep_roofs *roofs);
/* Sets best and spread by n_rounds. */
void ep_roof_rate_sum_up(struct ep_roof_rate *rate, unsigned n_rounds);

#endif
