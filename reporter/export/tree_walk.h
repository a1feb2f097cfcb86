/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole call tree of a trace, for formats that keep call paths: which frames a path has, and a tree
 * of procedures (or of their lines) into which all paths are merged. Nothing small is left out. One
 * thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_TREE_WALK_H
#define EVPROF_REPORTER_EXPORT_TREE_WALK_H

#include "reporter/symbolize/symbolize.h"

/* A frame of a path: several of one path_idx were inlined into each other at one address. */
struct ep_walk_frame {
	uint32_t path_idx; /* the path that the address is of */
	bool is_return;    /* the address is that behind a call */
	struct ep_frame frame;
};

/* A procedure as called from its parent; node 0 is the root, which is none. Children come after their
 * parents. */
struct ep_walk_node {
	uint32_t parent, symbol_idx;
	const char *file; /* and line: of the code, where nodes are kept by line. NULL: not known */
	uint32_t line;
	uint32_t loop_idx; /* the innermost around the code, where nodes are kept by it; EP_NONE */
};

struct ep_tree_walk {
	const struct ep_trace *trace;
	struct ep_symbols *symbols;
	/* Set before init. */
	bool by_line; /* a node for each line of a procedure */
	bool by_loop; /* a node for each loop of a procedure: as ep_symbols_loop finds them */
	bool joins_recursion; /* a procedure that calls itself directly is one node */
	struct ep_walk_node *nodes;
	uint32_t n_nodes, node_capacity;
	struct ep_index node_index;
	/* (n_paths) in which samples of a path ended, or in whose calls threads waited; 0: none did */
	uint32_t *node_of_path;
	uint32_t *call_of_path; /* (n_paths) below which a path's callees are; 0: it has none */
	struct ep_walk_frame *frames;
	uint32_t frame_capacity;
};

/* trace and symbols are set; the rest is zero. 0 or -ENOMEM; finish in any case. */
int ep_tree_walk_init(struct ep_tree_walk *walk) EP_MUST_CHECK;
void ep_tree_walk_finish(struct ep_tree_walk *walk);

/* The frames of a path that samples ended in, innermost first; good until the next call. Needs no
 * init. 0 or -ENOMEM. */
int ep_tree_walk_frames(struct ep_tree_walk *walk, uint32_t path_idx,
	const struct ep_walk_frame **out_frames, uint32_t *out_n) EP_MUST_CHECK;

#endif
