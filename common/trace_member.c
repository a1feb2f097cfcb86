// SPDX-License-Identifier: BSD-3-Clause
/*
 * Decodes gzip members and the headers of the blocks in them. Every length comes from a file, so it is compared with
 * the bytes that are left before it is used. Any thread may call these functions.
 */
#include "common/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/deflate.h"

#define MEMBER_HEADER_BYTES 18
#define MEMBER_TRAILER_BYTES 8

struct ep_inflater {
	struct ep_inflate_state *state;
};

static uint32_t get_le16(const uint8_t *in)
{
	return in[0] | (uint32_t)in[1] << 8;
}

static uint32_t get_le32(const uint8_t *in)
{
	return get_le16(in) | get_le16(in + 2) << 16;
}

static uint64_t get_le64(const uint8_t *in)
{
	return get_le32(in) | (uint64_t)get_le32(in + 4) << 32;
}

size_t ep_member_size(const uint8_t *data, size_t size_bytes, bool *out_need_more)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 4 }, extra[] = { 6, 0, 'B', 'C', 2, 0 };
	size_t n_head = size_bytes < sizeof(head) ? size_bytes : sizeof(head);
	size_t n_extra = size_bytes <= 10 ? 0 : size_bytes - 10;
	size_t member;

	*out_need_more = false;
	if (memcmp(data, head, n_head))
		return 0;
	if (memcmp(data + 10, extra, n_extra < sizeof(extra) ? n_extra : sizeof(extra)))
		return 0;
	*out_need_more = size_bytes < MEMBER_HEADER_BYTES;
	if (*out_need_more)
		return 0;
	member = get_le16(data + 16) + 1;
	if (member < MEMBER_HEADER_BYTES + MEMBER_TRAILER_BYTES)
		return 0;
	*out_need_more = member > size_bytes;
	return *out_need_more ? 0 : member;
}

struct ep_inflater *ep_inflater_create(void)
{
	struct ep_inflater *inflater = calloc(1, sizeof(*inflater));

	if (!inflater)
		return NULL;
	inflater->state = ep_inflate_state_create();
	if (!inflater->state) {
		free(inflater);
		return NULL;
	}
	return inflater;
}

void ep_inflater_destroy(struct ep_inflater *inflater)
{
	if (!inflater)
		return;
	ep_inflate_state_destroy(inflater->state);
	free(inflater);
}

int ep_inflater_inflate(struct ep_inflater *inflater, const uint8_t *member, size_t size_bytes,
	uint8_t out[EP_MEMBER_MAX_BYTES], size_t *out_size_bytes)
{
	const uint8_t *trailer = member + size_bytes - MEMBER_TRAILER_BYTES;
	size_t size;

	if (size_bytes < MEMBER_HEADER_BYTES + MEMBER_TRAILER_BYTES)
		return -EBADMSG;
	if (ep_inflate_state_inflate(inflater->state, member + MEMBER_HEADER_BYTES,
		    size_bytes - MEMBER_HEADER_BYTES - MEMBER_TRAILER_BYTES, out,
		    EP_MEMBER_MAX_BYTES, &size))
		return -EBADMSG;
	if (size != get_le32(trailer + 4) || ep_inflate_state_crc32(out, size) != get_le32(trailer))
		return -EBADMSG;
	*out_size_bytes = size;
	return 0;
}

int ep_block_next(const uint8_t *data, size_t size_bytes, size_t *at, struct ep_block *out_block)
{
	const uint8_t *header = data + *at;
	size_t left = size_bytes - *at, body;

	if (!left)
		return 0;
	if (left < EP_BLOCK_HEADER_BYTES || get_le32(header) != EP_TRACE_MAGIC)
		return -EBADMSG;
	if (header[4] != EP_TRACE_VERSION) {
		out_block->type = header[4];
		return -EPROTONOSUPPORT;
	}
	body = get_le32(header + 8);
	if (header[6] || header[7] || body > left - EP_BLOCK_HEADER_BYTES)
		return -EBADMSG;
	*out_block = (struct ep_block){
		.type = header[5],
		.key = { .pid = get_le32(header + 12), .birth_ns = get_le64(header + 16) },
		.body = header + EP_BLOCK_HEADER_BYTES,
		.size_bytes = body,
	};
	*at += EP_BLOCK_HEADER_BYTES + body;
	return 1;
}
