/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a run that is loaded. */
#ifndef EVPROF_REPORTER_LOAD_PART_H
#define EVPROF_REPORTER_LOAD_PART_H

#include <stdbool.h>
#include <stdint.h>

/* A part of the run, by times on the clock of the trace's first process. The totals that threads wrote are
 * those of the whole run, so that counts of a part come from its samples only. */
struct ep_part {
	bool is_set; /* false: the whole run is loaded */
	uint64_t from_ns, to_ns;
	/* only slices that end in a region of this name belong to the part; NULL: all slices do */
	const char *region;
};

/* Tells whether the part covers the whole time of the run: only then the exact sums of regions hold
 * for it. */
static inline bool ep_part_is_all_moments(const struct ep_part *part)
{
	return !part->is_set || (!part->from_ns && part->to_ns == UINT64_MAX);
}

#endif
