// SPDX-License-Identifier: BSD-3-Clause
#include "peek.h"

#include <sys/uio.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"

#define LOWEST_ADDRESS 4096
/* The kernel refuses a whole call if one of its addresses is above those of programs. */
#if defined(__aarch64__)
#define HIGHEST_ADDRESS 0x1000000000000
#else
#define HIGHEST_ADDRESS 0x7ffffffff000
#endif

static bool may_be_memory(uint64_t address, uint64_t size)
{
	return address >= LOWEST_ADDRESS && address < HIGHEST_ADDRESS &&
	       size <= HIGHEST_ADDRESS - address;
}

EP_SLICE_CODE void ep_peek_start(struct ep_peek *peek, struct ep_stack_bounds stack)
{
	peek->stack = stack;
	peek->n_pieces = peek->n_read = peek->n_calls = peek->n_bytes = 0;
	peek->found = peek->found_before = peek->searched_to = 0;
	peek->n_sure = 0;
}

EP_SLICE_CODE void ep_peek_trust(struct ep_peek *peek, uint64_t low, uint64_t high)
{
	if (peek->n_sure < EP_PEEK_SURE && low <= high)
		peek->sure[peek->n_sure++] = (struct ep_stack_bounds){ low, high };
}

static bool is_within(const struct ep_stack_bounds *bounds, uint64_t address, uint64_t size)
{
	uint64_t n_bytes = bounds->high - bounds->low, at = address - bounds->low;

	return at <= n_bytes && size <= n_bytes - at;
}

static bool is_sure(const struct ep_peek *peek, uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < peek->n_sure; i++)
		if (is_within(&peek->sure[i], address, size))
			return true;
	return false;
}

EP_SLICE_CODE void ep_peek_want(struct ep_peek *peek, uint64_t address, uint32_t size)
{
	if (peek->n_pieces == EP_PEEK_PIECES || !may_be_memory(address, size) ||
		size > EP_PEEK_BYTES - peek->n_bytes || is_sure(peek, address, size))
		return;
	peek->pieces[peek->n_pieces++] =
		(struct ep_peek_piece){ address, size, peek->n_bytes, false };
	peek->n_bytes += size;
}

/* Returns how many bytes were copied, before the first byte that is not mapped. */
static EP_SLICE_CODE uint64_t copy_pieces(const struct ep_peek *peek, const struct iovec *from,
	uint32_t n, void *out, uint64_t n_bytes)
{
	struct iovec to = { out, n_bytes };
	long pid = peek->pid ? (long)peek->pid : ep_sys_getpid();
	long n_copied = ep_sys(__NR_process_vm_writev, pid, from, n, &to, 1, 0);

	return n_copied > 0 ? (uint64_t)n_copied : 0;
}

/* Reads the unread pieces up to the last one, or up to a piece that is not mapped. That piece is skipped by the next
 * call. */
static EP_SLICE_CODE void read_some(struct ep_peek *peek)
{
	struct ep_peek_piece *first = &peek->pieces[peek->n_read];
	uint32_t n = peek->n_pieces - peek->n_read;
	struct iovec from[EP_PEEK_PIECES];
	uint64_t n_copied;

	for (uint32_t i = 0; i < n; i++)
		from[i] = (struct iovec){ (void *)first[i].address, first[i].size };
	n_copied = copy_pieces(peek, from, n, peek->data + first->at, peek->n_bytes - first->at);
	peek->n_calls++;
	while (peek->n_read < peek->n_pieces) {
		struct ep_peek_piece *piece = &peek->pieces[peek->n_read++];

		piece->is_here = piece->at + piece->size - first->at <= n_copied;
		if (!piece->is_here)
			return;
	}
}

EP_SLICE_CODE void ep_peek_read_foretold(struct ep_peek *peek)
{
	if (peek->n_read == peek->n_pieces)
		return;
	read_some(peek);
	while (peek->n_read < peek->n_pieces)
		peek->pieces[peek->n_read++].is_here = false;
}

