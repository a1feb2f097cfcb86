// SPDX-License-Identifier: BSD-3-Clause
#include "region_rows.h"

#include <string.h>
#include <time.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"

#define MAX_CHANGE_BYTES 15

/* These read and change a count that other threads read meanwhile. */
static uint64_t get(const _Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

static void add(_Atomic uint64_t *count, uint64_t more)
{
	atomic_store_explicit(count, get(count) + more, memory_order_relaxed);
}

/* ---- names ---- */

/* Returns the FNV-1a hash, which suits short names. */
static uint64_t hash_of(const char *name, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3ull;
	return hash;
}

static uint32_t first_slot(uint64_t hash, uint32_t parent)
{
	return (uint32_t)((hash + parent) * 0x9e3779b97f4a7c15ull >> 40) % EP_REGION_SLOTS;
}

/* Returns the slot that has the node, or else the free slot for it. */
static uint32_t slot_of(const struct ep_region_rows *rows, uint64_t hash, uint32_t parent)
{
	uint32_t slot = first_slot(hash, parent);

	for (; rows->slots[slot]; slot = (slot + 1) % EP_REGION_SLOTS) {
		const struct ep_region_row *node = &rows->nodes[rows->slots[slot] - 1];

		if (node->hash == hash && node->parent == parent)
			break;
	}
	return slot;
}

static bool has_room(const struct ep_region_rows *rows, size_t size)
{
	return rows->n_nodes < EP_REGION_MAX_NODES && size <= sizeof(rows->text) - rows->text_bytes;
}

/* Returns the new node; 0: there is no room. A signal handler of the program that enters a region while this function
 * runs gets 0 as well. */
static uint32_t add_node(
	struct ep_region_rows *rows, const char *name, size_t size, uint32_t parent)
{
	uint64_t hash = hash_of(name, size);
	uint32_t idx;

	if (atomic_exchange(&rows->is_adding, true))
		return 0;
	if (!has_room(rows, size)) {
		atomic_store(&rows->is_adding, false);
		return 0;
	}
	idx = rows->n_nodes;
	rows->nodes[idx] = (struct ep_region_row){ .hash = hash,
		.parent = parent,
		.name_at = (uint16_t)rows->text_bytes,
		.name_size = (uint16_t)size };
	memcpy(rows->text + rows->text_bytes, name, size);
	rows->text_bytes += size;
	atomic_store_explicit(&rows->n_nodes, idx + 1, memory_order_release);
	rows->slots[slot_of(rows, hash, parent)] = (uint8_t)(idx + 1);
	atomic_store(&rows->is_adding, false);
	return idx + 1;
}

/* ---- entering and leaving ---- */

static uint32_t depth_of(const struct ep_region_rows *rows)
{
	return atomic_load_explicit(&rows->depth, memory_order_relaxed);
}

static uint32_t node_below(const struct ep_region_rows *rows, uint32_t depth)
{
	return depth ? rows->levels[depth - 1].node : 0;
}

static void set_node(struct ep_region_mark *mark, const struct ep_region_rows *rows, uint32_t depth)
{
	if (depth <= EP_REGION_MAX_DEPTH)
		atomic_store_explicit(&mark->node, node_below(rows, depth), memory_order_release);
}

static void set_depth(struct ep_region_mark *mark, struct ep_region_rows *rows, uint32_t depth)
{
	atomic_store_explicit(&rows->depth, depth, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	set_node(mark, rows, depth);
}

/* Enters a region. The depth grows before the level is filled, so that a signal handler of the program that interrupts
 * this function enters its own regions above this level. is_noted is set last, since ticks and other threads, which may
 * read the level meanwhile, must not use a level that is not complete. */
static void enter(struct ep_region_mark *mark, struct ep_region_rows *rows, uint32_t depth,
	struct ep_region_level level)
{
	struct ep_region_level *own = &rows->levels[depth];

	*own = (struct ep_region_level){ .node = node_below(rows, depth) };
	atomic_store_explicit(&rows->depth, depth + 1, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	own->hash = level.hash;
	own->start_ns = level.start_ns;
	own->node = level.node;
	atomic_thread_fence(memory_order_release);
	own->is_noted = level.is_noted;
	atomic_signal_fence(memory_order_seq_cst);
	set_node(mark, rows, depth_of(rows));
}

void ep_region_begin(
	struct ep_region_mark *mark, struct ep_region_rows *rows, const char *name, uint64_t now_ns)
{
	size_t size = strnlen(name, EP_REGION_NAME_BYTES);
	uint32_t depth = depth_of(rows), parent, node;
	uint64_t hash = hash_of(name, size);

	atomic_store_explicit(&mark->is_used, true, memory_order_relaxed);
	if (depth >= EP_REGION_MAX_DEPTH) {
		add(&rows->n_lost, 1);
		set_depth(mark, rows, depth + (depth < UINT32_MAX));
		return;
	}
	parent = node_below(rows, depth);
	node = rows->slots[slot_of(rows, hash, parent)];
	if (!node)
		node = add_node(rows, name, size, parent);
	enter(mark, rows, depth,
		(struct ep_region_level){ hash, now_ns, node ? node : parent, node != 0 });
	add(node ? &rows->nodes[node - 1].n_entries : &rows->n_lost, 1);
}

/* Leaves the innermost of depth regions. A signal handler of the program may change the depth and the levels at any
 * time. So the caller reads the depth once and passes it, and the level is copied before the depth is lowered. */
static void leave(
	struct ep_region_mark *mark, struct ep_region_rows *rows, uint32_t depth, uint64_t now_ns)
{
	struct ep_region_level level = rows->levels[depth - 1];

	set_depth(mark, rows, depth - 1);
	if (level.is_noted && level.node && now_ns > level.start_ns)
		add(&rows->nodes[level.node - 1].wall_ns, now_ns - level.start_ns);
}

void ep_region_end(
	struct ep_region_mark *mark, struct ep_region_rows *rows, const char *name, uint64_t now_ns)
{
	uint64_t hash = hash_of(name, strnlen(name, EP_REGION_NAME_BYTES));
	uint32_t depth = depth_of(rows), to = depth;

	atomic_store_explicit(&mark->is_used, true, memory_order_relaxed);
	if (depth > EP_REGION_MAX_DEPTH) { /* regions this deep have no name */
		set_depth(mark, rows, depth - 1);
		return;
	}
	while (to && rows->levels[to - 1].hash != hash)
		to--;
	if (!to) {
		add(&rows->n_unmatched, 1);
		return;
	}
	add(&rows->n_left, depth - to);
	for (; depth >= to; depth--)
		leave(mark, rows, depth, now_ns);
}

/* ---- slices ---- */

EP_SLICE_CODE bool ep_region_rows_are_full(
	const struct ep_region_mark *mark, const struct ep_region_rows *rows)
{
	return atomic_load_explicit(&mark->is_used, memory_order_relaxed) &&
	       sizeof(rows->changes) - rows->changes_bytes < 2 * MAX_CHANGE_BYTES;
}

void ep_region_rows_note(
	struct ep_region_mark *mark, struct ep_region_rows *rows, uint64_t slice_idx)
{
	uint32_t node = atomic_load_explicit(&mark->node, memory_order_acquire);
	uint8_t *at = rows->changes + rows->changes_bytes;

	if (sizeof(rows->changes) - rows->changes_bytes < MAX_CHANGE_BYTES)
		return;
	at += ep_varint_put(at, slice_idx - (rows->n_changes ? rows->last_slice : 0));
	at += ep_varint_put(at, node);
	rows->changes_bytes = (uint32_t)(at - rows->changes);
	rows->last_slice = slice_idx;
	rows->n_changes++;
	mark->noted_node = node;
}

/* ---- blocks ---- */

static uint32_t n_open(const struct ep_region_rows *rows)
{
	uint32_t depth = atomic_load_explicit(&rows->depth, memory_order_acquire);

	return depth < EP_REGION_MAX_DEPTH ? depth : EP_REGION_MAX_DEPTH;
}

/* Returns the time since the region of this node began, or 0 where it has ended. */
static uint64_t open_ns(const struct ep_region_rows *rows, uint32_t node, uint64_t now_ns)
{
	uint32_t depth = n_open(rows);

	for (uint32_t i = 0; i < depth; i++) {
		const struct ep_region_level *level = &rows->levels[i];

		if (level->node == node && level->is_noted && level->start_ns <= now_ns)
			return now_ns - level->start_ns;
	}
	return 0;
}

static void put_nodes(struct ep_region_rows *rows, uint32_t n_nodes, struct ep_wire *wire)
{
	ep_wire_u(wire, rows->n_nodes_sent + 1);
	ep_wire_u(wire, n_nodes - rows->n_nodes_sent);
	for (uint32_t i = rows->n_nodes_sent; i < n_nodes; i++) {
		ep_wire_u(wire, rows->nodes[i].parent);
		ep_wire_string(wire, rows->text + rows->nodes[i].name_at, rows->nodes[i].name_size);
	}
	rows->n_nodes_appended = n_nodes;
}

static void put_sums(const struct ep_region_rows *rows, uint32_t n_nodes, struct ep_wire *wire)
{
	uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC);

	ep_wire_u(wire, n_nodes);
	for (uint32_t i = 0; i < n_nodes; i++) {
		ep_wire_u(wire, i + 1);
		ep_wire_u(wire, get(&rows->nodes[i].n_entries));
		ep_wire_u(wire, get(&rows->nodes[i].wall_ns) + open_ns(rows, i + 1, now_ns));
	}
}

static uint64_t n_calls(const struct ep_region_rows *rows)
{
	uint64_t n = get(&rows->n_lost) + get(&rows->n_unmatched) + get(&rows->n_left);

	for (uint32_t i = 0; i < rows->n_nodes; i++)
		n += get(&rows->nodes[i].n_entries);
	return n;
}

/* Tells whether there is something to write. A region that was open in the last block counts, too, since its time has
 * grown. */
static bool has_news(const struct ep_region_rows *rows)
{
	return rows->n_changes || rows->n_open_sent || n_calls(rows) != rows->n_calls_sent;
}

void ep_region_rows_append(const struct ep_region_mark *mark, struct ep_region_rows *rows,
	uint32_t thread_idx, struct ep_process_key key, struct ep_wire *wire)
{
	uint32_t n_nodes;
	size_t at;

	if (!atomic_load_explicit(&mark->is_used, memory_order_relaxed))
		return;
	n_nodes = atomic_load_explicit(&rows->n_nodes, memory_order_acquire);
	if (!has_news(rows))
		return;
	at = ep_block_start(wire, EP_BLOCK_REGIONS, key);
	ep_wire_u(wire, thread_idx);
	ep_wire_u(wire, get(&rows->n_lost));
	ep_wire_u(wire, get(&rows->n_unmatched));
	ep_wire_u(wire, get(&rows->n_left));
	ep_wire_u(wire, n_open(rows));
	put_nodes(rows, n_nodes, wire);
	put_sums(rows, n_nodes, wire);
	ep_wire_u(wire, rows->n_changes);
	ep_wire_bytes(wire, rows->changes, rows->changes_bytes);
	ep_block_finish(wire, at);
}

void ep_region_rows_sent(const struct ep_region_mark *mark, struct ep_region_rows *rows)
{
	if (!atomic_load_explicit(&mark->is_used, memory_order_relaxed))
		return;
	rows->n_nodes_sent = rows->n_nodes_appended;
	rows->n_calls_sent = n_calls(rows);
	rows->n_open_sent = n_open(rows);
	rows->n_changes = rows->changes_bytes = 0;
}

/* ---- a thread's beginning ---- */

void ep_region_rows_clear(struct ep_region_mark *mark, struct ep_region_rows *rows)
{
	if (atomic_load_explicit(&mark->is_used, memory_order_relaxed))
		memset((void *)rows, 0, sizeof(*rows));
	memset((void *)mark, 0, sizeof(*mark));
}

void ep_region_rows_after_fork(
	struct ep_region_mark *mark, struct ep_region_rows *rows, uint64_t now_ns)
{
	if (!mark->is_used)
		return;
	for (uint32_t i = 0; i < rows->n_nodes; i++)
		rows->nodes[i].n_entries = rows->nodes[i].wall_ns = 0;
	for (uint32_t i = 0; i < n_open(rows); i++) {
		rows->levels[i].start_ns = now_ns;
		if (rows->levels[i].is_noted)
			rows->nodes[rows->levels[i].node - 1].n_entries = 1;
	}
	rows->n_lost = rows->n_unmatched = rows->n_left = 0;
	rows->n_nodes_sent = rows->n_nodes_appended = rows->n_open_sent = 0;
	rows->n_changes = rows->changes_bytes = 0;
	rows->n_calls_sent = 0;
	rows->is_adding = false;
	mark->noted_node = 0;
}
