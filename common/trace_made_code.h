/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodes and decodes MADE_CODE blocks: code that the program made at run time, with names, lines and times. The
 * encoder runs in signal handlers. */
#ifndef EVPROF_COMMON_TRACE_MADE_CODE_H
#define EVPROF_COMMON_TRACE_MADE_CODE_H

#include "common/trace.h"

enum ep_made_kind {
	EP_MADE_LOAD,
	EP_MADE_MOVE, /* code of an earlier load is at start from time_us on */
	EP_N_MADE_KINDS,
};

struct ep_made_code {
	enum ep_made_kind kind;
	uint64_t time_us; /* the time since the process's birth; 0: before it, or not known */
	uint64_t start, size_bytes;
	uint64_t old_start; /* the address before the move; only in a move */
	const char *name;   /* only in a load; not NUL-terminated */
	size_t name_size;
	const uint8_t *lines; /* encoded lines, in the order of the jitdump; only in a load */
	size_t lines_size;
};

/* A line of a load. The instructions from address on belong to this line, up to the address of another line. */
struct ep_made_line {
	uint64_t address;
	uint32_t line;
	const char *file; /* not NUL-terminated; file_size 0: the file of the previous line */
	size_t file_size;
};

void ep_made_code_put(struct ep_wire *wire, const struct ep_made_code *code);
/* Writes a line. last_address: the address of the previous line, or the code's start for the first. */
void ep_made_line_put(struct ep_wire *wire, const struct ep_made_line *line, uint64_t last_address);

/* Iterates over the codes of a block, from *at = 0. Returns 1, 0 at the end, or -EBADMSG. */
int ep_made_code_next(
	const struct ep_block *block, size_t *at, struct ep_made_code *out_code) EP_MUST_CHECK;
/* Iterates over the lines of a load. Before the first call *at is 0 and line->address is the code's start. Returns 1;
 * 0: the end, or bytes that are no line. */
int ep_made_line_next(const struct ep_made_code *code, size_t *at, struct ep_made_line *line);

#endif