/* Reads all pieces that were named since the last reading. One system call is enough, unless some piece is not
 * mapped. */
static EP_SLICE_CODE void read_named(struct ep_peek *peek)
{
	while (peek->n_read < peek->n_pieces && peek->n_calls < EP_PEEK_CALLS)
		read_some(peek);
}

/* Tells whether a piece contains the bytes. address may be any number, so address + size, which may overflow, is not
 * computed. */
static bool holds(const struct ep_peek *peek, uint32_t idx, uint64_t address, uint32_t size)
{
	const struct ep_peek_piece *piece = &peek->pieces[idx];
	uint64_t at;

	if (idx >= peek->n_read || !piece->is_here)
		return false;
	at = address - piece->address;
	return at <= piece->size && size <= piece->size - at;
}

static EP_SLICE_CODE uint32_t search(
	struct ep_peek *peek, uint64_t address, uint32_t size, uint32_t from, uint32_t end)
{
	while (from < end && !holds(peek, from, address, size))
		from++;
	return from;
}

/* Returns the index of the piece that holds the bytes; n_read: no piece holds them. The search begins at the last two
 * pieces found, since frames, which lie in one piece, and their code objects, each in a piece of its own, are asked for
 * alternately. */
static EP_SLICE_CODE uint32_t find_idx(struct ep_peek *peek, uint64_t address, uint32_t size)
{
	uint32_t n = peek->n_read, from = peek->searched_to, idx;

	if (holds(peek, peek->found, address, size))
		return peek->found;
	if (holds(peek, peek->found_before, address, size))
		return peek->found_before;
	idx = search(peek, address, size, from, n);
	if (idx == n) {
		idx = search(peek, address, size, 0, from);
		idx = idx == from ? n : idx;
	}
	if (idx < n)
		peek->searched_to = idx;
	return idx;
}

static EP_SLICE_CODE const void *find(struct ep_peek *peek, uint64_t address, uint32_t size)
{
	uint32_t idx = find_idx(peek, address, size);
	const struct ep_peek_piece *piece;

	if (idx == peek->n_read)
		return NULL;
	piece = &peek->pieces[idx];
	if (idx != peek->found) {
		peek->found_before = peek->found;
		peek->found = idx;
	}
	return peek->data + piece->at + (address - piece->address);
}

static bool is_in_stack(const struct ep_peek *peek, uint64_t address, uint32_t size)
{
	return address % 8 == 0 && size % 8 == 0 && is_within(&peek->stack, address, size);
}

/* Copies words of the stack, also those between objects, which AddressSanitizer would report. */
static EP_SLICE_CODE __attribute__((no_sanitize_address)) void copy_words(
	uint64_t *out, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = from[i];
}

/* Reads the last piece, which is in the stack. */
static EP_SLICE_CODE void read_stack(struct ep_peek *peek)
{
	struct ep_peek_piece *piece = &peek->pieces[peek->n_read++];

	copy_words((uint64_t *)(peek->data + piece->at), (const uint64_t *)piece->address,
		piece->size / 8);
	piece->is_here = true;
}

const void *ep_peek_get(struct ep_peek *peek, uint64_t address, uint32_t size)
{
	const void *found =
		is_sure(peek, address, size) ? (const void *)address : find(peek, address, size);

	if (found)
		return found;
	ep_peek_want(peek, address, size);
	if (peek->n_read + 1 == peek->n_pieces && is_in_stack(peek, address, size))
		read_stack(peek);
	read_named(peek);
	return find(peek, address, size);
}

uint64_t ep_peek_word(struct ep_peek *peek, uint64_t address)
{
	const void *word = ep_peek_get(peek, address, 8);

	return word ? ep_word_at(word, 0) : 0;
}

bool ep_peek_copy(struct ep_peek *peek, uint64_t address, void *out, size_t size)
{
	struct iovec from = { (void *)address, size };

	if (peek->n_calls >= EP_PEEK_CALLS || !may_be_memory(address, size))
		return false;
	peek->n_calls++;
	return copy_pieces(peek, &from, 1, out, size) == size;
}
