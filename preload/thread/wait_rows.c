// SPDX-License-Identifier: BSD-3-Clause
/* Adds up waits. Runs under the record's lock, in the thread or in the thread that ends the process. */
#include "wait_rows.h"

#include <string.h>

#include "preload/unwind/modules.h"

void ep_wait_sum_set_object(struct ep_wait_sum *sum, uint64_t address, uint64_t now_us)
{
	uint64_t bias = 0;

	sum->object_module = address ? ep_modules_number(address, now_us, &bias) : 0;
	sum->object = address - (sum->object_module ? bias : 0);
}

void ep_wait_rows_clear(struct ep_wait_rows *waits)
{
	if (waits->n_rows)
		memset(waits->slots, 0, sizeof(waits->slots));
	/* waits that were lost after the block was appended stay counted */
	atomic_fetch_sub(&waits->n_lost, waits->n_lost_appended);
	waits->n_rows = waits->n_names = 0;
	waits->n_lost_appended = 0;
	waits->text_bytes = 0;
}

void ep_wait_rows_forget_last(struct ep_wait_rows *waits)
{
	memset(waits->last, 0, sizeof(waits->last));
}

uint32_t ep_wait_rows_name(struct ep_wait_rows *waits, const char *text, size_t size)
{
	struct ep_wait_name *name;

	for (uint32_t i = 0; i < waits->n_names; i++)
		if (waits->names[i].size == size && !memcmp(waits->names[i].text, text, size))
			return i + 1;
	if (!size || waits->n_names == EP_WAIT_MAX_NAMES ||
		size > sizeof(waits->text) - waits->text_bytes)
		return 0;
	name = &waits->names[waits->n_names];
	name->text = memcpy(waits->text + waits->text_bytes, text, size);
	name->size = size;
	waits->text_bytes += size;
	return ++waits->n_names;
}

static uint32_t hash_slot(const struct ep_wait_sum *sum)
{
	uint64_t hash = sum->node_idx + ((uint64_t)sum->kind << 32) +
			((sum->object >> 3) + sum->name + ((uint64_t)sum->region << 48)) *
				0x9e3779b97f4a7c15ull +
			(sum->holder + ((uint64_t)sum->holder_node << 20)) * 31;

	return (uint32_t)((hash * 0xff51afd7ed558ccdull) >> 32) % EP_WAIT_HASH_SLOTS;
}

static bool is_same(const struct ep_wait_sum *a, const struct ep_wait_sum *b)
{
	return a->node_idx == b->node_idx && a->kind == b->kind && a->object == b->object &&
	       a->object_module == b->object_module && a->name == b->name &&
	       a->holder == b->holder && a->holder_node == b->holder_node &&
	       a->holder_kind == b->holder_kind && a->region == b->region;
}

static void add_to(struct ep_wait_sum *row, const struct ep_wait_sum *more)
{
	row->n_waits += more->n_waits;
	row->off_ns += more->off_ns;
	if (more->longest_ns > row->longest_ns)
		row->longest_ns = more->longest_ns;
}

void ep_wait_rows_add(struct ep_wait_rows *waits, const struct ep_wait_sum *sum)
{
	uint32_t slot = hash_slot(sum);

	for (; waits->slots[slot]; slot = (slot + 1) % EP_WAIT_HASH_SLOTS) {
		struct ep_wait_sum *row = &waits->rows[waits->slots[slot] - 1];

		if (is_same(row, sum)) {
			add_to(row, sum);
			return;
		}
	}
	if (ep_wait_rows_are_full(waits)) {
		waits->n_lost += sum->n_waits;
		return;
	}
	waits->rows[waits->n_rows] = *sum;
	waits->slots[slot] = (uint8_t)++waits->n_rows;
}

void ep_wait_rows_add_unseen(struct ep_wait_rows *waits)
{
	for (uint8_t kind = 0; kind < EP_N_WAIT_KINDS && !ep_wait_rows_are_full(waits); kind++) {
		struct ep_wait_sum sum = { .kind = kind,
			.n_waits = atomic_exchange_explicit(
				&waits->n_unseen[kind], 0, memory_order_relaxed) };

		if (sum.n_waits)
			ep_wait_rows_add(waits, &sum);
	}
}

void ep_wait_rows_append(struct ep_wait_rows *waits, uint32_t thread_idx, uint32_t epoch,
	struct ep_process_key key, struct ep_wire *wire)
{
	struct ep_waits block;

	ep_wait_rows_add_unseen(waits);
	block = (struct ep_waits){ .thread = thread_idx,
		.epoch = epoch,
		.n_lost = waits->n_lost,
		.n_names = waits->n_names,
		.n_sums = waits->n_rows,
		.sums = waits->rows };

	/* n_lost is lowered only when the block is written: a block that does not fit is appended a second time */
	waits->n_lost_appended = block.n_lost;
	if (!waits->n_rows && !block.n_lost)
		return;
	memcpy(block.names, waits->names, waits->n_names * sizeof(block.names[0]));
	if (waits->has_regions)
		ep_wait_regions_encode(wire, key, &block);
	ep_waits_encode(wire, key, &block);
}
