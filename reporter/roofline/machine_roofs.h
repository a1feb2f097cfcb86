/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the roofs of a machine, which evcal roofs wrote, and finds the limits that they set. */
#ifndef EVPROF_REPORTER_ROOFLINE_MACHINE_ROOFS_H
#define EVPROF_REPORTER_ROOFLINE_MACHINE_ROOFS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

enum ep_precision { EP_PRECISION_DOUBLE, EP_PRECISION_SINGLE, EP_N_PRECISIONS };

/* A roof is the highest rate that the machine reaches, in operations or bytes per second. A rate of 0 is not known. */
struct ep_machine_roof {
	char name[32]; /* "DP 256 FMA", "L1 Triad" */
	bool is_bandwidth, is_scalar;
	enum ep_precision precision; /* the precision of the operations; used for a peak only */
	double one, one_spread;      /* the rate of one CPU */
	double all, all_spread;      /* the rate of all CPUs together */
};

enum { EP_MOST_ROOFS = 64 };

struct ep_machine_roofs {
	char *path, *source, *date; /* NULL: the file does not say */
	double n_cpus;              /* the number of CPUs that "all" stands for */
	struct ep_machine_roof roofs[EP_MOST_ROOFS];
	uint32_t n_roofs; /* 0: no roofs were found */
};

/* Reads the roofs in the file at path. If path is NULL, the user's file for the CPU with the identifier cpuid (NULL:
 * not known) is read; if there is no such file, there are no roofs and 0 is returned. -ENODATA: the file has no
 * roofs. */
int ep_machine_roofs_find(const char *path, const char *cpuid, struct ep_machine_roofs *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_machine_roofs_finish(struct ep_machine_roofs *roofs);

/* The limit that roofs set to n_cpus CPUs (1 or more), in operations or bytes per second. It never exceeds the roof of
 * all CPUs. If the bandwidth of a level was measured by loads and by the triad, the higher of the two counts. */
struct ep_roof_limit {
	const struct ep_machine_roof *roof; /* NULL: no such roof is known */
	double value, error;                /* standard error: half the spread of the roof */
};
struct ep_roof_limit ep_roofs_peak(const struct ep_machine_roofs *roofs,
	enum ep_precision precision, bool is_scalar, double n_cpus);
/* level is one of "L1", "L2", "L3", "MEM". */
struct ep_roof_limit ep_roofs_bandwidth(
	const struct ep_machine_roofs *roofs, const char *level, double n_cpus);

#endif
