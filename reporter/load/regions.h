/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that the program named (REGIONS in docs/trace-format.md), merged over all threads. */
#ifndef EVPROF_REPORTER_LOAD_REGIONS_H
#define EVPROF_REPORTER_LOAD_REGIONS_H

#include "common/containers/index.h"
#include "common/trace_regions.h"
#include "reporter/load/block_sums.h"

/* the most regions of all threads; a further one counts as the region around it */
#define EP_MOST_REGIONS 4096

/* A region of the program, identified by its name and the region around it. */
struct ep_region {
	/* the region around it, which has a smaller index; EP_NONE: there is none */
	uint32_t parent_idx;
	const char *name;
	bool is_wanted; /* the load options select the region, or one around it */
	uint64_t n_entries, wall_ns;
	/* the part of n_entries and wall_ns that is shown, where a part of the run is loaded */
	struct ep_sum_share shown;
	/* CPU time of slices that ended in the region, but in no region inside it */
	uint64_t cpu_us;
	uint64_t n_samples;
	double squares; /* sum of the squares of the times of these slices, us^2 */
};

struct ep_region_table {
	struct ep_region *rows;
	uint32_t n_rows, capacity;
	struct ep_index index;
	uint32_t n_waiting; /* how many changes, of all threads, are at slices not read yet */
	/* sum of the squares of the times of all slices, in regions or not, us^2 */
	double squares;
	/* sums over all threads of the members of the same names in struct ep_regions */
	uint64_t n_lost, n_unmatched, n_left, n_open;
	/* how often regions began for which the table had no room */
	uint64_t n_beyond;
};

/* A thread's regions, while its blocks are read. */
struct ep_thread_regions {
	struct ep_known_region {
		/* index in the table; EP_NONE: the block that described the region is lost */
		uint32_t idx;
		/* the table had no room: idx is the region around it, EP_NONE: there is none */
		bool is_around;
		uint64_t n_entries, wall_ns;
	} * known; /* (n_known) by node; node 1 is the first */
	uint32_t n_known;
	uint64_t n_lost, n_unmatched, n_left, n_open;
	/* (n_changes) changes at slices that have not been read yet, in the order of slices */
	struct ep_region_change *changes;
	uint32_t n_changes;
	uint32_t now; /* index plus one of the last slice's region; 0: it was in none */
	/* (n_slices) the region of each slice of the block being read; NULL: all are outside */
	uint32_t *of_slice;
	/* (n_of_waits) the region node of each sum in the next block of waits; NULL: not known */
	uint32_t *of_waits;
	uint32_t n_of_waits;
};

void ep_region_table_finish(struct ep_region_table *table);
void ep_thread_regions_finish(struct ep_thread_regions *regions);

/* Sets of_slice for the n slices of a block, the first of which has number first_slice. 0 or -ENOMEM. */
int ep_thread_regions_follow(struct ep_region_table *table, struct ep_thread_regions *regions,
	uint64_t first_slice, uint32_t n) EP_MUST_CHECK;

/* Tells whether sum i of the current block of waits belongs to a region that is wanted. */
bool ep_region_of_wait_is_wanted(
	const struct ep_region_table *table, const struct ep_thread_regions *regions, uint32_t i);

static inline uint32_t ep_region_of_slice(const struct ep_thread_regions *regions, uint32_t i)
{
	return regions->of_slice ? regions->of_slice[i] : EP_NONE;
}

#endif
