/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes REGIONS blocks. Regions are parts of the program that the program's code has named (include/evprof.h). */
#ifndef EVPROF_COMMON_TRACE_REGIONS_H
#define EVPROF_COMMON_TRACE_REGIONS_H

#include "common/trace.h"

#define EP_REGION_MAX_NODES 255 /* the most nodes of a thread */
#define EP_REGION_MAX_DEPTH 32  /* the most regions inside each other */

/* A node of a thread's tree of regions. The same name inside different regions has different nodes. */
struct ep_region_node {
	uint32_t parent;  /* the node of the region around it; 0: there is none */
	const char *name; /* not NUL-terminated */
	size_t name_size;
};

/* The sums of a node since the thread began. So the last sum of a node in the trace replaces all earlier ones. */
struct ep_region_sum {
	uint32_t node;
	uint64_t n_entries, wall_ns;
};

/* Slices from this slice to the next change end in the region of node; node 0: they end in no region. */
struct ep_region_change {
	uint64_t slice;
	uint32_t node;
};

struct ep_regions {
	uint32_t thread;
	uint64_t n_lost;      /* begins that had no room in memory; cumulative, as the next two */
	uint64_t n_unmatched; /* ends of regions that had not begun */
	uint64_t n_left;      /* regions that were ended by the end of a region around them */
	uint32_t n_open;      /* regions that have not ended yet */
	uint32_t first_node, n_nodes, n_sums, n_changes;
	/* (n_nodes) new nodes in the order of their numbers. The first has the number first_node, at least 1. */
	struct ep_region_node *nodes;
	struct ep_region_sum *sums;       /* (n_sums) sums of nodes */
	struct ep_region_change *changes; /* (n_changes) changes in the order of slices */
};

/* Decodes a block; ep_regions_finish frees the result. Returns 0, -EBADMSG or -ENOMEM. */
int ep_regions_decode(const struct ep_block *block, struct ep_regions *out_regions) EP_MUST_CHECK;
void ep_regions_finish(struct ep_regions *regions);

#endif
