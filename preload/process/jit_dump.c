// SPDX-License-Identifier: BSD-3-Clause
#include "jit_dump.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/os/large.h"
#include "common/os/sys.h"
#include "jit_reader.h"
#include "preload/interpreter/made_code.h"
#include "preload/unwind/jit_marker.h"

#define MAX_KEPT (4u << 20) /* the most bytes of records that are kept */
#define BLOCK_BYTES 40000
#define LINES_MAX_BYTES 16384 /* bytes of the lines of one record; its later lines are left out */
#define FORMAT_SLACK_BYTES 64 /* V8 adds the size of an ELF header to the addresses of lines */
#define CLOCK_SLACK_S 2       /* a file's time may be early: it advances at the kernel's ticks */

static EP_LARGE struct ep_jit_reader reader; /* used under the trace's lock, as the next two */
static EP_LARGE struct ep_jit_record record;
static EP_LARGE uint8_t lines[LINES_MAX_BYTES];

static const char *const sentences[EP_N_JIT_FAULTS] = {
	[EP_JIT_NO_DUMP] =
		"Code made at run time may have no names: the file in which the program describes it (jit-PID.dump) does not begin as such files do.",
	[EP_JIT_OTHER_ORDER] =
		"Code made at run time may have no names: the file in which the program describes it (jit-PID.dump) has the byte order of another machine.",
	[EP_JIT_OTHER_VERSION] =
		"Code made at run time may have no names: the file in which the program describes it (jit-PID.dump) has another format version than 1, which evprof reads.",
	[EP_JIT_LIES] =
		"Some code made at run time may have no name: the file in which the program describes it (jit-PID.dump) has an impossible record, and is read up to there.",
	[EP_JIT_CUT] =
		"Some code made at run time may have no name: the file in which the program describes it (jit-PID.dump) ends in the middle of a record.",
	[EP_JIT_LONG] =
		"Some code made at run time may have no name: the file in which the program describes it (jit-PID.dump) has more than the 200,000 records that evprof reads.",
};
static const char too_much[] =
	"Some code made at run time may have no name: the description of the code that was sampled (jit-PID.dump) is longer than the 4 MiB that evprof keeps.";

struct jit_keeper {
	struct ep_out *out;
	struct ep_process_key key;
	uint64_t now_ns; /* CLOCK_MONOTONIC when the records are read */
	size_t block_at; /* the offset of the open block in out->raw */
	bool is_open;
	bool keeps_all; /* keep all records: code may have moved to where ticks met it */
	uint32_t n_kept;
};

/* Opens the dump, whose path is known since the program maps the file. Like a perf map, the dump must be a regular file
 * that belongs to the user or root and is not older than the process. Its inode is not compared with the mapping's,
 * since overlayfs reports another inode for mappings. */
static int open_dump(int64_t start_s, uint64_t *out_bytes)
{
	const char *path = ep_jit_marker_path();
	struct stat st;
	int fd = path ? (int)ep_sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
		      : -1;

	if (fd < 0)
		return -1;
	if (!ep_sys_fstat(fd, &st) && S_ISREG(st.st_mode) &&
		(!st.st_uid || st.st_uid == (uid_t)ep_sys(__NR_geteuid)) &&
		st.st_mtim.tv_sec + CLOCK_SLACK_S >= start_s) {
		*out_bytes = (uint64_t)st.st_size;
		return fd;
	}
	ep_sys_close(fd);
	return -1;
}

static void close_block(struct jit_keeper *keeper)
{
	if (keeper->is_open)
		ep_block_finish(&keeper->out->raw, keeper->block_at);
	keeper->is_open = false;
}

static void put(struct jit_keeper *keeper, const struct ep_made_code *code)
{
	struct ep_wire *wire = &keeper->out->raw;
	size_t at;

	if (wire->size_bytes > BLOCK_BYTES) {
		close_block(keeper);
		ep_out_flush(keeper->out);
	}
	if (!keeper->is_open)
		keeper->block_at = ep_block_start(wire, EP_BLOCK_MADE_CODE, keeper->key);
	keeper->is_open = true;
	at = wire->size_bytes;
	ep_made_code_put(wire, code);
	keeper->n_kept += wire->size_bytes - at;
}

