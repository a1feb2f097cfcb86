/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes jitdumps as the specification has them (Linux's tools/perf/Documentation/jitdump-specification.txt). */
#ifndef EVPROF_TESTS_UNIT_JIT_DUMP_H
#define EVPROF_TESTS_UNIT_JIT_DUMP_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline void put_half(FILE *file, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static inline void put_word(FILE *file, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static inline void put_dump_head(FILE *file, uint32_t magic, uint32_t version, uint64_t flags)
{
	put_half(file, magic);
	put_half(file, version);
	put_half(file, 40);
	put_half(file, 62);
	put_half(file, 0);
	put_half(file, 77);
	put_word(file, 1000);
	put_word(file, flags);
}

static inline void put_record_head(FILE *file, uint32_t kind, size_t size, uint64_t time_ns)
{
	put_half(file, kind);
	put_half(file, (uint32_t)size);
	put_word(file, time_ns);
}

static inline void put_load(
	FILE *file, uint64_t time_ns, uint64_t start, uint64_t size, const char *name)
{
	put_record_head(file, 0, 56 + strlen(name) + 1 + size, time_ns);
	put_word(file, 77);
	put_word(file, start);
	put_word(file, start);
	put_word(file, size);
	put_word(file, 1);
	fwrite(name, strlen(name) + 1, 1, file);
	for (uint64_t i = 0; i < size; i++)
		fputc(0xcc, file);
}

static inline void put_move(
	FILE *file, uint64_t time_ns, uint64_t old_start, uint64_t start, uint64_t size)
{
	put_record_head(file, 1, 64, time_ns);
	put_word(file, 77);
	put_word(file, start);
	put_word(file, old_start);
	put_word(file, start);
	put_word(file, size);
	put_word(file, 1);
}

/* Lines of the next load: one each 16 bytes. */
static inline void put_lines(
	FILE *file, uint64_t start, uint32_t n, uint32_t first_line, const char *name)
{
	put_record_head(file, 2, 32 + n * (16 + strlen(name) + 1), 0);
	put_word(file, start);
	put_word(file, n);
	for (uint32_t i = 0; i < n; i++) {
		put_word(file, start + 16 * i);
		put_half(file, first_line + i);
		put_half(file, 0);
		fwrite(name, strlen(name) + 1, 1, file);
	}
}

#endif
