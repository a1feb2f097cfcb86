// SPDX-License-Identifier: BSD-3-Clause
/*
 * Encodes traces: varints, headers of blocks, members. Signal handlers in the profiled program call these functions, so
 * none of them allocates, locks or makes system calls, except ep_packer_create and ep_packer_destroy.
 */
#include "common/trace.h"

#include <stdlib.h>
#include <string.h>

#include "common/deflate.h"

const char *const ep_born_names[EP_N_BORN] = {
	[EP_BORN_UNKNOWN] = "",
	[EP_BORN_ROOT] = "root",
	[EP_BORN_FORK] = "fork",
	[EP_BORN_EXEC] = "exec",
};

#define MEMBER_HEADER_BYTES 18
#define MEMBER_TRAILER_BYTES 8
#define STORED_HEADER_BYTES 5 /* the header of a stored deflate block */

/* The gzip header with the BC field. The two bytes at 16 are the member's size minus one (SAM specification, section
 * 4.1). */
static const uint8_t member_header[MEMBER_HEADER_BYTES] = {
	0x1f,
	0x8b,
	8,
	4,
	0,
	0,
	0,
	0,
	0,
	0xff,
	6,
	0,
	'B',
	'C',
	2,
	0,
	0,
	0,
};

const uint8_t ep_bgzf_eof[28] = {
	0x1f,
	0x8b,
	8,
	4,
	0,
	0,
	0,
	0,
	0,
	0xff,
	6,
	0,
	'B',
	'C',
	2,
	0,
	27,
	0,
	3,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
};

static void put_le16(uint8_t *out, uint16_t value)
{
	out[0] = value & 0xff;
	out[1] = value >> 8;
}

static void put_le32(uint8_t *out, uint32_t value)
{
	put_le16(out, value & 0xffff);
	put_le16(out + 2, value >> 16);
}

static void put_le64(uint8_t *out, uint64_t value)
{
	put_le32(out, value & 0xffffffff);
	put_le32(out + 4, value >> 32);
}

uint8_t *ep_wire_reserve(struct ep_wire *wire, size_t size)
{
	uint8_t *at = wire->data + wire->size_bytes;

	if (wire->overflow || size > wire->capacity_bytes - wire->size_bytes) {
		wire->overflow = true;
		return NULL;
	}
	wire->size_bytes += size;
	return at;
}

void ep_wire_bytes(struct ep_wire *wire, const void *bytes, size_t size)
{
	uint8_t *at = ep_wire_reserve(wire, size);

	if (at && size) /* bytes may be NULL if size is 0 */
		memcpy(at, bytes, size);
}

void ep_wire_u(struct ep_wire *wire, uint64_t value)
{
	uint8_t bytes[10];

	ep_wire_bytes(wire, bytes, ep_varint_put(bytes, value));
}

void ep_wire_s(struct ep_wire *wire, int64_t value)
{
	ep_wire_u(wire, ep_zigzag(value));
}

void ep_wire_string(struct ep_wire *wire, const void *bytes, size_t size)
{
	ep_wire_u(wire, size);
	ep_wire_bytes(wire, bytes, size);
}

size_t ep_block_start(struct ep_wire *wire, enum ep_block_type type, struct ep_process_key key)
{
	uint8_t header[EP_BLOCK_HEADER_BYTES] = { 0 };
	size_t at = wire->size_bytes;

	put_le32(header, EP_TRACE_MAGIC);
	header[4] = EP_TRACE_VERSION;
	header[5] = type;
	put_le32(header + 12, key.pid);
	put_le64(header + 16, key.birth_ns);
	ep_wire_bytes(wire, header, sizeof(header));
	return at;
}

void ep_block_finish(struct ep_wire *wire, size_t header_at)
{
	if (wire->overflow) {
		wire->size_bytes = header_at;
		return;
	}
	put_le32(wire->data + header_at + 8, wire->size_bytes - header_at - EP_BLOCK_HEADER_BYTES);
}

/* A packer has no data besides its deflate state, so a packer is the ep_deflater under another type name. */
struct ep_packer *ep_packer_create(void)
{
	return (struct ep_packer *)ep_deflater_create();
}

void ep_packer_destroy(struct ep_packer *packer)
{
	ep_deflater_destroy((struct ep_deflater *)packer);
}

static size_t store(const uint8_t *in, size_t size, uint8_t *out)
{
	out[0] = 1; /* last block, stored (RFC 1951, 3.2.4) */
	put_le16(out + 1, size);
	put_le16(out + 3, ~size);
	memcpy(out + STORED_HEADER_BYTES, in, size);
	return STORED_HEADER_BYTES + size;
}

size_t ep_packer_pack(struct ep_packer *packer, const uint8_t *in, size_t size_bytes, uint8_t *out)
{
	size_t room = EP_MEMBER_MAX_BYTES - MEMBER_HEADER_BYTES - MEMBER_TRAILER_BYTES;
	uint8_t *data = out + MEMBER_HEADER_BYTES;
	size_t packed;

	if (size_bytes > EP_MEMBER_MAX_BYTES - 512)
		return 0;
	packed = packer ? ep_deflater_deflate(
				  (struct ep_deflater *)packer, in, size_bytes, data, room)
			: 0;
	if (!packed)
		packed = store(in, size_bytes, data);
	memcpy(out, member_header, MEMBER_HEADER_BYTES);
	put_le32(data + packed, ep_deflater_crc32(in, size_bytes));
	put_le32(data + packed + 4, size_bytes);
	packed += MEMBER_HEADER_BYTES + MEMBER_TRAILER_BYTES;
	put_le16(out + 16, packed - 1);
	return packed;
}
