// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of callgrind's costs: round trip, truncation at every byte, and values that cannot be. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/trace.h"

static const struct ep_process_key key = { .pid = 4242, .birth_ns = 77ull << 40 };
static uint8_t bytes[256];

/* The block that encoding gives; its body lies in bytes. */
static struct ep_block encoded(const struct ep_costs_piece *piece)
{
	struct ep_wire wire = { .data = bytes, .capacity_bytes = sizeof(bytes) };
	struct ep_block block = { 0 };
	size_t at = 0;

	ep_costs_encode(&wire, key, piece);
	CHECK_INT(ep_block_next(bytes, wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_COSTS);
	CHECK_INT(at, wire.size_bytes);
	return block;
}

TEST(round_trip)
{
	const struct ep_costs_piece pieces[] = {
		{ 3, true, 1ull << 40, "fn=main\n1 2\n", 12 },
		{ UINT32_MAX, false, 0, "x", 1 },
	};

	for (int i = 0; i < 2; i++) {
		struct ep_block block = encoded(&pieces[i]);
		struct ep_costs_piece piece;

		CHECK_INT(ep_costs_decode(&block, &piece), 0);
		CHECK_INT(piece.file, pieces[i].file);
		CHECK_INT(piece.is_last, pieces[i].is_last);
		CHECK_INT(piece.offset, pieces[i].offset);
		CHECK_INT(piece.size, pieces[i].size);
		CHECK(!memcmp(piece.text, pieces[i].text, pieces[i].size));
	}
}

/* A text may end anywhere; what stands before it may not. */
TEST(truncated)
{
	const struct ep_costs_piece whole = { 300, true, 1ull << 40, "text", 4 };
	struct ep_block block = encoded(&whole);
	size_t size = block.size_bytes;
	struct ep_costs_piece piece;

	for (block.size_bytes = 0; block.size_bytes < size - 4; block.size_bytes++)
		CHECK_INT(ep_costs_decode(&block, &piece), -EBADMSG);
	CHECK_INT(ep_costs_decode(&block, &piece), 0);
	CHECK_INT(piece.size, 0);
}

TEST(values_that_cannot_be)
{
	static const uint8_t no_file[] = { 0x80, 0x80, 0x80, 0x80, 0x10, 1, 0 }; /* 2^32 */
	static const uint8_t no_flag[] = { 1, 2, 0 };
	struct ep_block block = { .body = no_file, .size_bytes = sizeof(no_file) };
	struct ep_costs_piece piece;

	CHECK_INT(ep_costs_decode(&block, &piece), -EBADMSG);
	block = (struct ep_block){ .body = no_flag, .size_bytes = sizeof(no_flag) };
	CHECK_INT(ep_costs_decode(&block, &piece), -EBADMSG);
}
