/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoded REGIONS blocks. Regions are parts of the program that its own code has named (include/evprof.h). */
#ifndef EVPROF_COMMON_TRACE_REGIONS_H
#define EVPROF_COMMON_TRACE_REGIONS_H

#include "common/trace.h"

#define EP_REGION_MAX_NODES 255 /* the most nodes of a thread */
#define EP_REGION_MAX_DEPTH 32  /* the most regions around each other */

/* A region within the regions around it. */
struct ep_region_node {
	uint32_t parent;  /* the node of the region around it; 0: there is none */
	const char *name; /* not NUL-terminated */
	size_t name_size;
};

/* Cumulative sums; the last one of a node counts. */
struct ep_region_sum {
	uint32_t node;
	uint64_t n_entries, wall_ns;
};

/* Slices from this one on end in the node; 0: in no region. */
struct ep_region_change {
	uint64_t slice;
	uint32_t node;
};

struct ep_regions {
	uint32_t thread;
	uint64_t n_lost;      /* begins without room; cumulative, as are the next two */
	uint64_t n_unmatched; /* ends of regions that had not begun */
	uint64_t n_left;      /* regions that were ended by the end of a region around them */
	uint32_t n_open;      /* regions that have not ended yet */
	uint32_t first_node, n_nodes, n_sums, n_changes;
	/* (n_nodes) the first one has the number first_node, which is at least 1 */
	struct ep_region_node *nodes;
	struct ep_region_sum *sums;       /* (n_sums) sums of nodes */
	struct ep_region_change *changes; /* (n_changes) changes in the order of slices */
};

/* Decodes a block; ep_regions_finish frees the result. Returns 0, -EBADMSG or -ENOMEM. */
int ep_regions_decode(const struct ep_block *block, struct ep_regions *out_regions) EP_MUST_CHECK;
void ep_regions_finish(struct ep_regions *regions);

#endif
