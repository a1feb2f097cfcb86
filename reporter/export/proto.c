// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/proto.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/text/utf8.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void ep_proto_finish(struct ep_proto *proto)
{
	free(proto->bytes);
	*proto = (struct ep_proto){ 0 };
}

static void add(struct ep_proto *proto, const void *bytes, size_t size)
{
	if (proto->size + size > proto->capacity) {
		size_t capacity = 2 * (proto->size + size);
		uint8_t *bigger = realloc(proto->bytes, capacity);

		if (!bigger) {
			proto->out_of_memory = true;
			return;
		}
		proto->bytes = bigger;
		proto->capacity = capacity;
	}
	if (size)
		memcpy(proto->bytes + proto->size, bytes, size);
	proto->size += size;
}

void ep_proto_varint(struct ep_proto *proto, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	add(proto, bytes, n);
}

void ep_proto_number(struct ep_proto *proto, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	ep_proto_varint(proto, field << 3 | WIRE_VARINT);
	ep_proto_varint(proto, value);
}

void ep_proto_bytes(struct ep_proto *proto, uint32_t field, const void *bytes, size_t size)
{
	ep_proto_varint(proto, field << 3 | WIRE_BYTES);
	ep_proto_varint(proto, size);
	add(proto, bytes, size);
}

void ep_proto_text(struct ep_proto *proto, uint32_t field, const char *text)
{
	EP_AUTOFREE char *copy = ep_utf8_copy(text);

	if (copy)
		ep_proto_bytes(proto, field, copy, strlen(copy));
	else
		proto->out_of_memory = true;
}

void ep_proto_inner(struct ep_proto *proto, uint32_t field, struct ep_proto *inner)
{
	ep_proto_bytes(proto, field, inner->bytes, inner->size);
	proto->out_of_memory |= inner->out_of_memory;
	inner->size = 0;
}
