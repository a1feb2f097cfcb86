/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that may not be there, read through the kernel: many pieces by one system call. Signal
 * handlers.
 *
 * The call is process_vm_writev from the process to itself: it pins the pages that are written,
 * which are ours, and copies from the others as write(2) does, where process_vm_readv pins each
 * page that is read (1.2 us and 30 ns a piece against 0.9 us and 340 ns, on a virtual machine).
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_PEEK_H
#define EVPROF_PRELOAD_INTERPRETER_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/unwind/unwind.h"

#define EP_PEEK_PIECES 512
#define EP_PEEK_BYTES 49152
#define EP_PEEK_CALLS 256 /* of the kernel between two starts: what a tick may take at most */
#define EP_PEEK_SURE 5

struct ep_peek_piece {
	uint64_t address;
	uint32_t size, at; /* in data */
	bool is_here;
};

struct ep_peek {
	uint32_t pid; /* of the process, where its owner knows it; 0: the kernel is asked */
	uint32_t n_pieces, n_read, n_calls, n_bytes;
	uint32_t found, found_before; /* the last pieces that were asked for */
	uint32_t searched_to;         /* by the last search, for what is asked for in order */
	uint32_t n_sure;
	struct ep_stack_bounds stack;              /* is copied without the kernel */
	struct ep_stack_bounds sure[EP_PEEK_SURE]; /* is read in place */
	struct ep_peek_piece pieces[EP_PEEK_PIECES];
	/* the kernel takes 0.2 us for each page that it writes to */
	uint8_t data[EP_PEEK_BYTES] __attribute__((aligned(4096)));
};

/* Forgets all pieces. stack: memory that is surely there; none where both ends are 0. */
void ep_peek_start(struct ep_peek *peek, struct ep_stack_bounds stack);
/* Memory that is surely there until the next start, and that only this thread writes to; EP_PEEK_SURE at most. */
void ep_peek_trust(struct ep_peek *peek, uint64_t low, uint64_t high);
/* Names a piece for the next reading; what does not fit is left out. size: of whole words. */
void ep_peek_want(struct ep_peek *peek, uint64_t address, uint32_t size);
/* Reads what was named since the last reading, by one call at most. A piece behind one that is not there
 * is read when it is asked for. */
void ep_peek_read_foretold(struct ep_peek *peek);
/* Returns the bytes at address, which stay until the next start: from a piece that was read, or by a call
 * of its own. NULL: there is no such memory, or no call left. */
const void *ep_peek_get(struct ep_peek *peek, uint64_t address, uint32_t size);
/* A word; 0 where there is none. */
uint64_t ep_peek_word(struct ep_peek *peek, uint64_t address);
/* Copies to somewhere else, by a call of its own. */
bool ep_peek_copy(struct ep_peek *peek, uint64_t address, void *out, size_t size);

/* A word, half of one, or a byte in a copy. */
static inline uint64_t ep_word_at(const void *copy, uint32_t offset)
{
	uint64_t value;

	__builtin_memcpy(&value, (const uint8_t *)copy + offset, sizeof(value));
	return value;
}

static inline uint32_t ep_half_at(const void *copy, uint32_t offset)
{
	uint32_t value;

	__builtin_memcpy(&value, (const uint8_t *)copy + offset, sizeof(value));
	return value;
}

#endif
