/* SPDX-License-Identifier: BSD-3-Clause */
/* REGIONS blocks, decoded: parts of the program that its own code has named (include/evprof.h). */
#ifndef EVPROF_COMMON_TRACE_REGIONS_H
#define EVPROF_COMMON_TRACE_REGIONS_H

#include "common/trace.h"

#define EP_REGION_MAX_NODES 255 /* of a thread */
#define EP_REGION_MAX_DEPTH 32  /* of a region in others */

/* A region below those around it. */
struct ep_region_node {
	uint32_t parent;  /* number of the node around it; 0: there is none */
	const char *name; /* not NUL-terminated */
	size_t name_size;
};

/* Cumulative; the last of a node counts. */
struct ep_region_sum {
	uint32_t node;
	uint64_t n_entries, wall_ns;
};

/* From this slice on slices end in the node; 0: in no region. */
struct ep_region_change {
	uint64_t slice;
	uint32_t node;
};

struct ep_regions {
	uint32_t thread;
	uint64_t n_lost;      /* begins that found no room; this and the next: cumulative */
	uint64_t n_unmatched; /* ends of a region that had not begun */
	uint64_t n_left;      /* regions that the end of one around them ended */
	uint32_t n_open;      /* that have not ended yet */
	uint32_t first_node, n_nodes, n_sums, n_changes;
	struct ep_region_node *nodes; /* (n_nodes) first_node is the first's number, from 1 on */
	struct ep_region_sum *sums;   /* (n_sums) */
	struct ep_region_change *changes; /* (n_changes) by slice */
};

/* The caller finishes it. 0, -EBADMSG or -ENOMEM. */
int ep_regions_decode(const struct ep_block *block, struct ep_regions *out_regions) EP_MUST_CHECK;
void ep_regions_finish(struct ep_regions *regions);

#endif
