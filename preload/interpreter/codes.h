/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers the functions of scripts that a thread's ticks have met. Each function is described once, in a CODE block
 * that is written before the call paths in which its number occurs. Used by one thread in its signal handlers.
 */
#ifndef EVPROF_PRELOAD_INTERPRETER_CODES_H
#define EVPROF_PRELOAD_INTERPRETER_CODES_H

#include "common/trace.h"

#include "python.h"

#define EP_CODES_SLOTS 8192
#define EP_CODES_PENDING_BYTES 49152

struct ep_codes {
	uint32_t n_codes;  /* functions that have a number so far */
	uint32_t n_unsent; /* functions that are described in pending, not yet written */
	uint64_t n_unread; /* how many frames could not be read or named so far */
	bool has_news;     /* n_unread has grown since it was last written */
	size_t pending_bytes;
	struct {
		uint64_t key; /* 0: the slot is free */
		uint32_t id;
	} slots[EP_CODES_SLOTS];
	uint8_t pending[EP_CODES_PENDING_BYTES];
};

/* Empties the table when a thread begins. */
void ep_codes_reset(struct ep_codes *codes);

/* Returns the number, from 1 on, of the function whose code object lies at an address. 0: the code object could not be
 * read, there is no room before the next block is written, or the table is full. */
uint32_t ep_codes_number(struct ep_codes *codes, struct ep_peek *peek,
	const struct ep_python *python, uint64_t code);

bool ep_codes_want_flush(const struct ep_codes *codes);

/* Appends a CODE block with the descriptions that are not written yet. ep_codes_sent is called when the block has been
 * written, and removes the descriptions. */
void ep_codes_append(const struct ep_codes *codes, uint32_t thread_idx, struct ep_process_key key,
	struct ep_wire *wire);
void ep_codes_sent(struct ep_codes *codes);

#endif
