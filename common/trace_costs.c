// SPDX-License-Identifier: BSD-3-Clause
/* Encodes and decodes COSTS blocks, each a piece of a file of costs that callgrind wrote. Nothing here allocates. */
#include <errno.h>

#include "common/trace.h"

void ep_costs_encode(
	struct ep_wire *wire, struct ep_process_key key, const struct ep_costs_piece *piece)
{
	size_t at = ep_block_start(wire, EP_BLOCK_COSTS, key);

	ep_wire_u(wire, piece->file);
	ep_wire_u(wire, piece->is_last);
	ep_wire_u(wire, piece->offset);
	ep_wire_bytes(wire, piece->text, piece->size);
	ep_block_finish(wire, at);
}

int ep_costs_decode(const struct ep_block *block, struct ep_costs_piece *out_piece)
{
	const uint8_t *at = block->body, *end = at + block->size_bytes;
	uint64_t values[3]; /* the fields file, is_last and offset */

	for (int i = 0; i < 3; i++) {
		size_t n = ep_varint_get(at, end, &values[i]);

		if (!n)
			return -EBADMSG;
		at += n;
	}
	if (values[0] > UINT32_MAX || values[1] > 1)
		return -EBADMSG;
	*out_piece = (struct ep_costs_piece){ (uint32_t)values[0], values[1], values[2],
		(const char *)at, (size_t)(end - at) };
	return 0;
}
