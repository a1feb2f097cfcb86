// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "preload/thread/tree.h"

static struct ep_tree tree;
static uint8_t bytes[EP_TREE_MAX_NODES * 32];
static const struct ep_process_key key = { 7, 8 };

/* Addresses from the outermost inwards; small ones are in no module. */
static uint32_t add(unsigned n, const uint64_t *addresses)
{
	struct ep_stack stack = { .n_frames = n };

	for (unsigned i = 0; i < n; i++)
		stack.addresses[n - 1 - i] = addresses[i];
	return ep_tree_add(&tree, &stack, 5);
}

TEST(the_same_stack_is_the_same_node)
{
	static const uint64_t a[] = { 100, 200, 300 }, b[] = { 100, 200, 301 }, c[] = { 100 };
	uint32_t leaf_a, leaf_b, leaf_c;

	ep_tree_reset(&tree);
	leaf_a = add(3, a);
	leaf_b = add(3, b);
	leaf_c = add(1, c);
	CHECK_INT(tree.n_nodes, 5);
	CHECK(leaf_a != leaf_b);
	CHECK_INT(tree.nodes[leaf_a].parent_idx, tree.nodes[leaf_b].parent_idx);
	CHECK_INT(leaf_c, 1);
	CHECK_INT(add(3, a), leaf_a);
	CHECK_INT(add(3, b), leaf_b);
	CHECK_INT(tree.n_nodes, 5);
	CHECK_INT(add(0, a), 0);
}

/* Recursion: the same address below itself is another node. */
TEST(recursion_goes_down)
{
	static const uint64_t a[] = { 1, 1, 1 }, b[] = { 1, 1 };

	ep_tree_reset(&tree);
	CHECK_INT(add(3, a), 3);
	CHECK_INT(add(2, b), 2);
}

/* Stacks of few addresses, so that beginnings and ends of many are alike: each leaf leads back
 * through just the addresses of its own. */
TEST(a_leaf_leads_back_through_its_stack)
{
	uint32_t seed = 7;

	ep_tree_reset(&tree);
	for (int i = 0; i < 2000; i++) {
		uint64_t addresses[5];
		unsigned n = 1 + (seed >> 20) % 5;
		uint32_t at;

		for (unsigned k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			addresses[k] = 1 + (seed >> 16) % 3;
		}
		at = add(n, addresses);
		for (unsigned k = n; k-- > 0; at = tree.nodes[at].parent_idx)
			CHECK_INT(tree.nodes[at].address, addresses[k]);
		CHECK_INT(at, 0);
	}
}

static uint32_t parent_of(const struct ep_stacks *stacks, uint32_t i)
{
	return stacks->nodes[i].parent_idx;
}

TEST(random_stacks_come_back_from_the_block)
{
	struct ep_wire wire = { bytes, 0, sizeof(bytes), false };
	struct ep_stacks got = { 0 };
	struct ep_block block;
	uint32_t seed = 1;
	size_t at = 0;

	ep_tree_reset(&tree);
	for (int i = 0; i < 300; i++) {
		uint64_t addresses[12];
		unsigned n = 1 + i % 12;

		for (unsigned k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			addresses[k] = seed >> 16 & 0x203;
		}
		add(n, addresses);
	}
	ep_tree_append(&tree, 3, key, &wire);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(ep_stacks_decode(&block, &got), 0);
	CHECK_INT(got.thread, 3);
	CHECK_INT(got.epoch, tree.epoch);
	CHECK_INT(got.first_idx, 1);
	CHECK_INT(got.n_nodes, tree.n_nodes - 1);
	for (uint32_t i = 0; i < got.n_nodes; i++) {
		CHECK_INT(parent_of(&got, i), tree.nodes[i + 1].parent_idx);
		CHECK_INT(got.nodes[i].address, tree.nodes[i + 1].address);
		CHECK_INT(got.nodes[i].module_id, 0);
	}
	free(got.nodes);
}

