// SPDX-License-Identifier: BSD-3-Clause
/* Implements reader.h with a sliding window over the file. Runs on the user's thread. */
#include "reporter/load/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/load/trace_file.h"

#define WINDOW_BYTES (1 << 20) /* room for two pieces that were read ahead, and more */
/* The search for a next member in a pipe stops after this many bytes, since a pipe may deliver endless data
 * that is no trace. */
#define PIPE_DAMAGE_MOST_BYTES (64u << 20)

struct trace_reader {
	int fd;
	const struct ep_reader_ops *ops;
	void *context;
	struct ep_ahead *ahead; /* NULL: members are inflated in this thread */
	struct ep_inflater *inflater;
	struct ep_reader_stats stats;
	uint8_t *window;
	size_t start, end;   /* where the unused bytes of the window begin and end */
	uint64_t start_at;   /* the offset of window[start] in the file */
	uint64_t size_bytes; /* the file's size; 0 for a pipe */
	bool is_pipe;
	bool at_eof;
	uint64_t damage_at; /* the offset at which the damage that is being stepped over began */
	bool in_damage;
	/* the damage begins like a member; if the file ends in such damage, the file was cut off */
	bool damage_is_member;
	uint8_t first_bytes[16];
	uint8_t plain[EP_MEMBER_MAX_BYTES];
};

static void reader_destroy(struct trace_reader **reader)
{
	if (!*reader)
		return;
	if ((*reader)->fd >= 0)
		close((*reader)->fd);
	ep_inflater_destroy((*reader)->inflater);
	free((*reader)->window);
	free(*reader);
}

static int open_trace(const char *path, struct trace_reader *reader, struct ep_error *err)
{
	struct ep_trace_file file;
	int rc = reader->ahead ? ep_ahead_open(reader->ahead, &file, err)
			       : ep_trace_file_open(path, &file, err);

	if (rc)
		return rc;
	reader->fd = file.fd;
	reader->stats.owner_uid = file.owner_uid;
	reader->size_bytes = file.size_bytes;
	reader->is_pipe = file.is_pipe;
	return 0;
}

static int reader_create(const char *path, struct ep_ahead *ahead, struct trace_reader **out_reader,
	struct ep_error *err)
{
	__attribute__((cleanup(reader_destroy))) struct trace_reader *reader =
		calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return ep_fail(err, -ENOMEM, "out of memory");
	reader->fd = -1;
	reader->ahead = ahead;
	rc = open_trace(path, reader, err);
	if (rc)
		return rc;
	reader->window = malloc(WINDOW_BYTES);
	reader->inflater = ep_inflater_create();
	if (!reader->window || !reader->inflater)
		return ep_fail(err, -ENOMEM, "out of memory");
	*out_reader = reader;
	reader = NULL;
	return 0;
}

/* Appends the next piece that was read ahead to the window. */
static int take_bytes(struct trace_reader *reader)
{
	struct ep_ahead_bytes bytes;
	int rc = ep_ahead_next(reader->ahead, &bytes);

	if (rc)
		return rc;
	memcpy(reader->window + reader->end, bytes.raw, bytes.size);
	reader->end += bytes.size;
	reader->at_eof = bytes.at_eof;
	return 0;
}

static int read_bytes(struct trace_reader *reader)
{
	int rc = ep_trace_file_read(reader->fd, reader->window, WINDOW_BYTES, &reader->end);

	reader->at_eof = !rc;
	return rc < 0 ? rc : 0;
}

/* Moves the unused bytes, which are the beginning of a member, to the window's front, and appends more of the
 * file: the next piece that was read ahead, or as much as fits into the window. */
static int refill(struct trace_reader *reader)
{
	size_t n_left = reader->end - reader->start;
	int rc;

	memmove(reader->window, reader->window + reader->start, n_left);
	reader->end = n_left;
	reader->start = 0;
	rc = reader->ahead ? take_bytes(reader) : read_bytes(reader);
	if (rc)
		return rc;
	reader->stats.file_bytes += reader->end - n_left;
	if (reader->ops->progress)
		reader->ops->progress(reader->context, reader->start_at, reader->size_bytes);
	return 0;
}

