// SPDX-License-Identifier: BSD-3-Clause
/* Jitdumps: what is read of them, and which fault is found in one that is damaged. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "common/cleanup.h"
#include "preload/process/jit_reader.h"
#include "tests/unit/jit_dump.h"

#define MAGIC 0x4a695444u

static struct ep_jit_reader reader;
static struct ep_jit_record record;

static uint64_t size_of(FILE *file)
{
	fflush(file);
	return (uint64_t)ftell(file);
}

static bool start(FILE *file)
{
	return ep_jit_reader_start(&reader, fileno(file), size_of(file));
}

static void check_next(uint64_t time_ns, uint64_t at, uint64_t size, const char *name)
{
	CHECK(ep_jit_reader_next(&reader, &record));
	CHECK_INT(record.kind, EP_MADE_LOAD);
	CHECK_INT(record.time_ns, time_ns);
	CHECK_INT(record.start, at);
	CHECK_INT(record.size_bytes, size);
	CHECK(record.name_size == strlen(name) && !memcmp(record.name, name, strlen(name)));
}

TEST(loads_moves_and_lines_come_in_order)
{
	FILE *file = tmpfile();
	struct ep_made_line line;

	put_dump_head(file, MAGIC, 1, 0);
	put_load(file, 5, 0x1000, 32, "first");
	put_lines(file, 0x2000, 3, 7, "a.js");
	put_load(file, 6, 0x2000, 20000, "with lines");
	put_record_head(file, 4, 24, 0);
	put_word(file, 0);
	put_move(file, 7, 0x1000, 0x3000, 32);
	put_load(file, 8, 0x4000, 0, "");
	CHECK(start(file));
	check_next(5, 0x1000, 32, "first");
	CHECK(!ep_jit_reader_line(&reader, &record, &line));
	check_next(6, 0x2000, 20000, "with lines");
	for (uint32_t i = 0; i < 3; i++) {
		CHECK(ep_jit_reader_line(&reader, &record, &line));
		CHECK_INT(line.address, 0x2000 + 16 * i);
		CHECK_INT(line.line, 7 + i);
		CHECK(line.file_size == 4 && !memcmp(line.file, "a.js", 4));
	}
	CHECK(!ep_jit_reader_line(&reader, &record, &line));
	CHECK(ep_jit_reader_next(&reader, &record));
	CHECK_INT(record.kind, EP_MADE_MOVE);
	CHECK_INT(record.old_start, 0x1000);
	CHECK_INT(record.start, 0x3000);
	check_next(8, 0x4000, 0, "");
	CHECK(!ep_jit_reader_next(&reader, &record));
	CHECK_INT(reader.fault, EP_JIT_GOOD);
	fclose(file);
}

/* Lines are of the load that follows them, and of no other code. */
TEST(lines_of_other_code_are_left_out)
{
	FILE *file = tmpfile();

	put_dump_head(file, MAGIC, 1, 0);
	put_lines(file, 0x2000, 3, 7, "a.js");
	put_load(file, 5, 0x1000, 32, "first");
	put_load(file, 5, 0x2000, 32, "second");
	CHECK(start(file));
	while (ep_jit_reader_next(&reader, &record))
		CHECK_INT(record.n_lines, 0);
	fclose(file);
}

TEST(other_clocks_tell_no_time)
{
	FILE *file = tmpfile();

	put_dump_head(file, MAGIC, 1, 1);
	put_load(file, 5, 0x1000, 32, "first");
	CHECK(start(file));
	check_next(0, 0x1000, 32, "first");
	fclose(file);
}

TEST(a_file_that_is_no_dump_is_known)
{
	static const struct {
		uint32_t magic, version;
		enum ep_jit_fault fault;
	} rows[] = {
		{ MAGIC, 1, EP_JIT_GOOD },
		{ 0x4454694a, 1, EP_JIT_OTHER_ORDER },
		{ 0x464c457f, 1, EP_JIT_NO_DUMP },
		{ MAGIC, 2, EP_JIT_OTHER_VERSION },
	};
	FILE *empty = tmpfile();

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		FILE *file = tmpfile();

		put_dump_head(file, rows[i].magic, rows[i].version, 0);
		CHECK_INT(start(file), !rows[i].fault);
		CHECK_INT(reader.fault, rows[i].fault);
		fclose(file);
	}
	CHECK(!start(empty));
	CHECK_INT(reader.fault, EP_JIT_NO_DUMP);
	fclose(empty);
}

/* Records behind one that cannot be are not read. */
TEST(records_that_lie_are_known)
{
	for (int what = 0; what < 4; what++) {
		FILE *file = tmpfile();

		put_dump_head(file, MAGIC, 1, 0);
		put_load(file, 5, 0x1000, 32, "good");
		if (what == 0)
			put_record_head(file, 0, 15, 0);
		else if (what == 1)
			put_load(file, 5, UINT64_MAX - 10, 32, "wraps around");
		else if (what == 2)
			put_record_head(file, 1, 63, 0);
		else
			put_record_head(file, 0, 70, 0);
		for (int i = 0; what == 3 && i < 54; i++) /* the name does not end */
			fputc('x', file);
		put_load(file, 5, 0x3000, 32, "behind");
		CHECK(start(file));
		check_next(5, 0x1000, 32, "good");
		CHECK(!ep_jit_reader_next(&reader, &record));
		CHECK_MSG(reader.fault == EP_JIT_LIES, "%d has fault %d", what, reader.fault);
		fclose(file);
	}
}

/* A program that ends has what it wrote last still in its buffer. */
TEST(a_dump_may_end_anywhere)
{
	FILE *file = tmpfile();
	uint64_t size;

	put_dump_head(file, MAGIC, 1, 0);
	put_load(file, 5, 0x1000, 32, "first");
	size = size_of(file);
	put_load(file, 6, 0x2000, 300000, "second");
	for (uint64_t cut = 40; cut < size_of(file); cut += cut < size + 100 ? 1 : 1000) {
		uint64_t left = size_of(file) - cut;

		CHECK(ep_jit_reader_start(&reader, fileno(file), cut));
		CHECK_INT(ep_jit_reader_next(&reader, &record), cut >= size);
		while (ep_jit_reader_next(&reader, &record))
			;
		CHECK_INT(reader.fault,
			cut >= size + 16 && left > 1 << 16 ? EP_JIT_CUT : EP_JIT_GOOD);
	}
	fclose(file);
}
