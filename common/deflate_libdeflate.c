// SPDX-License-Identifier: BSD-3-Clause
/* Implements deflate.h by libdeflate. The objects of deflate.h are libdeflate's own objects under another type name. */
#include "common/deflate.h"

#include <errno.h>
#include <libdeflate.h>
#include <zlib.h>

static struct libdeflate_compressor *compressor(struct ep_deflater *deflater)
{
	return (struct libdeflate_compressor *)deflater;
}

static struct libdeflate_decompressor *decompressor(struct ep_inflate_state *state)
{
	return (struct libdeflate_decompressor *)state;
}

void ep_deflate_set_memory(void *(*allocate)(size_t size), void (*release)(void *memory))
{
	libdeflate_set_memory_allocator(allocate, release);
}

struct ep_deflater *ep_deflater_create(void)
{
	return (struct ep_deflater *)libdeflate_alloc_compressor(1);
}

void ep_deflater_destroy(struct ep_deflater *deflater)
{
	if (deflater)
		libdeflate_free_compressor(compressor(deflater));
}

size_t ep_deflater_deflate(
	struct ep_deflater *deflater, const uint8_t *in, size_t size, uint8_t *out, size_t capacity)
{
	return libdeflate_deflate_compress(compressor(deflater), in, size, out, capacity);
}

/* Uses zlib's function, since the first call of libdeflate's function in a process examines the CPU by some six
 * instructions, each of which takes 10 us in a virtual machine. */
uint32_t ep_deflater_crc32(const uint8_t *in, size_t size)
{
	return crc32(0, in, size);
}

struct ep_inflate_state *ep_inflate_state_create(void)
{
	return (struct ep_inflate_state *)libdeflate_alloc_decompressor();
}

void ep_inflate_state_destroy(struct ep_inflate_state *state)
{
	if (state)
		libdeflate_free_decompressor(decompressor(state));
}

int ep_inflate_state_inflate(struct ep_inflate_state *state, const uint8_t *in, size_t size,
	uint8_t *out, size_t capacity, size_t *out_size)
{
	size_t n_in;

	if (libdeflate_deflate_decompress_ex(decompressor(state), in, size, out, capacity, &n_in,
		    out_size) != LIBDEFLATE_SUCCESS ||
		n_in != size)
		return -EBADMSG;
	return 0;
}

uint32_t ep_inflate_state_crc32(const uint8_t *in, size_t size)
{
	return libdeflate_crc32(0, in, size);
}
