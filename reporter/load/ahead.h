/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces that other threads read and inflate before it is their turn. Nothing is decided here:
 * who uses a trace goes through its bytes in their order, and asks whether a member's content is there
 * already. So the number of threads changes no digit. One thread uses an object.
 */
#ifndef EVPROF_REPORTER_LOAD_AHEAD_H
#define EVPROF_REPORTER_LOAD_AHEAD_H

#include "common/error.h"
#include "common/trace.h"
#include "reporter/load/trace_file.h"

#define EP_AHEAD_RAW_BYTES (128 << 10) /* of a piece of a file: two members at least */
#define EP_THREADS_MOST 64

/* As many as the CPUs that this process may use, but no more than most. */
uint32_t ep_threads_allowed(uint32_t most);

struct ep_ahead;

/* The bytes of a file from start_at on. They are valid until the next piece is asked for. */
struct ep_ahead_bytes {
	const uint8_t *raw;
	size_t size;
	bool at_eof; /* they are the file's last */
};

/* The content of a member. */
struct ep_ahead_member {
	const uint8_t *plain;
	size_t size;
	bool is_damaged; /* it does not inflate */
};

/* Threads beside the one that uses the traces: n_threads - 1, 0 stands for what the CPUs allow.
 * *out_ahead is NULL where it is not worth it, or where something else than a file is among the paths,
 * which end with NULL and last as long. 0 or -ENOMEM. */
int ep_ahead_create(
	const char *const *paths, uint32_t n_threads, struct ep_ahead **out_ahead) EP_MUST_CHECK;
/* Stops the threads and frees all; NULL is allowed. */
void ep_ahead_destroy(struct ep_ahead *ahead);

/* Begins with the next of the paths; of *out_file the descriptor is -1. Errors as in ep_trace_file_open. */
int ep_ahead_open(
	struct ep_ahead *ahead, struct ep_trace_file *out_file, struct ep_error *err) EP_MUST_CHECK;
/* The next bytes of the file. 0 or a negative errno: they cannot be read. */
int ep_ahead_next(struct ep_ahead *ahead, struct ep_ahead_bytes *out_bytes) EP_MUST_CHECK;
/* The member that begins at a place of the file in the bytes given last; places only grow. NULL: it was
 * not taken for a member, or is too large. */
const struct ep_ahead_member *ep_ahead_member_at(struct ep_ahead *ahead, uint64_t at);

#endif
