/* SPDX-License-Identifier: BSD-3-Clause */
/* MADE_CODE blocks: code that the program made at run time, with names, lines and moments. The encoder is for
 * signal handlers. */
#ifndef EVPROF_COMMON_TRACE_MADE_CODE_H
#define EVPROF_COMMON_TRACE_MADE_CODE_H

#include "common/trace.h"

enum ep_made_kind {
	EP_MADE_LOAD,
	EP_MADE_MOVE, /* code of a load before lies at start from now on */
	EP_N_MADE_KINDS,
};

struct ep_made_code {
	enum ep_made_kind kind;
	uint64_t time_us; /* since the process's birth; 0: before it, or not known */
	uint64_t start, size_bytes;
	uint64_t old_start; /* of a move */
	const char *name;   /* of a load, not NUL-terminated */
	size_t name_size;
	const uint8_t *lines; /* encoded, in the order of the writer */
	size_t lines_size;
};

/* From an address of the code on, instructions are of a line. */
struct ep_made_line {
	uint64_t address;
	uint32_t line;
	const char *file; /* not NUL-terminated; as of the line before where file_size is 0 */
	size_t file_size;
};

void ep_made_code_put(struct ep_wire *wire, const struct ep_made_code *code);
/* last_address: of the line before; at first that of the code's start. */
void ep_made_line_put(struct ep_wire *wire, const struct ep_made_line *line, uint64_t last_address);

/* Iterates from *at = 0: 1, 0 at the end, -EBADMSG. */
int ep_made_code_next(
	const struct ep_block *block, size_t *at, struct ep_made_code *out_code) EP_MUST_CHECK;
/* Iterates over lines from *at = 0 and *line of the code's start: 1, or 0 at the end or at what is no line. */
int ep_made_line_next(const struct ep_made_code *code, size_t *at, struct ep_made_line *line);

#endif
