/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofs of a machine as evcal roofs wrote them, and what they allow. */
#ifndef EVPROF_REPORTER_ROOFLINE_MACHINE_ROOFS_H
#define EVPROF_REPORTER_ROOFLINE_MACHINE_ROOFS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

enum ep_precision { EP_PRECISION_DOUBLE, EP_PRECISION_SINGLE, EP_N_PRECISIONS };

/* Per second, operations or bytes. */
struct ep_machine_roof {
	char name[32]; /* "DP 256 FMA", "L1 Triad" */
	bool is_bandwidth, is_scalar;
	enum ep_precision precision; /* of a peak */
	double one, one_spread;      /* of one CPU */
	double all, all_spread;      /* of all */
};

enum { EP_MOST_ROOFS = 64 };

struct ep_machine_roofs {
	char *path, *source, *date; /* NULL: not told */
	double n_cpus;              /* of all */
	struct ep_machine_roof roofs[EP_MOST_ROOFS];
	uint32_t n_roofs; /* 0: none were found */
};

/* The file at path; NULL: the user's for the CPU with this identifier (NULL: not known), and without one
 * there are no roofs. -ENODATA: the file has none. */
int ep_machine_roofs_find(const char *path, const char *cpuid, struct ep_machine_roofs *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_machine_roofs_finish(struct ep_machine_roofs *roofs);

/* Per second, of n_cpus (1 or more; no more than all have). A bandwidth of loads and one of the triad
 * are both what the level gives: the higher counts. */
struct ep_roof_limit {
	const struct ep_machine_roof *roof; /* NULL: none is known */
	double value, error;                /* half the spread */
};
struct ep_roof_limit ep_roofs_peak(const struct ep_machine_roofs *roofs,
	enum ep_precision precision, bool is_scalar, double n_cpus);
/* level: "L1", "L2", "L3", "MEM". */
struct ep_roof_limit ep_roofs_bandwidth(
	const struct ep_machine_roofs *roofs, const char *level, double n_cpus);

#endif