static void use_up(struct trace_reader *reader, size_t size)
{
	reader->start += size;
	reader->start_at += size;
}

static void start_damage(struct trace_reader *reader, bool is_member)
{
	if (reader->in_damage)
		return;
	reader->in_damage = true;
	reader->damage_at = reader->start_at;
	reader->damage_is_member = is_member;
}

static void end_damage(struct trace_reader *reader)
{
	uint64_t size = reader->start_at - reader->damage_at;
	struct ep_reader_stats *stats = &reader->stats;

	if (!reader->in_damage)
		return;
	reader->in_damage = false;
	if (reader->at_eof && reader->start == reader->end && reader->damage_is_member) {
		stats->cut_bytes = size;
		return;
	}
	if (!stats->n_damages++)
		stats->first_damage_at = reader->damage_at;
	stats->damaged_bytes += size;
}

/* Steps over at least one byte of damage, to the next bytes that look like the beginning of a member, or to
 * the window's end. */
static void step_over(struct trace_reader *reader)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 4 };
	const uint8_t *from = reader->window + reader->start + 1;
	size_t left = reader->end - reader->start - 1;
	const uint8_t *found = memmem(from, left, head, sizeof(head));
	size_t keep = left < sizeof(head) - 1 ? left : sizeof(head) - 1;

	use_up(reader, found ? (size_t)(found - from) + 1 : left + 1 - (reader->at_eof ? 0 : keep));
}

static int give_blocks(
	struct trace_reader *reader, const uint8_t *plain, size_t size, uint64_t member_at)
{
	struct ep_block block;
	size_t at = 0;
	int rc;

	while ((rc = ep_block_next(plain, size, &at, &block)) == 1) {
		reader->stats.n_blocks++;
		rc = reader->ops->block(reader->context, &block, member_at);
		if (rc)
			return rc;
	}
	if (rc == -EPROTONOSUPPORT) {
		reader->stats.n_other_version++;
		reader->stats.other_version = block.type;
	} else if (rc) {
		reader->stats.n_bad_frames++;
	}
	return 0;
}

/* Returns the content of the member with which the unused bytes begin; a worker may have inflated it ahead. */
static struct ep_ahead_member content_of(struct trace_reader *reader, size_t member_size)
{
	const struct ep_ahead_member *known =
		reader->ahead ? ep_ahead_member_at(reader->ahead, reader->start_at) : NULL;
	struct ep_ahead_member content = { .plain = reader->plain };

	if (known)
		return *known;
	content.is_damaged = ep_inflater_inflate(reader->inflater, reader->window + reader->start,
		member_size, reader->plain, &content.size);
	return content;
}

static int take_member(struct trace_reader *reader, size_t member_size)
{
	struct ep_ahead_member content = content_of(reader, member_size);
	uint64_t member_at = reader->start_at;

	if (content.is_damaged) {
		start_damage(reader, false);
		step_over(reader);
		return 0;
	}
	end_damage(reader);
	use_up(reader, member_size);
	reader->stats.ends_well = !content.size;
	if (!content.size) {
		reader->stats.n_end_marks++;
		return 0;
	}
	reader->stats.n_members++;
	reader->stats.inflated_bytes += content.size;
	return give_blocks(reader, content.plain, content.size, member_at);
}

static bool is_endless(const struct trace_reader *reader)
{
	return reader->is_pipe && reader->in_damage &&
	       reader->start_at - reader->damage_at > PIPE_DAMAGE_MOST_BYTES;
}

static int take_next(struct trace_reader *reader)
{
	size_t left = reader->end - reader->start;
	bool more = false;
	size_t size = ep_member_size(reader->window + reader->start, left, &more);

	if (size)
		return take_member(reader, size);
	if (more && !reader->at_eof)
		return refill(reader);
	start_damage(reader, more);
	step_over(reader);
	return 0;
}

