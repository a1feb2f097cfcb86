// SPDX-License-Identifier: BSD-3-Clause
#include "jit_reader.h"

#include <string.h>

#include "common/os/sys.h"

#define MAGIC 0x4a695444u
#define VERSION 1
#define FILE_HEADER_BYTES 40
#define RECORD_HEADER_BYTES 16
#define LOAD_BYTES 56 /* the size of a load's header and fields, before its name */
#define MOVE_BYTES 64
#define LINES_BYTES 32
#define LINE_BYTES 16
#define HAS_OTHER_CLOCK 1
/* reading this many records takes 0.4 s if each needs a system call, as records with 9 KB of code do */
#define MAX_RECORDS 200000
#define UNWRITTEN_BYTES                                                                            \
	(1 << 16) /* the most bytes of a record that may have been in the program's buffer as the program ended */

enum { LOAD, MOVE, LINES };

static uint32_t half_at(const uint8_t *bytes, size_t at)
{
	uint32_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return value;
}

static uint64_t word_at(const uint8_t *bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return value;
}

/* Returns the file's bytes from the offset at on. *out_n is set to their number: n, or fewer near the file's end. */
static const uint8_t *see(struct ep_jit_reader *r, uint64_t at, size_t n, size_t *out_n)
{
	uint64_t into = at - r->buffer_at;
	long n_read;

	if (at < r->buffer_at || into + n > r->n_buffered) {
		n_read = ep_sys(
			__NR_pread64, r->fd, r->buffer, sizeof(r->buffer), (long)(at & INT64_MAX));
		r->buffer_at = at;
		r->n_buffered = n_read > 0 ? (size_t)n_read : 0;
		into = 0;
	}
	*out_n = r->n_buffered - into < n ? r->n_buffered - into : n;
	return r->buffer + into;
}

static bool fail(struct ep_jit_reader *r, enum ep_jit_fault fault)
{
	r->fault = fault;
	return false;
}

bool ep_jit_reader_start(struct ep_jit_reader *r, int fd, uint64_t file_bytes)
{
	const uint8_t *head;
	size_t n;

	r->fd = fd;
	r->file_bytes = file_bytes;
	r->fault = EP_JIT_GOOD;
	r->n_records = 0;
	r->lines_of = r->n_lines = 0;
	r->buffer_at = r->n_buffered = 0;
	head = see(r, 0, FILE_HEADER_BYTES, &n);
	if (n >= 4 && half_at(head, 0) == __builtin_bswap32(MAGIC))
		return fail(r, EP_JIT_OTHER_ORDER);
	if (n < FILE_HEADER_BYTES || half_at(head, 0) != MAGIC)
		return fail(r, EP_JIT_NO_DUMP);
	if (half_at(head, 4) != VERSION)
		return fail(r, EP_JIT_OTHER_VERSION);
	r->at = half_at(head, 8);
	r->has_other_clock = word_at(head, 32) & HAS_OTHER_CLOCK;
	return r->at >= FILE_HEADER_BYTES || fail(r, EP_JIT_LIES);
}

/* Returns the size of the text that begins at an offset of the file and ends with a NUL before end; UINT64_MAX: there
 * is no NUL before end. */
static uint64_t text_size(struct ep_jit_reader *r, uint64_t at, uint64_t end)
{
	uint64_t start = at;

	while (at < end) {
		size_t n;
		const uint8_t *text =
			see(r, at, end - at < EP_JIT_NAME_BYTES ? end - at : EP_JIT_NAME_BYTES, &n);
		const uint8_t *stop = memchr(text, 0, n);

		if (stop)
			return at - start + (uint64_t)(stop - text);
		if (!n)
			break;
		at += n;
	}
	return UINT64_MAX;
}

static bool take_load(
	struct ep_jit_reader *r, const uint8_t *head, uint64_t end, struct ep_jit_record *out)
{
	uint64_t size;
	size_t n;

