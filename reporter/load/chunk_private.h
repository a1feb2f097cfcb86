/* SPDX-License-Identifier: BSD-3-Clause */
/* A piece of a trace's file whose members are inflated ahead. */
#ifndef EVPROF_REPORTER_LOAD_CHUNK_PRIVATE_H
#define EVPROF_REPORTER_LOAD_CHUNK_PRIVATE_H

#include "reporter/load/ahead.h"

/* The members of a chunk inflate to at most this size. */
#define CHUNK_PLAIN_BYTES (512 << 10)

struct chunk_member {
	size_t at, size; /* offset and size in raw */
	struct ep_ahead_member content;
};

struct ahead_chunk {
	uint64_t start_at; /* offset of raw[0] in the file */
	size_t size;
	bool at_eof; /* the chunk is the last one of its file */
	struct ep_trace_file file;
	int rc; /* the result of opening or reading the file; err says why it failed */
	struct ep_error err;
	struct chunk_member *members;
	uint32_t n_members, member_capacity, n_passed;
	bool is_ready;
	uint8_t raw[EP_AHEAD_RAW_BYTES];
	uint8_t plain[CHUNK_PLAIN_BYTES + EP_MEMBER_MAX_BYTES];
};

/* Finds the members in raw. Returns the offset in raw at which this chunk should end: the bytes from there on
 * are an incomplete member, or a member for which plain has no room, and belong to the next chunk, unless the
 * file ends here. */
size_t ep_chunk_find_members(struct ahead_chunk *chunk);
void ep_chunk_inflate(struct ahead_chunk *chunk, struct ep_inflater *inflater);
/* Empties the chunk for its next use; its arrays keep their memory. */
void ep_chunk_clear(struct ahead_chunk *chunk);
void ep_chunk_destroy(struct ahead_chunk *chunk);

#endif
