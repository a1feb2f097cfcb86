/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks the whole call tree of a trace, for formats that keep call paths. It finds the frames of a path, and builds a
 * tree of procedures (or of their lines or loops) into which all paths are merged. Paths with little time are not left
 * out. All of this runs on one thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_TREE_WALK_H
#define EVPROF_REPORTER_EXPORT_TREE_WALK_H

#include "reporter/symbolize/symbolize.h"

/* A frame of a path. Several frames with the same path_idx were inlined into each other at one address. */
struct ep_walk_frame {
	uint32_t path_idx; /* the path that has the address */
	bool is_return;    /* the address is the return address of a call */
	struct ep_frame frame;
};

/* A procedure as called from its parent. Node 0 is the root, which is no procedure. Children have larger indexes than
 * their parents. */
struct ep_walk_node {
	uint32_t parent, symbol_idx;
	/* file and line of the code, if by_line is set; NULL: not known */
	const char *file;
	uint32_t line;
	/* innermost loop around the code, if by_loop is set; EP_NONE: none */
	uint32_t loop_idx;
};

struct ep_tree_walk {
	const struct ep_trace *trace;
	struct ep_symbols *symbols;
	/* The following three are set before ep_tree_walk_init. */
	bool by_line;         /* a node for each line of a procedure */
	bool by_loop;         /* a node for each loop of a procedure, as ep_symbols_loop finds it */
	bool joins_recursion; /* a procedure that calls itself directly is one node */
	struct ep_walk_node *nodes;
	uint32_t n_nodes, node_capacity;
	struct ep_index node_index;
	/* (n_paths) the node for samples that ended in a path, or threads that waited there; 0: none did */
	uint32_t *node_of_path;
	/* (n_paths) the node below which a path's callees are; 0: the path has no callees */
	uint32_t *call_of_path;
	struct ep_walk_frame *frames;
	uint32_t frame_capacity;
};

/* Builds the tree. trace, symbols and the options are set before; the rest is 0. Returns 0 or -ENOMEM;
 * ep_tree_walk_finish must be called in any case. */
int ep_tree_walk_init(struct ep_tree_walk *walk) EP_MUST_CHECK;
void ep_tree_walk_finish(struct ep_tree_walk *walk);

/* Finds the frames of a path in which samples ended, innermost first; they are valid until the next call.
 * ep_tree_walk_init is not needed before. Returns 0 or -ENOMEM. */
int ep_tree_walk_frames(struct ep_tree_walk *walk, uint32_t path_idx,
	const struct ep_walk_frame **out_frames, uint32_t *out_n) EP_MUST_CHECK;

#endif