	out->kind = EP_MADE_LOAD;
	out->start = word_at(head, 24);
	out->size_bytes = word_at(head, 40);
	size = text_size(r, r->at + LOAD_BYTES, end);
	if (size == UINT64_MAX || out->start + out->size_bytes < out->start)
		return fail(r, EP_JIT_LIES);
	out->name_size = size < EP_JIT_NAME_BYTES ? size : EP_JIT_NAME_BYTES;
	memcpy(out->name, see(r, r->at + LOAD_BYTES, out->name_size, &n), out->name_size);
	out->n_lines = r->n_lines && r->lines_of == out->start ? r->n_lines : 0;
	out->lines_at = r->lines_at;
	out->lines_end = r->lines_end;
	r->n_lines = 0;
	return true;
}

static bool take_move(struct ep_jit_reader *r, const uint8_t *head, struct ep_jit_record *out)
{
	*out = (struct ep_jit_record){ .kind = EP_MADE_MOVE,
		.time_ns = out->time_ns,
		.old_start = word_at(head, 32),
		.start = word_at(head, 24),
		.size_bytes = word_at(head, 48) };
	return out->start + out->size_bytes >= out->start || fail(r, EP_JIT_LIES);
}

static bool take_lines(struct ep_jit_reader *r, const uint8_t *head, uint64_t end)
{
	r->lines_of = word_at(head, 16);
	r->n_lines = word_at(head, 24);
	r->lines_at = r->at + LINES_BYTES;
	r->lines_end = end;
	return r->n_lines <= (end - r->lines_at) / (LINE_BYTES + 1) || fail(r, EP_JIT_LIES);
}

static size_t least_bytes(uint32_t kind)
{
	return kind == LOAD    ? LOAD_BYTES + 1
	       : kind == MOVE  ? MOVE_BYTES
	       : kind == LINES ? LINES_BYTES
			       : RECORD_HEADER_BYTES;
}

/* Returns the head of the next record, if the file contains the whole record; NULL: it does not, or r->fault is set. */
static const uint8_t *next_head(struct ep_jit_reader *r)
{
	const uint8_t *head;
	uint64_t left = r->file_bytes - r->at;
	size_t n;

	if (r->at >= r->file_bytes || left < RECORD_HEADER_BYTES)
		return NULL;
	head = see(r, r->at, MOVE_BYTES, &n);
	if (n < RECORD_HEADER_BYTES)
		return NULL;
	if (half_at(head, 4) > left) {
		if (half_at(head, 4) - left > UNWRITTEN_BYTES)
			r->fault = EP_JIT_CUT;
		return NULL;
	}
	if (half_at(head, 4) < least_bytes(half_at(head, 0)))
		r->fault = EP_JIT_LIES;
	else if (r->n_records++ == MAX_RECORDS)
		r->fault = EP_JIT_LONG;
	return r->fault || n < least_bytes(half_at(head, 0)) ? NULL : head;
}

bool ep_jit_reader_next(struct ep_jit_reader *r, struct ep_jit_record *out)
{
	const uint8_t *head;

	while (!r->fault && (head = next_head(r))) {
		uint32_t kind = half_at(head, 0);
		uint64_t end = r->at + half_at(head, 4);
		bool is_good;

		out->time_ns = r->has_other_clock ? 0 : word_at(head, 8);
		is_good = kind == LOAD    ? take_load(r, head, end, out)
			  : kind == MOVE  ? take_move(r, head, out)
			  : kind == LINES ? take_lines(r, head, end)
					  : true;
		r->at = end;
		if (is_good && (kind == LOAD || kind == MOVE))
			return true;
	}
	return false;
}

bool ep_jit_reader_line(
	struct ep_jit_reader *r, struct ep_jit_record *record, struct ep_made_line *out_line)
{
	const uint8_t *entry;
	uint64_t size;
	size_t n;

	if (!record->n_lines || record->lines_end - record->lines_at <= LINE_BYTES)
		return false;
	size = text_size(r, record->lines_at + LINE_BYTES, record->lines_end);
	if (size >= EP_JIT_NAME_BYTES)
		return false;
	entry = see(r, record->lines_at, LINE_BYTES + size, &n);
	if (n < LINE_BYTES + size)
		return false;
	*out_line = (struct ep_made_line){ word_at(entry, 0), half_at(entry, 8),
		(const char *)entry + LINE_BYTES, size };
	/* the byte 0xff stands for the file of the previous line */
	if (size == 1 && entry[LINE_BYTES] == 0xff)
		out_line->file_size = 0;
	record->lines_at += LINE_BYTES + size + 1;
	record->n_lines--;
	return true;
}
