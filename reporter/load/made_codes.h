/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that a process made at run time, as its MADE_CODE blocks describe it. One thread uses it. */
#ifndef EVPROF_REPORTER_LOAD_MADE_CODES_H
#define EVPROF_REPORTER_LOAD_MADE_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/containers/strings.h"
#include "common/trace.h"

/* The source line of an instruction. offset is the instruction's address relative to the code's start, so
 * that it stays valid after the code is moved. */
struct ep_made_place {
	uint64_t offset;
	uint32_t line;
	const char *file; /* stored in the strings */
};

struct ep_made_row {
	uint64_t start, size_bytes;
	uint64_t time_us;
	const char *name; /* stored in the strings */
	uint32_t first_line, n_lines;
};

/* The latest row that began at an address. */
struct ep_made_start {
	uint64_t start;
	uint32_t order;
};

/* An entry in the list of codes of a tree node; the tree finds codes by address. order is the row's index. */
struct ep_made_link {
	uint32_t order, next;
};

struct ep_made_node {
	uint32_t link, n_codes;
};

struct ep_made_codes {
	/* in the order of the blocks: later code takes precedence over earlier code */
	struct ep_made_row *rows;
	uint32_t n_rows, row_capacity;
	struct ep_made_start *starts;
	uint32_t n_starts, start_capacity;
	struct ep_index by_start; /* index of starts by their address */
	struct ep_made_place *lines;
	uint32_t n_lines, line_capacity;
	/* (n_bounds) where codes begin or end; n_bounds 0: the tree is not made */
	uint64_t *bounds;
	uint32_t n_bounds;
	struct ep_made_node *heads; /* (2 n_bounds) the tree's nodes */
	struct ep_made_link *links;
	uint32_t n_links, link_capacity;
};

/* Adds the codes of a block. 0, -ENOMEM or -EBADMSG. */
int ep_made_codes_take(struct ep_made_codes *codes, struct ep_strings *strings,
	const struct ep_block *block) EP_MUST_CHECK;
/* Programs' addresses have at most 56 bits (x86-64 with five levels of pages), and the kernel's have bit 63
 * set. Where code was replaced, bits 57 to 62 of a call path's address hold how many pieces of code lay at
 * the address after the path's own: 0 for the last one. */
#define EP_MADE_ADDRESS_BITS 57
#define EP_MADE_MOST_LATER 63

static inline uint32_t ep_made_later_of(uint64_t path_address)
{
	return path_address >> 63 ? 0 : (uint32_t)(path_address >> EP_MADE_ADDRESS_BITS);
}

static inline uint64_t ep_made_address(uint64_t path_address)
{
	return path_address - ((uint64_t)ep_made_later_of(path_address) << EP_MADE_ADDRESS_BITS);
}

static inline uint64_t ep_made_path_address(uint64_t address, uint32_t n_later)
{
	return ep_made_address(address) | (uint64_t)n_later << EP_MADE_ADDRESS_BITS;
}

/* Returns how many pieces of code lay at an address after the one that lay there at time_us, at most
 * EP_MADE_MOST_LATER; 0 where the times of codes are not known. */
uint32_t ep_made_codes_n_later(struct ep_made_codes *codes, uint64_t address, uint64_t time_us);
/* Tells whether codes with different names lay at an address, one after the other at known moments. Only the
 * last EP_MADE_MOST_LATER + 1 codes are looked at, since a call path's address cannot name earlier ones. */
bool ep_made_codes_are_replaced(struct ep_made_codes *codes, uint64_t address);
/* Finds the code at a call path's address; NULL: none is known. */
const struct ep_made_row *ep_made_codes_find(struct ep_made_codes *codes, uint64_t path_address);
/* Returns the line of an instruction at a call path's address; NULL: it is not known. */
const struct ep_made_place *ep_made_codes_line(
	const struct ep_made_codes *codes, const struct ep_made_row *row, uint64_t path_address);
void ep_made_codes_finish(struct ep_made_codes *codes);

#endif
