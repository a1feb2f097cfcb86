/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), as far as the export formats
 * need it. All of this runs on one thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_PROTO_H
#define EVPROF_REPORTER_EXPORT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, or the packed numbers of a field; all members are 0 at the beginning. */
struct ep_proto {
	uint8_t *bytes;
	size_t size, capacity;
	bool out_of_memory; /* some bytes are missing; stays set until ep_proto_finish */
};

void ep_proto_finish(struct ep_proto *proto);

/* Adds a number of a packed field. A negative number is an int64 converted to uint64_t. */
void ep_proto_varint(struct ep_proto *proto, uint64_t value);
/* Adds a number as a field; the number 0 is left out, as in proto3. */
void ep_proto_number(struct ep_proto *proto, uint32_t field, uint64_t value);
void ep_proto_bytes(struct ep_proto *proto, uint32_t field, const void *bytes, size_t size);
/* Adds a text of any bytes. Bytes that are no UTF-8, which readers refuse, become U+FFFD. */
void ep_proto_text(struct ep_proto *proto, uint32_t field, const char *text);
/* Adds a message, or packed numbers, as a field. inner is emptied and may be used again. */
void ep_proto_inner(struct ep_proto *proto, uint32_t field, struct ep_proto *inner);

#endif
