/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw deflate streams, by libdeflate if the build found this library, else by zlib. At level 1, libdeflate packs three
 * times as fast as zlib, and inflates a 64 KiB block 2.7 times as fast. An object must not be used by two threads at
 * once. Only the create functions allocate.
 */
#ifndef EVPROF_COMMON_DEFLATE_H
#define EVPROF_COMMON_DEFLATE_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* Sets the functions that allocate and free the objects, for callers that must not use malloc. Called before the first
 * object is created. allocate returns zeroed memory or NULL. */
void ep_deflate_set_memory(void *(*allocate)(size_t size), void (*release)(void *memory));

struct ep_deflater *ep_deflater_create(void);
void ep_deflater_destroy(struct ep_deflater *deflater);
/* Returns the number of bytes written to out; 0: the packed data do not fit into capacity bytes. */
size_t ep_deflater_deflate(struct ep_deflater *deflater, const uint8_t *in, size_t size,
	uint8_t *out, size_t capacity);
uint32_t ep_deflater_crc32(const uint8_t *in, size_t size);

struct ep_inflate_state *ep_inflate_state_create(void);
void ep_inflate_state_destroy(struct ep_inflate_state *state);
/* Returns 0 and sets *out_size. Returns -EBADMSG if in is no complete stream, or inflates to more than capacity. */
int ep_inflate_state_inflate(struct ep_inflate_state *state, const uint8_t *in, size_t size,
	uint8_t *out, size_t capacity, size_t *out_size) EP_MUST_CHECK;
/* Returns the same sum as ep_deflater_crc32. With libdeflate this function is faster, but its first call is expensive,
 * so it is for callers that inflate much data. */
uint32_t ep_inflate_state_crc32(const uint8_t *in, size_t size);

#endif
