/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worker threads that read and inflate traces before the thread that parses them (the user) needs the bytes.
 * The user goes through the bytes of a trace in order, asks whether the workers have inflated a member, and
 * inflates it itself if they have not. So the number of threads does not change any result. Only one thread
 * may use an object.
 */
#ifndef EVPROF_REPORTER_LOAD_AHEAD_H
#define EVPROF_REPORTER_LOAD_AHEAD_H

#include "common/error.h"
#include "common/trace.h"
#include "reporter/load/trace_file.h"

/* the size of a piece of a file: it holds two members at least */
#define EP_AHEAD_RAW_BYTES (128 << 10)
#define EP_THREADS_MOST 64

/* Returns the number of CPUs that this process may use, limited to most. */
uint32_t ep_threads_allowed(uint32_t most);

struct ep_ahead;

/* A piece of a file. raw is valid until the next call of ep_ahead_next or ep_ahead_open. */
struct ep_ahead_bytes {
	const uint8_t *raw;
	size_t size;
	bool at_eof; /* the piece ends where the file ends */
};

/* The content of a member. */
struct ep_ahead_member {
	const uint8_t *plain;
	size_t size;
	bool is_damaged; /* the member could not be inflated */
};

/* Starts n_threads - 1 threads beside the thread that uses the traces; n_threads 0 stands for two threads, or
 * one where the process may use one CPU only. paths ends with NULL, and must stay valid as long as the
 * object. *out_ahead is NULL where threads would not pay off, where a path is no regular file, or where no
 * thread could be started. 0 or -ENOMEM. */
int ep_ahead_create(
	const char *const *paths, uint32_t n_threads, struct ep_ahead **out_ahead) EP_MUST_CHECK;
/* Stops the threads and frees all; NULL is allowed. */
void ep_ahead_destroy(struct ep_ahead *ahead);

/* Waits until a worker has opened the next of the paths. The worker keeps the descriptor: out_file->fd is -1.
 * Errors are those of ep_trace_file_open. */
int ep_ahead_open(
	struct ep_ahead *ahead, struct ep_trace_file *out_file, struct ep_error *err) EP_MUST_CHECK;
/* Gives the next bytes of the file. 0, or a negative errno where they cannot be read. */
int ep_ahead_next(struct ep_ahead *ahead, struct ep_ahead_bytes *out_bytes) EP_MUST_CHECK;
/* Returns the inflated member that begins at offset at of the file, within the bytes given last; offsets of
 * later calls must be larger. NULL: the workers did not inflate a member there, as where the bytes look like
 * none. */
const struct ep_ahead_member *ep_ahead_member_at(struct ep_ahead *ahead, uint64_t at);

#endif
