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

struct ep_roof_rate {
	double best;   /* operations or bytes per second; 0: not measured */
	double spread; /* best less the least of EP_ROOF_GROUPS groups' bests */
};

enum { EP_ROOF_GROUPS = 5 };

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

/* n_repetitions, each about a millisecond, of every loop on one CPU and on all. -ENOMEM, -EAGAIN. */
int ep_roofs_measure(const struct ep_cal_machine *machine, unsigned n_repetitions,
	struct ep_roofs *out, struct ep_error *err) EP_MUST_CHECK;
void ep_roofs_finish(struct ep_roofs *roofs);

#endif