/* Returns the size in bytes of the UTF-8 character that begins here; 0: no character begins here, or it is a control
 * character. */
static size_t character_bytes(const char *at, const char *end)
{
	unsigned char first = (unsigned char)*at;
	size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first < 0x20 || first == 0x7f || first > 0xf4 || n > (size_t)(end - at))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static bool is_text(const char *text, size_t size)
{
	const char *end = text + size;
	size_t n = 1;

	while (text < end && (n = character_bytes(text, end)))
		text += n;
	return n;
}

/* Tells whether a line is plausible. V8 of node 20 writes freed memory as the names of some files, and the lines that
 * follow are not plausible either. */
static bool is_believed(const struct ep_made_line *line)
{
	return line->address - record.start <= record.size_bytes + FORMAT_SLACK_BYTES &&
	       is_text(line->file, line->file_size);
}

/* Encodes one line for each stretch of code of the same source line, and returns the bytes written. Writes nothing if
 * one of the record's lines is not plausible. */
static size_t put_lines(uint64_t start)
{
	struct ep_wire wire = { lines, 0, sizeof(lines), false };
	struct ep_made_line line;
	uint64_t last_address = start;
	uint32_t last = 0;
	size_t size = 0;

	while (ep_jit_reader_line(&reader, &record, &line)) {
		if (!is_believed(&line))
			return 0;
		if (line.line == last && !line.file_size)
			continue;
		ep_made_line_put(&wire, &line, last_address);
		if (wire.overflow)
			break;
		size = wire.size_bytes;
		last_address = line.address;
		last = line.line;
	}
	return size;
}

/* Returns the record's time since the process began, in us; 0: the time is not known. A time in the future comes from
 * another clock and counts as not known. */
static uint64_t moment_us(const struct jit_keeper *keeper)
{
	uint64_t birth_ns = keeper->key.birth_ns;

	return record.time_ns > birth_ns && record.time_ns <= keeper->now_ns
		       ? (record.time_ns - birth_ns) / 1000
		       : 0;
}

static void keep_record(struct jit_keeper *keeper)
{
	struct ep_made_code code = { .kind = record.kind,
		.time_us = moment_us(keeper),
		.start = record.start,
		.size_bytes = record.size_bytes,
		.old_start = record.old_start,
		.name = record.name,
		.name_size = record.name_size,
		.lines = lines };

	if (!keeper->keeps_all && !ep_made_code_wants_range(record.start, record.size_bytes))
		return;
	code.lines_size = put_lines(record.start);
	put(keeper, &code);
}

/* Keeps the records of code that ticks have met. If the dump has a move, it is read again from its start and all its
 * records are kept: the record that loaded the moved code may have been skipped, since no tick met the old place. */
static const char *keep_records(struct jit_keeper *keeper, int fd, uint64_t file_bytes)
{
	bool is_good = ep_jit_reader_start(&reader, fd, file_bytes);

	while (is_good && keeper->n_kept < MAX_KEPT && ep_jit_reader_next(&reader, &record)) {
		if (record.kind == EP_MADE_MOVE && !keeper->keeps_all) {
			keeper->keeps_all = true;
			keeper->n_kept = 0;
			is_good = ep_jit_reader_start(&reader, fd, file_bytes);
			continue;
		}
		keep_record(keeper);
	}
	return keeper->n_kept >= MAX_KEPT ? too_much : sentences[reader.fault];
}

const char *ep_jit_dump_keep(struct ep_out *out, struct ep_process_key key, int64_t start_s)
{
	struct jit_keeper keeper = { .out = out, .key = key, .now_ns = ep_now_ns(CLOCK_MONOTONIC) };
	const char *sentence = NULL;
	uint64_t file_bytes;
	int fd;

	if (!ep_made_code_was_met())
		return NULL;
	fd = open_dump(start_s, &file_bytes);
	if (fd < 0)
		return NULL;
	sentence = keep_records(&keeper, fd, file_bytes);
	close_block(&keeper);
	ep_sys_close(fd);
	return sentence;
}
