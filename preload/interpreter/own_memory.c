// SPDX-License-Identifier: BSD-3-Clause
#include "own_memory.h"

#include <limits.h>
#include <pthread.h>

#include "common/os/slice_code.h"

#define PAGE_BYTES 4096 /* the smallest page size */
#define MAX_CHUNK_BYTES (16u << 20)
#define CHUNK_TICKS 64 /* ticks between two looks through the kernel at a piece, or at pages */

enum { CHUNK_SIZE = 8, CHUNK_TOP = 16, CHUNK_HEAD_BYTES = 24 };

/* Tells whether a thread's state is part of the interpreter's own data (_PyRuntime), which stay as long as its code
 * does. From 3.11 on the state of the thread that starts the interpreter lies there. */
static bool is_static(const struct ep_python *python, uint64_t state)
{
	uint64_t at = state - python->runtime;

	return at < python->runtime_bytes && python->thread_bytes <= python->runtime_bytes - at;
}

/* Tells whether the interpreter keeps this state under its key of thread-specific data, as it does for each other
 * thread. Such a state is safe to read: a thread removes its state from the key before it frees the state. Only the end
 * of the interpreter frees states of other threads, some time after it has set runtime_finalizing. A handler could read
 * freed memory only if it were stopped, between this check and its reading, during all of that end. If the word at
 * runtime_key is no such key, its value is not equal to the state. */
static EP_SLICE_CODE bool is_under_key(struct ep_python_frames *f)
{
	const struct ep_python *python = f->python;
	const void *key;
	uint32_t number;

	if (python->layout.runtime_key == EP_LAYOUT_NONE ||
		ep_peek_word(&f->peek, python->runtime + python->layout.runtime_finalizing))
		return false;
	key = ep_peek_get(&f->peek, python->runtime + python->layout.runtime_key, 8);
	number = key && ep_half_at(key, 0) == 1 ? ep_half_at(key, 4) : PTHREAD_KEYS_MAX;
	return number < PTHREAD_KEYS_MAX && (uint64_t)pthread_getspecific(number) == f->state;
}

/* Tells whether the thread's state surely stays in place during this handler. */
static EP_SLICE_CODE bool is_own(struct ep_python_frames *f)
{
	const struct ep_python *python = f->python;

	if (!f->state || !python->runtime_bytes)
		return false;
	ep_peek_trust(&f->peek, python->runtime, python->runtime + python->runtime_bytes);
	if (is_static(python, f->state))
		return true;
	if (!is_under_key(f))
		return false;
	ep_peek_trust(&f->peek, f->state, f->state + python->thread_bytes);
	return true;
}

/* Checks through the kernel whether a piece of memory with frames begins at an address. Returns the piece's size in
 * bytes; 0: there is no such piece. */
static uint64_t bytes_of_chunk(struct ep_peek *peek, uint64_t chunk)
{
	const void *head = chunk % PAGE_BYTES ? NULL : ep_peek_get(peek, chunk, CHUNK_HEAD_BYTES);
	uint64_t size = head ? ep_word_at(head, CHUNK_SIZE) : 0;

	if (!size || size % PAGE_BYTES || size > MAX_CHUNK_BYTES ||
		ep_word_at(head, CHUNK_TOP) > size / 8 || !ep_peek_get(peek, chunk + size - 8, 8))
		return 0;
	return size;
}

static EP_SLICE_CODE void trust_chunk(struct ep_python_frames *f)
{
	uint64_t chunk = ep_peek_word(&f->peek, f->state + f->python->layout.thread_chunk);

	if (chunk && chunk == f->chunk)
		ep_peek_trust(&f->peek, chunk, chunk + CHUNK_HEAD_BYTES);
	if (chunk != f->chunk || f->n_ticks - f->chunk_tick >= CHUNK_TICKS ||
		ep_peek_word(&f->peek, chunk + CHUNK_SIZE) != f->chunk_bytes) {
		f->chunk_bytes = bytes_of_chunk(&f->peek, chunk);
		f->chunk = f->chunk_bytes ? chunk : 0;
		f->chunk_tick = f->n_ticks;
	}
	if (f->chunk)
		ep_peek_trust(&f->peek, f->chunk, f->chunk + f->chunk_bytes);
}

EP_SLICE_CODE void ep_python_trust_own(struct ep_python_frames *f)
{
	const struct ep_python_layout *layout = &f->python->layout;

	f->is_own = is_own(f);
	if (f->is_own && layout->thread_chunk != EP_LAYOUT_NONE &&
		ep_peek_word(&f->peek, f->state + layout->thread_id) == (uint64_t)pthread_self())
		trust_chunk(f);
}

static EP_SLICE_CODE uint32_t set_of_page(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 58);
}
_Static_assert(EP_PYTHON_PAGE_SETS == 1 << (64 - 58), "a set for each hash");

/* Tells whether a page was read through the kernel in the present interval of CHUNK_TICKS ticks. The intervals are the
 * same for all pages, so all pages are due at the same tick, which reads a frame of each page by one system call. */
static EP_SLICE_CODE bool is_sure_page(const struct ep_python_frames *f, uint64_t number)
{
	const struct ep_python_page *pages = f->pages[set_of_page(number)];

	for (uint32_t i = 0; i < EP_PYTHON_WAYS; i++)
		if (pages[i].number == number)
			return pages[i].tick / CHUNK_TICKS == f->n_ticks / CHUNK_TICKS;
	return false;
}

static EP_SLICE_CODE void note_page(struct ep_python_frames *f, uint64_t number)
{
	struct ep_python_page *pages = f->pages[set_of_page(number)], *place = pages;

	for (uint32_t i = 0; i < EP_PYTHON_WAYS && place->number != number; i++)
		if (pages[i].number == number ||
			f->n_ticks - pages[i].tick > f->n_ticks - place->tick)
			place = &pages[i];
	*place = (struct ep_python_page){ number, f->n_ticks };
}

static uint64_t last_byte_of(const struct ep_python_frames *f, uint64_t frame)
{
	return frame + f->python->frame_bytes - 1;
}

EP_SLICE_CODE bool ep_python_is_sure_object(const struct ep_python_frames *f, uint64_t address)
{
	return f->is_own && f->python->layout.thread_chunk == EP_LAYOUT_NONE && address % 8 == 0 &&
	       is_sure_page(f, address / PAGE_BYTES) &&
	       is_sure_page(f, last_byte_of(f, address) / PAGE_BYTES);
}

EP_SLICE_CODE const uint8_t *ep_python_frame_at(struct ep_python_frames *f, uint64_t address)
{
	const uint8_t *copy;

	if (ep_python_is_sure_object(f, address))
		return (const uint8_t *)address;
	copy = ep_peek_get(&f->peek, address, f->python->frame_bytes);
	if (copy) {
		note_page(f, address / PAGE_BYTES);
		note_page(f, last_byte_of(f, address) / PAGE_BYTES);
	}
	return copy;
}
