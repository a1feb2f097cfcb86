/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads memory that may not be mapped, through the kernel: many pieces by one system call. Runs in signal handlers. The
 * call is process_vm_writev from the process to itself. It pins only the pages that are written, which are evprof's
 * own, and reads the other pages as write(2) does. process_vm_readv would pin each page that is read (on a virtual
 * machine process_vm_writev takes 1.2 us and 30 ns a piece, process_vm_readv 0.9 us and 340 ns). */
#ifndef EVPROF_PRELOAD_INTERPRETER_PEEK_H
#define EVPROF_PRELOAD_INTERPRETER_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/unwind/unwind.h"

#define EP_PEEK_PIECES 512
#define EP_PEEK_BYTES 49152
/* the most system calls between two starts, which bounds the time of a tick */
#define EP_PEEK_CALLS 256
#define EP_PEEK_SURE 5

struct ep_peek_piece {
	uint64_t address;
	uint32_t size, at; /* size in bytes, offset in data */
	bool is_here;
};

struct ep_peek {
	/* the process's number, set by the owner of this struct; 0: not known, so the kernel is asked */
	uint32_t pid;
	uint32_t n_pieces, n_read, n_calls, n_bytes;
	uint32_t found, found_before; /* indexes of the last two pieces that were found */
	/* the piece where the last search ended; pieces are mostly asked for in their order */
	uint32_t searched_to;
	uint32_t n_sure;
	struct ep_stack_bounds stack; /* mapped memory, copied without the kernel */
	/* memory that is read in place, without a copy */
	struct ep_stack_bounds sure[EP_PEEK_SURE];
	struct ep_peek_piece pieces[EP_PEEK_PIECES];
	/* aligned, since the kernel takes 0.2 us for each page that it writes to */
	uint8_t data[EP_PEEK_BYTES] __attribute__((aligned(4096)));
};

/* Forgets all pieces. stack: memory that is surely mapped; both ends are 0 if there is none. */
void ep_peek_start(struct ep_peek *peek, struct ep_stack_bounds stack);
/* Names memory that is surely mapped until the next start, and that only this thread writes to. It is read in place. At
 * most EP_PEEK_SURE ranges are kept. */
void ep_peek_trust(struct ep_peek *peek, uint64_t low, uint64_t high);
/* Names a piece of size bytes for the next reading. A piece for which there is no room is left out. */
void ep_peek_want(struct ep_peek *peek, uint64_t address, uint32_t size);
/* Reads the pieces that were named since the last reading, by one system call at most. The call
 * ends at a piece that is not mapped: later pieces are read when they are asked for. */
void ep_peek_read_foretold(struct ep_peek *peek);
/* Returns the bytes at address, which stay until the next start: in place, from a piece that was read, or by a system
 * call. NULL: the memory is not mapped, or there is no further call or no room. */
const void *ep_peek_get(struct ep_peek *peek, uint64_t address, uint32_t size);
/* Returns a word of 8 bytes; 0 also if the memory is not mapped. */
uint64_t ep_peek_word(struct ep_peek *peek, uint64_t address);
/* Copies memory to out and not to data, by a system call for this piece alone. Returns false if some of the memory is
 * not mapped. */
bool ep_peek_copy(struct ep_peek *peek, uint64_t address, void *out, size_t size);

/* These return a word of 8 bytes, or one of 4 bytes, from a copy. */
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