TEST(only_what_is_new_is_sent)
{
	static const uint64_t a[] = { 100, 200 }, b[] = { 100, 201 };
	struct ep_wire wire = { bytes, 0, sizeof(bytes), false };
	struct ep_stacks got = { 0 };
	struct ep_block block;
	size_t at = 0;

	ep_tree_reset(&tree);
	add(2, a);
	ep_tree_append(&tree, 0, key, &wire);
	ep_tree_sent(&tree);
	wire.size_bytes = 0;
	ep_tree_append(&tree, 0, key, &wire);
	CHECK_INT(wire.size_bytes, 0);
	add(2, b);
	ep_tree_append(&tree, 0, key, &wire);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(ep_stacks_decode(&block, &got), 0);
	CHECK_INT(got.first_idx, 3);
	CHECK_INT(got.n_nodes, 1);
	CHECK_INT(parent_of(&got, 0), 1);
	free(got.nodes);
}

TEST(a_full_tree_says_so_and_begins_anew)
{
	uint32_t epoch = tree.epoch, leaf = 0;

	ep_tree_reset(&tree);
	CHECK_INT(tree.epoch, epoch + 1);
	for (uint64_t i = 1; i < EP_TREE_MAX_NODES; i++) {
		leaf = add(1, &i);
		CHECK_INT(leaf, i);
	}
	CHECK_INT(add(1, &(uint64_t){ 5 }), 5);
	CHECK_INT(add(1, &(uint64_t){ 999999 }), EP_TREE_FULL);
	CHECK_INT(add(1, &(uint64_t){ 6 }), 6);
	ep_tree_reset(&tree);
	CHECK_INT(add(1, &(uint64_t){ 999999 }), 1);
}

/* More epochs than the marks of slots tell apart. In each the same path has another place in the tree, which a slot of
 * an earlier epoch would give. */
TEST(slots_of_earlier_epochs_are_free)
{
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t before = 2000 + i, path = 77;

		ep_tree_reset(&tree);
		for (uint64_t n = 0; n < i; n++)
			CHECK_INT(add(1, &(uint64_t){ before + 100 * n }), n + 1);
		CHECK_INT(add(1, &path), i + 1);
		CHECK_INT(add(1, &path), i + 1);
		CHECK_INT(tree.n_nodes, i + 2);
	}
}

/* Code of this program is in its module, at an address of the file. */
__attribute__((noinline)) static void somewhere(void)
{
	__asm__ volatile("");
}

/* Each module's addresses are written from the one before of the same module. */
TEST(addresses_of_several_modules_come_back)
{
	uint64_t here = (uint64_t)somewhere, libc = (uint64_t)(void *)getenv;
	const uint64_t addresses[] = { here, libc, 0x203, here + 4, libc + 8, 0x100, here };
	struct ep_wire wire = { bytes, 0, sizeof(bytes), false };
	struct ep_stacks got = { 0 };
	struct ep_block block;
	size_t at = 0;

	ep_tree_reset(&tree);
	CHECK_INT(add(EP_ARRAY_SIZE(addresses), addresses), EP_ARRAY_SIZE(addresses));
	CHECK(tree.nodes[1].module != tree.nodes[2].module && tree.nodes[2].module > 0);
	ep_tree_append(&tree, 0, key, &wire);
	CHECK_INT(ep_block_next(wire.data, wire.size_bytes, &at, &block), 1);
	CHECK_INT(ep_stacks_decode(&block, &got), 0);
	CHECK_INT(got.n_nodes, EP_ARRAY_SIZE(addresses));
	for (uint32_t i = 0; i < got.n_nodes; i++) {
		CHECK_INT(got.nodes[i].module_id, tree.nodes[i + 1].module);
		CHECK_INT(got.nodes[i].address, tree.nodes[i + 1].module_address);
	}
	free(got.nodes);
}

TEST(addresses_of_code_are_relative_to_their_module)
{
	uint64_t address = (uint64_t)somewhere;

	ep_tree_reset(&tree);
	CHECK_INT(add(1, &address), 1);
	CHECK(tree.nodes[1].module > 0);
	CHECK(tree.nodes[1].module_address < 1ull << 30);
}
