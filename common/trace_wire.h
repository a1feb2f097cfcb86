/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of a trace's blocks: varints and strings, appended to memory of a fixed size. No function here allocates,
 * locks or calls stdio, so that signal handlers may use all of them. The functions that read check all bytes.
 */
#ifndef EVPROF_COMMON_TRACE_WIRE_H
#define EVPROF_COMMON_TRACE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory to which bytes are appended. If bytes do not fit, overflow is set and nothing more is appended. */
struct ep_wire {
	uint8_t *data;
	size_t size_bytes;
	size_t capacity_bytes;
	bool overflow;
};

static inline uint64_t ep_zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t ep_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Writes value to out, which has room for 10 bytes. Returns the number of bytes written. */
static inline size_t ep_varint_put(uint8_t *out, uint64_t value)
{
	size_t n = 0;

	while (value >= 0x80) {
		out[n++] = (uint8_t)value | 0x80;
		value >>= 7;
	}
	out[n++] = (uint8_t)value;
	return n;
}

/* Returns how many bytes ep_varint_put writes for value. */
static inline uint32_t ep_varint_bytes(uint64_t value)
{
	return (70 - (uint32_t)__builtin_clzll(value | 1)) / 7;
}

/* Reads a varint from [in, end). Returns the number of its bytes; 0: no varint of at most 64 bits is complete there. */
static inline size_t ep_varint_get(const uint8_t *in, const uint8_t *end, uint64_t *out_value)
{
	uint64_t value = 0;

	for (size_t n = 0; n < 10 && in + n < end; n++) {
		if (n == 9 && in[n] > 1)
			return 0;
		value |= (uint64_t)(in[n] & 0x7f) << (7 * n);
		if (!(in[n] & 0x80)) {
			*out_value = value;
			return n + 1;
		}
	}
	return 0;
}

/* Appends size bytes, which the caller writes at the returned address. NULL: they do not fit, and overflow is set. */
uint8_t *ep_wire_reserve(struct ep_wire *wire, size_t size);
void ep_wire_u(struct ep_wire *wire, uint64_t value);
void ep_wire_s(struct ep_wire *wire, int64_t value);
/* Appends the bytes without their length. */
void ep_wire_bytes(struct ep_wire *wire, const void *bytes, size_t size);
/* Appends the number of bytes as a varint, then the bytes. */
void ep_wire_string(struct ep_wire *wire, const void *bytes, size_t size);

#endif
