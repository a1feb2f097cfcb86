// SPDX-License-Identifier: BSD-3-Clause
/* Implements chunk_private.h. Any thread may run it; a chunk belongs to one thread at a time. */
#include "reporter/load/chunk_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/containers/index.h"

#define MEMBER_TRAILER_BYTES 4 /* a member's last field, the size of its content */

/* Returns the size of the member's content as its trailer gives it; the size is checked when the member is
 * inflated. */
static size_t claimed_size(const uint8_t *member, size_t size)
{
	const uint8_t *last = member + size - MEMBER_TRAILER_BYTES;

	return last[0] | (size_t)last[1] << 8 | (size_t)last[2] << 16 | (size_t)last[3] << 24;
}

/* Returns the next place where a member may begin. */
static size_t next_head(const struct ahead_chunk *chunk, size_t at)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 4 };
	const uint8_t *found =
		memmem(chunk->raw + at + 1, chunk->size - at - 1, head, sizeof(head));

	return found ? (size_t)(found - chunk->raw) : chunk->size;
}

/* Adds a member. Where there is no memory for that, the user's thread inflates the member. */
static void add_member(struct ahead_chunk *chunk, size_t at, size_t size)
{
	if (!EP_ARRAY_RESERVE(chunk->members, chunk->n_members, chunk->member_capacity))
		chunk->members[chunk->n_members++] =
			(struct chunk_member){ .at = at, .size = size };
}

size_t ep_chunk_find_members(struct ahead_chunk *chunk)
{
	size_t at = 0, n_plain = 0;

	while (at < chunk->size) {
		bool more = false;
		size_t size = ep_member_size(chunk->raw + at, chunk->size - at, &more), claimed;

		if (more)
			break;
		if (!size) {
			at = next_head(chunk, at);
			continue;
		}
		claimed = claimed_size(chunk->raw + at, size);
		if (claimed <= EP_MEMBER_MAX_BYTES) {
			if (n_plain + claimed > CHUNK_PLAIN_BYTES)
				break;
			add_member(chunk, at, size);
			n_plain += claimed;
		}
		at += size;
	}
	return at;
}

void ep_chunk_inflate(struct ahead_chunk *chunk, struct ep_inflater *inflater)
{
	size_t n_plain = 0;

	for (uint32_t i = 0; i < chunk->n_members; i++) {
		struct chunk_member *member = &chunk->members[i];
		struct ep_ahead_member *content = &member->content;
		uint8_t *plain = chunk->plain + n_plain;

		content->plain = plain;
		content->is_damaged = ep_inflater_inflate(
			inflater, chunk->raw + member->at, member->size, plain, &content->size);
		if (!content->is_damaged)
			n_plain += content->size;
	}
}

void ep_chunk_clear(struct ahead_chunk *chunk)
{
	chunk->n_members = chunk->n_passed = 0;
	chunk->size = 0;
	chunk->rc = 0;
	chunk->is_ready = false;
}

void ep_chunk_destroy(struct ahead_chunk *chunk)
{
	if (!chunk)
		return;
	ep_chunk_clear(chunk);
	free(chunk->members);
	free(chunk);
}
