/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw deflate streams by libdeflate where it was there at build time, else by zlib: libdeflate's
 * level 1 packs three times as fast and inflates a 64 KiB block 2.7 times as fast. One object per
 * thread (or behind a lock). Only create allocates.
 */
#ifndef EVPROF_COMMON_DEFLATE_H
#define EVPROF_COMMON_DEFLATE_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* Where the objects' memory comes from, for who must not use malloc; before anything is created.
 * allocate returns zeroed memory or NULL. */
void ep_deflate_set_memory(void *(*allocate)(size_t size), void (*release)(void *memory));

struct ep_deflater *ep_deflater_create(void);
void ep_deflater_destroy(struct ep_deflater *deflater);
/* Bytes written to out, 0 when they do not fit. */
size_t ep_deflater_deflate(struct ep_deflater *deflater, const uint8_t *in, size_t size,
	uint8_t *out, size_t capacity);
uint32_t ep_deflater_crc32(const uint8_t *in, size_t size);

struct ep_inflate_state *ep_inflate_state_create(void);
void ep_inflate_state_destroy(struct ep_inflate_state *state);
/* 0 and *out_size, or -EBADMSG when in is no whole deflate stream of at most capacity bytes. */
int ep_inflate_state_inflate(struct ep_inflate_state *state, const uint8_t *in, size_t size,
	uint8_t *out, size_t capacity, size_t *out_size) EP_MUST_CHECK;
/* The same sum as ep_deflater_crc32, for who inflates much: quicker, and dear the first time. */
uint32_t ep_inflate_state_crc32(const uint8_t *in, size_t size);

#endif
