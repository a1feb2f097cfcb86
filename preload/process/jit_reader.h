/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a jitdump record by record (Linux's tools/perf/Documentation/jitdump-specification.txt). The bytes of the code
 * and its unwind information are skipped. The program writes the file, so everything in it is checked. Runs in signal
 * handlers.
 */
#ifndef EVPROF_PRELOAD_PROCESS_JIT_READER_H
#define EVPROF_PRELOAD_PROCESS_JIT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/trace_made_code.h"

#define EP_JIT_NAME_BYTES 1024 /* a longer name is cut */

enum ep_jit_fault {
	EP_JIT_GOOD,
	EP_JIT_NO_DUMP,       /* the magic number is wrong */
	EP_JIT_OTHER_ORDER,   /* the byte order of another machine */
	EP_JIT_OTHER_VERSION, /* a version of the format that is not known */
	EP_JIT_LIES,          /* a record with impossible contents */
	/* the file ends within a record, and lacks more than the program may have had in its buffer */
	EP_JIT_CUT,
	EP_JIT_LONG, /* more records than MAX_RECORDS */
	EP_N_JIT_FAULTS,
};

struct ep_jit_record {
	enum ep_made_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: the time is of another clock */
	uint64_t start, size_bytes, old_start;
	size_t name_size;
	char name[EP_JIT_NAME_BYTES];
	/* offset in the file of the next line to read, and the number of lines left; n_lines 0: the record has none */
	uint64_t lines_at, n_lines;
	uint64_t lines_end;
};

struct ep_jit_reader {
	int fd;
	enum ep_jit_fault fault;
	bool has_other_clock;
	uint64_t file_bytes, at;
	uint32_t n_records;
	/* the last record of lines, which comes before the record of its code: address of that code, place and number
	 * of lines */
	uint64_t lines_of, lines_at, n_lines, lines_end;
	uint64_t buffer_at;
	size_t n_buffered;
	uint8_t buffer[8192];
};

/* Starts to read a file of file_bytes. Returns false if the file cannot be read as a dump; reader->fault says why. */
bool ep_jit_reader_start(struct ep_jit_reader *reader, int fd, uint64_t file_bytes);
/* Reads the next load or move. Returns false at the end, or at a fault. */
bool ep_jit_reader_next(struct ep_jit_reader *reader, struct ep_jit_record *out);
/* Reads the next line of a record, and advances the record's lines_at and n_lines. The line's file name is valid until
 * the next call. Returns false if there is no further line that can be read. */
bool ep_jit_reader_line(
	struct ep_jit_reader *reader, struct ep_jit_record *record, struct ep_made_line *out_line);

#endif
