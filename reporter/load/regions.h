/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that the program has named (REGIONS of docs/trace-format.md), of all threads together. */
#ifndef EVPROF_REPORTER_LOAD_REGIONS_H
#define EVPROF_REPORTER_LOAD_REGIONS_H

#include "common/containers/index.h"
#include "common/trace_regions.h"
#include "reporter/load/block_sums.h"

#define EP_MOST_REGIONS 4096 /* of all threads; those beyond are the region around them */

/* A region below the regions around it. */
struct ep_region {
	uint32_t parent_idx; /* which comes before it; EP_NONE: none is around it */
	const char *name;
	bool is_wanted; /* by the load options, or one around it is */
	uint64_t n_entries, wall_ns;
	struct ep_sum_share shown; /* of these, where a part of the run is loaded */
	uint64_t cpu_us;           /* of slices that ended in it, but in no region inside it */
	uint64_t n_samples;
	double squares; /* of them, us^2 */
};

struct ep_region_table {
	struct ep_region *rows;
	uint32_t n_rows, capacity;
	struct ep_index index;
	uint32_t n_waiting; /* changes of all threads whose slices have not come */
	double squares;     /* of all slices, in regions or not, us^2 */
	uint64_t n_lost, n_unmatched, n_left, n_open; /* as in struct ep_regions */
	uint64_t n_beyond;                            /* begins of those that found no room here */
};

/* A thread's regions, while its blocks are read. */
struct ep_thread_regions {
	struct ep_known_region {
		uint32_t idx; /* in the table; EP_NONE: a block that told of it is lost */
		bool is_around; /* it found no room: idx is that of the region around it, EP_NONE for none */
		uint64_t n_entries, wall_ns;
	} * known; /* (n_known) node 1 is the first */
	uint32_t n_known;
	uint64_t n_lost, n_unmatched, n_left, n_open;
	struct ep_region_change *changes; /* (n_changes) of slices to come, by slice */
	uint32_t n_changes;
	uint32_t now;       /* index plus one of that of the last slice; 0: none */
	uint32_t *of_slice; /* (n_slices) of the block that is taken; NULL: none is in one */
	uint32_t *
		of_waits; /* (n_of_waits) nodes of the sums in the block of waits to come; NULL: not told */
	uint32_t n_of_waits;
};

void ep_region_table_finish(struct ep_region_table *table);
void ep_thread_regions_finish(struct ep_thread_regions *regions);

/* Sets of_slice for the slices of a block: the first's number and how many. 0 or -ENOMEM. */
int ep_thread_regions_follow(struct ep_region_table *table, struct ep_thread_regions *regions,
	uint64_t first_slice, uint32_t n) EP_MUST_CHECK;

/* Tells whether a sum of the block of waits at hand is of a region that is wanted. */
bool ep_region_of_wait_is_wanted(
	const struct ep_region_table *table, const struct ep_thread_regions *regions, uint32_t i);

static inline uint32_t ep_region_of_slice(const struct ep_thread_regions *regions, uint32_t i)
{
	return regions->of_slice ? regions->of_slice[i] : EP_NONE;
}

#endif
