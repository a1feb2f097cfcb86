/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call paths of one thread as a prefix tree: node 0 is the root, and a sample's node is the innermost frame of its
 * path. The tree belongs to one thread's record and is changed only under that record's lock, in signal handlers.
 */
#ifndef EVPROF_PRELOAD_THREAD_TREE_H
#define EVPROF_PRELOAD_THREAD_TREE_H

#include "common/trace.h"

#include "preload/unwind/unwind.h"

#define EP_TREE_NODE_BITS 12
#define EP_TREE_MAX_NODES (1 << EP_TREE_NODE_BITS)
#define EP_TREE_HASH_SLOTS 8192
#define EP_TREE_FULL UINT32_MAX

struct ep_tree_node {
	uint64_t address;
	/* the address in its module's file; the absolute one where module is 0 */
	uint64_t module_address;
	uint16_t parent_idx;
	uint16_t module;
};

struct ep_tree {
	uint32_t epoch;
	uint32_t n_nodes;      /* the root included */
	uint32_t first_unsent; /* nodes from this one on are in no block yet */
	/* The last stack: its frames and nodes, outermost first. Frames that have not changed since are not looked up
	 * again. */
	uint32_t n_last;
	uint64_t last_addresses[EP_STACK_MAX_FRAMES];
	uint16_t last_nodes[EP_STACK_MAX_FRAMES];
	/* A slot has the index of a node in its low bits, and above them the low bits of the epoch in which it was set.
	 * Slots of earlier epochs are free. */
	uint16_t slots[EP_TREE_HASH_SLOTS];
	struct ep_tree_node nodes[EP_TREE_MAX_NODES];
};

/* Empties the tree and begins a new epoch. */
void ep_tree_reset(struct ep_tree *tree);

/* Adds a stack's frames that are not in the tree yet. Returns the node of the innermost frame, or EP_TREE_FULL. */
uint32_t ep_tree_add(struct ep_tree *tree, const struct ep_stack *stack, uint64_t now_us);

/* Sets out_stack to the call path of a node: the addresses with which ep_tree_add was called. */
void ep_tree_path(const struct ep_tree *tree, uint32_t node_idx, struct ep_stack *out_stack);

/* Appends a STACKS block with the nodes that are in no block yet. ep_tree_sent is called when the block is written. */
void ep_tree_append(const struct ep_tree *tree, uint32_t thread_idx, struct ep_process_key key,
	struct ep_wire *wire);
void ep_tree_sent(struct ep_tree *tree);

#endif
