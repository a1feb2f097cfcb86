/* SPDX-License-Identifier: BSD-3-Clause */
/* Two reports that are compared, one run each. */
#ifndef EVPROF_TESTS_UNIT_COMPARED_H
#define EVPROF_TESTS_UNIT_COMPARED_H

#include "reporter/compare/compare.h"

#define MS 1000000ull

/* Makes a report of a run of 1 s on a machine of 4 CPUs. */
static inline struct ep_report plain(void)
{
	return (struct ep_report){
		.hosts = "node",
		.cpu = "Imagined CPU",
		.n_cpus = 4,
		.duration_s = 1,
		.cpu_ns = 1000 * MS,
		.sampled_ns = 1000 * MS,
		.n_samples = 1000,
		.n_threads = 1,
	};
}

static inline int compare(const struct ep_report *before, const struct ep_report *after,
	enum ep_by by, struct ep_comparison *out)
{
	return ep_compare_runs(&(struct ep_compared_runs){ &before, 1 },
		&(struct ep_compared_runs){ &after, 1 }, by, out);
}

#endif
