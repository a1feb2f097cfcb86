// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/block_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

enum keeping {
	KEEP_NONE,
	KEEP_LAST, /* keep the last block of the process */
	/* keep the last block of each thread: the block begins with the thread's number */
	KEEP_LAST_THREAD,
	KEEP_ALL,
};

static const uint8_t kept_types[] = {
	[EP_BLOCK_META] = KEEP_LAST,
	[EP_BLOCK_TOTALS] = KEEP_LAST_THREAD,
	[EP_BLOCK_END] = KEEP_LAST,
	[EP_BLOCK_NOTE] = KEEP_ALL,
	[EP_BLOCK_READY] = KEEP_LAST_THREAD,
	[EP_BLOCK_CHILDREN] = KEEP_LAST,
	[EP_BLOCK_MACHINE] = KEEP_ALL,
	[EP_BLOCK_PERF_MAP] = KEEP_ALL,
	[EP_BLOCK_MADE_CODE] = KEEP_ALL,
};

static bool same_copy(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_block_copy *a = &((const struct ep_block_copies *)owner)->rows[idx],
				   *b = key;

	return a->block.type == b->block.type && a->thread == b->thread &&
	       a->block.key.pid == b->block.key.pid &&
	       a->block.key.birth_ns == b->block.key.birth_ns;
}

static int set_body(struct ep_block_copy *copy, const struct ep_block *block)
{
	uint8_t *body = malloc(block->size_bytes + 1);

	if (!body)
		return -ENOMEM;
	memcpy(body, block->body, block->size_bytes);
	free(copy->body);
	copy->body = body;
	copy->block = *block;
	copy->block.body = body;
	return 0;
}

static int keep(struct ep_block_copies *copies, const struct ep_block *block, enum keeping how)
{
	struct ep_block_copy copy = { .block = *block };
	uint64_t hash = ep_hash_mix(block->key.birth_ns, block->key.pid);
	uint32_t idx = EP_NONE;

	if (how == KEEP_LAST_THREAD)
		ep_varint_get(block->body, block->body + block->size_bytes, &copy.thread);
	hash = ep_hash_mix(ep_hash_mix(hash, block->type), copy.thread);
	if (how != KEEP_ALL)
		idx = ep_index_find(&copies->index, hash, same_copy, copies, &copy);
	if (idx != EP_NONE)
		return set_body(&copies->rows[idx], block);
	if (set_body(&copy, block))
		return -ENOMEM;
	if (EP_ARRAY_RESERVE(copies->rows, copies->n_rows, copies->capacity) ||
		(how != KEEP_ALL && ep_index_add(&copies->index, hash, copies->n_rows))) {
		free(copy.body);
		return -ENOMEM;
	}
	copies->rows[copies->n_rows++] = copy;
	return 0;
}

int ep_block_copies_keep(struct ep_block_copies *copies, const struct ep_block *block)
{
	enum keeping how =
		block->type < EP_ARRAY_SIZE(kept_types) ? kept_types[block->type] : KEEP_NONE;

	return how == KEEP_NONE ? 0 : keep(copies, block, how);
}

void ep_block_copies_forget(struct ep_block_copies *copies)
{
	for (uint32_t i = 0; i < copies->n_rows; i++)
		free(copies->rows[i].body);
	ep_index_finish(&copies->index);
	copies->n_rows = 0;
}

void ep_block_copies_finish(struct ep_block_copies *copies)
{
	ep_block_copies_forget(copies);
	free(copies->rows);
	*copies = (struct ep_block_copies){ 0 };
}
