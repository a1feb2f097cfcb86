// SPDX-License-Identifier: BSD-3-Clause
/* The prefix tree of a thread's call paths. Runs in the slice's signal handler. */
#include "tree.h"

#include <string.h>

#include "common/os/slice_code.h"
#include "preload/interpreter/made_code.h"
#include "preload/unwind/modules.h"
#include "preload/unwind/remapped.h"

#define NODE_MASK (EP_TREE_MAX_NODES - 1)

/* Returns the upper bits of slots that were set in this epoch; the lower EP_TREE_NODE_BITS are a node's index. */
static uint16_t epoch_mark(const struct ep_tree *tree)
{
	return (uint16_t)(tree->epoch << EP_TREE_NODE_BITS);
}

/* Returns the node of a slot; 0: the slot is free. */
static uint32_t node_in(const struct ep_tree *tree, uint32_t slot)
{
	uint16_t value = tree->slots[slot];

	return (value & ~NODE_MASK) == epoch_mark(tree) ? value & NODE_MASK : 0;
}

/* Slots of other epochs are free without being cleared. They are cleared in one epoch of 16, when epoch_mark is 0
 * again. To clear them each time would copy their pages in the child of a fork, each by a page fault, and such a
 * process often ends before its first tick. */
void ep_tree_reset(struct ep_tree *tree)
{
	tree->epoch++;
	if (!epoch_mark(tree))
		memset(tree->slots, 0, sizeof(tree->slots));
	tree->n_nodes = 1;
	tree->first_unsent = 1;
	tree->n_last = 0;
}

static uint32_t hash_slot(uint32_t parent_idx, uint64_t address)
{
	uint64_t hash =
		(address + (uint64_t)parent_idx * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	return (hash >> 32) % EP_TREE_HASH_SLOTS;
}

/* Finds the module of an address. If the program has mapped code of a file a second time, an address in this copy is
 * replaced by the address in the loader's mapping, since names are known only there. */
static void find_module(struct ep_tree_node *node, uint64_t now_us)
{
	uint64_t bias, home = node->address;

	node->module = ep_modules_number(home, now_us, &bias);
	if (!node->module) {
		home = ep_remapped_home(node->address);
		node->module = home ? ep_modules_number(home, now_us, &bias) : 0;
	}
	if (node->module)
		node->module_address = home - bias;
	else
		ep_made_code_note(node->address);
}

static uint32_t add_node(
	struct ep_tree *tree, uint32_t parent_idx, uint64_t address, uint64_t now_us)
{
	struct ep_tree_node *node = &tree->nodes[tree->n_nodes];

	if (tree->n_nodes == EP_TREE_MAX_NODES)
		return EP_TREE_FULL;
	node->address = address;
	node->parent_idx = parent_idx;
	node->module = 0;
	node->module_address = address;
	if (!ep_is_script_address(address))
		find_module(node, now_us);
	return tree->n_nodes++;
}

static EP_SLICE_CODE uint32_t find_or_add(
	struct ep_tree *tree, uint32_t parent_idx, uint64_t address, uint64_t now_us)
{
	uint32_t slot = hash_slot(parent_idx, address), node_idx;

	while ((node_idx = node_in(tree, slot))) {
		const struct ep_tree_node *node = &tree->nodes[node_idx];

		if (node->address == address && node->parent_idx == parent_idx)
			return node_idx;
		slot = (slot + 1) % EP_TREE_HASH_SLOTS;
	}
	node_idx = add_node(tree, parent_idx, address, now_us);
	if (node_idx != EP_TREE_FULL)
		tree->slots[slot] = (uint16_t)(epoch_mark(tree) | node_idx);
	return node_idx;
}

/* Returns the number of frames, from the outermost on, that are the same as in the last stack. */
static uint32_t count_common(const struct ep_tree *tree, const struct ep_stack *stack)
{
	uint32_t n = 0;

	while (n < tree->n_last && n < stack->n_frames &&
		tree->last_addresses[n] == stack->addresses[stack->n_frames - 1 - n])
		n++;
	return n;
}

EP_SLICE_CODE uint32_t ep_tree_add(
	struct ep_tree *tree, const struct ep_stack *stack, uint64_t now_us)
{
	uint32_t depth = count_common(tree, stack);
	uint32_t node_idx = depth ? tree->last_nodes[depth - 1] : 0;

	tree->n_last = depth;
	for (; depth < stack->n_frames; depth++) {
		uint64_t address = stack->addresses[stack->n_frames - 1 - depth];

		node_idx = find_or_add(tree, node_idx, address, now_us);
		if (node_idx == EP_TREE_FULL)
			return EP_TREE_FULL;
		tree->last_addresses[depth] = address;
		tree->last_nodes[depth] = node_idx;
		tree->n_last = depth + 1;
	}
	return node_idx;
}

void ep_tree_path(const struct ep_tree *tree, uint32_t node_idx, struct ep_stack *out_stack)
{
	out_stack->n_frames = 0;
	for (; node_idx && out_stack->n_frames < EP_STACK_MAX_FRAMES;
		node_idx = tree->nodes[node_idx].parent_idx)
		out_stack->addresses[out_stack->n_frames++] = tree->nodes[node_idx].address;
}

/* Returns the last address of the same module: the trace's format has the difference to this address. It is mostly a
 * few nodes back, so that a search is cheaper than a table of all modules. */
static uint64_t address_before(const struct ep_tree *tree, uint32_t node_idx)
{
	for (uint32_t i = node_idx; i-- > tree->first_unsent;)
		if (tree->nodes[i].module == tree->nodes[node_idx].module)
			return tree->nodes[i].module_address;
	return 0;
}

void ep_tree_append(const struct ep_tree *tree, uint32_t thread_idx, struct ep_process_key key,
	struct ep_wire *wire)
{
	size_t at;

	if (tree->first_unsent == tree->n_nodes)
		return;
	at = ep_block_start(wire, EP_BLOCK_STACKS, key);
	ep_wire_u(wire, thread_idx);
	ep_wire_u(wire, tree->epoch);
	ep_wire_u(wire, tree->first_unsent);
	ep_wire_u(wire, tree->n_nodes - tree->first_unsent);
	for (uint32_t i = tree->first_unsent; i < tree->n_nodes; i++) {
		const struct ep_tree_node *node = &tree->nodes[i];

		ep_wire_u(wire, i - node->parent_idx);
		ep_wire_u(wire, node->module);
		ep_wire_s(wire, (int64_t)(node->module_address - address_before(tree, i)));
	}
	ep_block_finish(wire, at);
}

void ep_tree_sent(struct ep_tree *tree)
{
	tree->first_unsent = tree->n_nodes;
}