static int read_all(struct trace_reader *reader)
{
	int rc = refill(reader);

	memcpy(reader->first_bytes, reader->window,
		reader->end < sizeof(reader->first_bytes) ? reader->end
							  : sizeof(reader->first_bytes));
	while (!rc && (!reader->at_eof || reader->start < reader->end) && !is_endless(reader))
		rc = take_next(reader);
	if (reader->in_damage || reader->stats.cut_bytes)
		reader->stats.ends_well = false;
	end_damage(reader);
	return rc;
}

static const struct {
	const char *first_bytes;
	const char *what;
} other_files[] = {
	{ "\x1f\x8b\x08\x04",
		"begins like a trace, but holds no whole block: it was cut or damaged at the very beginning" },
	{ "\x1f\x8b", "is a gzip file, but not a trace written by evprof" },
	{ "PERFILE2", "is a perf.data file; evreport reads the trace.gz that libevprof.so writes" },
	{ "EVPB", "holds inflated blocks; give evreport the trace.gz itself" },
	{ "\x7f"
	  "ELF",
		"is a program or library; record it first: evprof run -- PROGRAM" },
	{ "", "is not a trace written by evprof" },
};

static int refuse(const struct trace_reader *reader, const char *path, struct ep_error *err)
{
	struct ep_place place = { .file = path };
	const struct ep_reader_stats *stats = &reader->stats;
	size_t row = 0;

	if (!stats->file_bytes)
		return ep_fail_at(err, -EBADMSG, place,
			"is empty: nothing was recorded, or the program still runs");
	if (stats->n_other_version)
		return ep_fail_at(err, -EPROTONOSUPPORT, place,
			"is a trace of format version %u; this evreport reads version %u",
			stats->other_version, EP_TRACE_VERSION);
	if (stats->n_end_marks && !stats->damaged_bytes)
		return ep_fail_at(err, -EBADMSG, place, "is a trace with nothing in it");
	while (memcmp(reader->first_bytes, other_files[row].first_bytes,
		strlen(other_files[row].first_bytes)))
		row++;
	return ep_fail_at(err, -EBADMSG, place, "%s", other_files[row].what);
}

int ep_reader_run(const char *path, const struct ep_reader_ops *ops, void *context,
	struct ep_reader_stats *out_stats, struct ep_error *err)
{
	__attribute__((cleanup(reader_destroy))) struct trace_reader *reader = NULL;
	int rc = reader_create(path, ops->ahead, &reader, err);

	if (rc)
		return rc;
	reader->ops = ops;
	reader->context = context;
	rc = read_all(reader);
	if (rc)
		return ep_fail_at(err, rc, (struct ep_place){ .file = path }, "cannot read: %s",
			strerror(-rc));
	if (!reader->stats.n_blocks)
		return refuse(reader, path, err);
	*out_stats = reader->stats;
	return 0;
}

bool ep_reader_is_trace(const char *path)
{
	uint8_t start[14];
	struct stat st;
	EP_AUTOFCLOSE FILE *file =
		!stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

	return file && fread(start, sizeof(start), 1, file) == 1 &&
	       !memcmp(start, "\x1f\x8b\x08\x04", 4) && !memcmp(start + 12, "BC", 2);
}

void ep_reader_stats_add(
	struct ep_reader_stats *sum, const struct ep_reader_stats *more, const char *path)
{
	bool is_first = !sum->n_files;

	if (!sum->n_damages && more->n_damages) {
		sum->first_damage_at = more->first_damage_at;
		sum->first_damage_in = path;
	}
	if (is_first)
		sum->owner_uid = more->owner_uid;
	sum->n_files++;
	sum->file_bytes += more->file_bytes;
	sum->n_members += more->n_members;
	sum->n_end_marks += more->n_end_marks;
	sum->inflated_bytes += more->inflated_bytes;
	sum->n_blocks += more->n_blocks;
	sum->damaged_bytes += more->damaged_bytes;
	sum->n_damages += more->n_damages;
	sum->cut_bytes += more->cut_bytes;
	sum->n_bad_frames += more->n_bad_frames;
	sum->n_other_version += more->n_other_version;
	sum->other_version = more->n_other_version ? more->other_version : sum->other_version;
	sum->ends_well = more->ends_well && (is_first || sum->ends_well);
}
