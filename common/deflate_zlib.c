// SPDX-License-Identifier: BSD-3-Clause
/* Implements deflate.h by zlib. */
#include "common/deflate.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define RAW_WINDOW_BITS (-15)

struct ep_deflater {
	z_stream stream;
};

struct ep_inflate_state {
	z_stream stream;
};

static void *(*memory_allocate)(size_t size);
static void (*memory_release)(void *memory);

void ep_deflate_set_memory(void *(*allocate)(size_t size), void (*release)(void *memory))
{
	memory_allocate = allocate;
	memory_release = release;
}

static void *allocate_zeroed(size_t size)
{
	return memory_allocate ? memory_allocate(size) : calloc(1, size);
}

static void release(void *memory)
{
	if (memory_release)
		memory_release(memory);
	else
		free(memory);
}

static void *allocate_for_zlib(void *unused, unsigned n, unsigned size)
{
	(void)unused;
	return allocate_zeroed((size_t)n * size);
}

static void release_for_zlib(void *unused, void *memory)
{
	(void)unused;
	release(memory);
}

static void set_stream_memory(z_stream *stream)
{
	stream->zalloc = allocate_for_zlib;
	stream->zfree = release_for_zlib;
}

struct ep_deflater *ep_deflater_create(void)
{
	struct ep_deflater *deflater = allocate_zeroed(sizeof(*deflater));

	if (deflater)
		set_stream_memory(&deflater->stream);

	if (deflater && deflateInit2(&deflater->stream, 1, Z_DEFLATED, RAW_WINDOW_BITS, 8,
				Z_DEFAULT_STRATEGY) != Z_OK) {
		release(deflater);
		return NULL;
	}
	return deflater;
}

void ep_deflater_destroy(struct ep_deflater *deflater)
{
	if (!deflater)
		return;
	deflateEnd(&deflater->stream);
	release(deflater);
}

size_t ep_deflater_deflate(
	struct ep_deflater *deflater, const uint8_t *in, size_t size, uint8_t *out, size_t capacity)
{
	z_stream *stream = &deflater->stream;

	deflateReset(stream);
	stream->next_in = (uint8_t *)in;
	stream->avail_in = size;
	stream->next_out = out;
	stream->avail_out = capacity;
	return deflate(stream, Z_FINISH) == Z_STREAM_END ? stream->total_out : 0;
}

uint32_t ep_deflater_crc32(const uint8_t *in, size_t size)
{
	return crc32(0, in, size);
}

struct ep_inflate_state *ep_inflate_state_create(void)
{
	struct ep_inflate_state *state = allocate_zeroed(sizeof(*state));

	if (state)
		set_stream_memory(&state->stream);
	if (state && inflateInit2(&state->stream, RAW_WINDOW_BITS) != Z_OK) {
		release(state);
		return NULL;
	}
	return state;
}

void ep_inflate_state_destroy(struct ep_inflate_state *state)
{
	if (!state)
		return;
	inflateEnd(&state->stream);
	release(state);
}

int ep_inflate_state_inflate(struct ep_inflate_state *state, const uint8_t *in, size_t size,
	uint8_t *out, size_t capacity, size_t *out_size)
{
	z_stream *stream = &state->stream;

	inflateReset(stream);
	stream->next_in = (uint8_t *)in;
	stream->avail_in = size;
	stream->next_out = out;
	stream->avail_out = capacity;
	if (inflate(stream, Z_FINISH) != Z_STREAM_END || stream->avail_in)
		return -EBADMSG;
	*out_size = stream->total_out;
	return 0;
}

uint32_t ep_inflate_state_crc32(const uint8_t *in, size_t size)
{
	return ep_deflater_crc32(in, size);
}
