/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and reads a trace's file. */
#ifndef EVPROF_REPORTER_LOAD_TRACE_FILE_H
#define EVPROF_REPORTER_LOAD_TRACE_FILE_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_trace_file {
	int fd;
	uint32_t owner_uid;
	uint64_t size_bytes; /* 0: not known (a pipe) */
	bool is_pipe;        /* a pipe may never end */
};

/* Opens the file; "-" is standard input. The caller closes the descriptor. */
int ep_trace_file_open(
	const char *path, struct ep_trace_file *out_file, struct ep_error *err) EP_MUST_CHECK;
/* Fills the buffer from *size on until it is full or the file ends. Returns 1, 0 at the file's end, or a
 * negative errno. */
int ep_trace_file_read(int fd, uint8_t *buffer, size_t capacity, size_t *size) EP_MUST_CHECK;

#endif
