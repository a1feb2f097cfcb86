/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a jitdump record by record (Linux's tools/perf/Documentation/jitdump-specification.txt).
 * The code's bytes and what unwinds it are passed over. The file is the program's: nothing in it is
 * believed. Signal handlers.
 */
#ifndef EVPROF_PRELOAD_PROCESS_JIT_READER_H
#define EVPROF_PRELOAD_PROCESS_JIT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/trace_made_code.h"

#define EP_JIT_NAME_BYTES 1024 /* a longer name is cut */

enum ep_jit_fault {
	EP_JIT_GOOD,
	EP_JIT_NO_DUMP,       /* the magic number is another one */
	EP_JIT_OTHER_ORDER,   /* of bytes */
	EP_JIT_OTHER_VERSION, /* of the format */
	EP_JIT_LIES,          /* a record with impossible contents */
	EP_JIT_CUT,           /* ends inside of a record, and not by what is still to be written */
	EP_JIT_LONG,          /* more records than are read */
	EP_N_JIT_FAULTS,
};

struct ep_jit_record {
	enum ep_made_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: by another clock */
	uint64_t start, size_bytes, old_start;
	size_t name_size;
	char name[EP_JIT_NAME_BYTES];
	uint64_t lines_at, n_lines; /* where in the file its lines are; 0: it has none */
	uint64_t lines_end;
};

struct ep_jit_reader {
	int fd;
	enum ep_jit_fault fault;
	bool has_other_clock;
	uint64_t file_bytes, at;
	uint32_t n_records;
	uint64_t lines_of, lines_at, n_lines, lines_end; /* told before their code */
	uint64_t buffer_at;
	size_t n_buffered;
	uint8_t buffer[8192];
};

/* Starts to read a file of file_bytes; false: it is no dump, and fault says why. */
bool ep_jit_reader_start(struct ep_jit_reader *reader, int fd, uint64_t file_bytes);
/* Reads the next load or move; false: there is none, or a fault. */
bool ep_jit_reader_next(struct ep_jit_reader *reader, struct ep_jit_record *out);
/* Reads the next line of a record, whose lines_at and n_lines move on; file is valid until the next
 * call. false: there is none. */
bool ep_jit_reader_line(
	struct ep_jit_reader *reader, struct ep_jit_record *record, struct ep_made_line *out_line);

#endif
