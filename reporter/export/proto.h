/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protocol Buffers' wire format: what formats made of its messages need, and no more
 * (protobuf.dev/programming-guides/encoding). One thread.
 */
#ifndef EVPROF_REPORTER_EXPORT_PROTO_H
#define EVPROF_REPORTER_EXPORT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, or the packed numbers of a field; begins as zero. */
struct ep_proto {
	uint8_t *bytes;
	size_t size, capacity;
	bool out_of_memory; /* stays, and nothing more is added */
};

void ep_proto_finish(struct ep_proto *proto);

/* A number by itself, of a packed field. Negative ones are those of an int64 as uint64_t. */
void ep_proto_varint(struct ep_proto *proto, uint64_t value);
/* A field that is 0 is left out, as proto3 does. */
void ep_proto_number(struct ep_proto *proto, uint32_t field, uint64_t value);
void ep_proto_bytes(struct ep_proto *proto, uint32_t field, const void *bytes, size_t size);
/* text: any bytes; what is no UTF-8, which readers refuse, becomes U+FFFD. */
void ep_proto_text(struct ep_proto *proto, uint32_t field, const char *text);
/* A message, or packed numbers, inside; inner is emptied and may be used again. */
void ep_proto_inner(struct ep_proto *proto, uint32_t field, struct ep_proto *inner);

#endif
