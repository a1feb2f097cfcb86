// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of callgrind's costs: pieces of the files that it wrote. Nothing here allocates. */
#include <errno.h>

#include "common/trace.h"

void ep_costs_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_costs_piece *piece)
{
	size_t at = ep_block_start(wire, EP_BLOCK_COSTS, key);

	ep_wire_u(wire, piece->file);
	ep_wire_u(wire, piece->is_last);
	ep_wire_bytes(wire, piece->text, piece->size);
	ep_block_finish(wire, at);
}

int ep_costs_decode(const struct ep_block *block, struct ep_costs_piece *out_piece)
{
	const uint8_t *end = block->body + block->size_bytes;
	uint64_t file, is_last;
	size_t n = ep_varint_get(block->body, end, &file), m;

	if (!n || file > UINT32_MAX)
		return -EBADMSG;
	m = ep_varint_get(block->body + n, end, &is_last);
	if (!m || is_last > 1)
		return -EBADMSG;
	*out_piece = (struct ep_costs_piece){ (uint32_t)file, is_last,
		(const char *)block->body + n + m, block->size_bytes - n - m };
	return 0;
}
