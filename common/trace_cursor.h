/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads numbers and strings of a block's body one after another. Any thread may call these functions. */
#ifndef EVPROF_COMMON_TRACE_CURSOR_H
#define EVPROF_COMMON_TRACE_CURSOR_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/trace.h"

/* A bounded reader of varints. bad is set at the first error and stays set; numbers that are read later are invalid. */
struct ep_cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct ep_cursor ep_cursor_at(const struct ep_block *block, size_t at)
{
	return (struct ep_cursor){ .at = block->body + at, .end = block->body + block->size_bytes };
}

static inline size_t ep_cursor_left(const struct ep_cursor *c)
{
	return c->end - c->at;
}

/* Reads a varint of at most eight bytes by one load of eight bytes, which must be left. A loop over the bytes would be
 * slower: the lengths of varying counts differ, and the CPU cannot predict when the loop ends. Returns false if the
 * varint is longer. */
static inline bool ep_get_from_word(struct ep_cursor *c, uint64_t *out_value)
{
	uint64_t word, stops;

	memcpy(&word, c->at, sizeof(word));
	word = le64toh(word);
	stops = ~word & 0x8080808080808080;
	if (!stops)
		return false;
	c->at += (size_t)__builtin_ctzll(stops) / 8 + 1;
	word &= stops ^ (stops - 1); /* keeps the bytes up to the end of the varint */
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	*out_value = (word & 0x0fffffff) | (word & 0x0fffffff00000000) >> 4;
	return true;
}

static inline uint64_t ep_get_u(struct ep_cursor *c)
{
	uint64_t value;
	size_t n;

	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	if (c->end - c->at >= (ptrdiff_t)sizeof(value) && ep_get_from_word(c, &value))
		return value;
	n = ep_varint_get(c->at, c->end, &value);
	if (!n) {
		c->bad = true;
		c->at = c->end;
		return 0;
	}
	c->at += n;
	return value;
}

static inline int64_t ep_get_s(struct ep_cursor *c)
{
	return ep_unzigzag(ep_get_u(c));
}

static inline uint32_t ep_get_u32(struct ep_cursor *c)
{
	uint64_t value = ep_get_u(c);

	c->bad |= value > UINT32_MAX;
	return (uint32_t)value;
}

static inline const uint8_t *ep_get_bytes(struct ep_cursor *c, size_t size)
{
	const uint8_t *bytes = c->at;

	if (size > ep_cursor_left(c)) {
		c->bad = true;
		return c->end;
	}
	c->at += size;
	return bytes;
}

static inline const uint8_t *ep_get_string(struct ep_cursor *c, size_t *out_size)
{
	uint64_t size = ep_get_u(c);
	const uint8_t *bytes = ep_get_bytes(c, size);

	*out_size = c->bad ? 0 : size;
	return bytes;
}

#endif
