// SPDX-License-Identifier: BSD-3-Clause
/* Blocks, places and damage are the same however many threads inflate ahead. */
#include "reporter/load/ahead.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/containers/index.h"
#include "reporter/load/reader.h"
#include "tests/trace/writer.h"
#include "tests/unit/test.h"

enum { N_MEMBERS = 60, MOST_BYTES = 2 << 20, N_DAMAGES = 60 };

static const uint32_t thread_numbers[] = { 2, 3, 7 };

/* The members that a reader got. */
struct story {
	int rc;
	uint64_t hash, n_blocks;
	char stats[512];
	struct ep_error err;
	uint64_t n_wanted; /* blocks, then it stops */
};

static uint64_t state = 1;

static uint32_t chance(uint32_t limit)
{
	state = ep_hash_mix(state, 7);
	return (uint32_t)((state >> 32) * limit >> 32);
}

/* Content that packs badly, so that the file is worth threads, and some that packs to nothing. */
static void put_member(struct trace_writer *writer)
{
	static uint8_t body[60000];
	uint32_t size = chance(30000) + 100;

	if (chance(10) < 2) {
		memset(body, 0, sizeof(body));
		trace_put_raw(writer, EP_TRACE_VERSION, EP_BLOCK_NOTE, body, sizeof(body));
		trace_flush(writer);
		return;
	}
	for (uint32_t i = 0; i < size; i++)
		body[i] = (uint8_t)chance(256);
	trace_put_raw(writer, EP_TRACE_VERSION, EP_BLOCK_NOTE, body, size);
	trace_put_note(writer, "a second block");
	trace_flush(writer);
}

static size_t make_trace(uint8_t *out, int n_members)
{
	static struct trace_writer writer;
	FILE *file = fmemopen(out, MOST_BYTES, "wb");
	size_t size;

	trace_writer_init(&writer, file);
	for (int i = 0; i < n_members; i++) {
		writer.key = (struct ep_process_key){ (uint32_t)i + 1, (uint64_t)i };
		put_member(&writer);
		if (chance(20) == 0)
			trace_put_eof(&writer);
	}
	trace_put_eof(&writer);
	size = (size_t)ftell(file);
	fclose(file);
	writer.out = NULL;
	trace_writer_finish(&writer);
	return size;
}

static void write_file(char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fdopen(mkstemp(path), "wb");

	CHECK_INT(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static int take_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	struct story *story = context;

	story->hash = ep_hash_mix(story->hash, member_at);
	story->hash = ep_hash_mix(story->hash, block->type);
	story->hash = ep_hash_mix(story->hash, block->key.pid);
	story->hash = ep_hash_bytes(story->hash, block->body, block->size_bytes);
	return ++story->n_blocks == story->n_wanted ? -ECANCELED : 0;
}

static void tell_stats(struct story *story, const struct ep_reader_stats *s)
{
	size_t used = strlen(story->stats);

	snprintf(story->stats + used, sizeof(story->stats) - used,
		"%llu %llu %llu %llu %llu, %llu in %llu from %llu, cut %llu, %llu %llu %u %d; ",
		(unsigned long long)s->file_bytes, (unsigned long long)s->n_members,
		(unsigned long long)s->n_end_marks, (unsigned long long)s->inflated_bytes,
		(unsigned long long)s->n_blocks, (unsigned long long)s->damaged_bytes,
		(unsigned long long)s->n_damages, (unsigned long long)s->first_damage_at,
		(unsigned long long)s->cut_bytes, (unsigned long long)s->n_bad_frames,
		(unsigned long long)s->n_other_version, s->other_version, s->ends_well);
}

static struct story read_with(const char *const *paths, uint32_t n_threads, uint64_t n_wanted)
{
	struct ep_reader_ops ops = { .block = take_block };
	struct story story = { .n_wanted = n_wanted };

	CHECK_INT(ep_ahead_create(paths, n_threads, &ops.ahead), 0);
	CHECK_MSG(!ops.ahead == (n_threads == 1), "%u threads", n_threads);
	for (; *paths && !story.rc; paths++) {
		struct ep_reader_stats stats = { 0 };

		story.rc = ep_reader_run(*paths, &ops, &story, &stats, &story.err);
		tell_stats(&story, &stats);
	}
	ep_ahead_destroy(ops.ahead);
	return story;
}

static void check_same(const char *const *paths, uint64_t n_wanted, const char *what)
{
	struct story alone = read_with(paths, 1, n_wanted);

	for (size_t i = 0; i < EP_ARRAY_SIZE(thread_numbers); i++) {
		struct story ahead = read_with(paths, thread_numbers[i], n_wanted);

		CHECK_INT(ahead.rc, alone.rc);
		CHECK_INT(ahead.n_blocks, alone.n_blocks);
		CHECK_MSG(ahead.hash == alone.hash, "other blocks: %s", what);
		CHECK_MSG(!strcmp(ahead.stats, alone.stats), "%s: %s, alone %s", what, ahead.stats,
			alone.stats);
		CHECK_STR(ahead.err.where, alone.err.where);
		CHECK_STR(ahead.err.message, alone.err.message);
	}
}

static void check_bytes_same(const uint8_t *bytes, size_t size, const char *what)
{
	char path[] = "/tmp/evprof-ahead-XXXXXX";

	write_file(path, bytes, size);
	check_same((const char *const[]){ path, NULL }, 0, what);
	unlink(path);
}

static uint8_t whole[MOST_BYTES], damaged[MOST_BYTES];

TEST(a_whole_trace_has_the_same_blocks)
{
	size_t size = make_trace(whole, N_MEMBERS);

	CHECK_MSG(size > 3 * EP_AHEAD_RAW_BYTES, "the trace is too small: %zu bytes", size);
	check_bytes_same(whole, size, "whole");
	check_bytes_same(whole, size - 28, "without an end mark");
}

/* Each changes damaged, of *size bytes. */
static void change_byte(size_t *size)
{
	damaged[chance((uint32_t)*size)] ^= (uint8_t)(1 + chance(255));
}

static void cut_end(size_t *size)
{
	*size -= chance(100000);
}

static void cut_out(size_t *size)
{
	size_t n = chance(200000), at = chance((uint32_t)(*size - n));

	memmove(damaged + at, damaged + at + n, *size - at - n);
	*size -= n;
}

static void put_zeros(size_t *size)
{
	size_t n = chance(300000), at = chance((uint32_t)(*size - n));

	memset(damaged + at, 0, n);
}

/* Heads of members that are none, which claim other sizes. */
static void put_heads(size_t *size)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C', 2,
		0 };

	for (int i = 0; i < 40; i++)
		memcpy(damaged + chance((uint32_t)(*size - sizeof(head))), head, sizeof(head));
}

static void (*const damages[])(
	size_t *size) = { change_byte, cut_end, cut_out, put_zeros, put_heads };

TEST(damage_is_stepped_over_in_the_same_way)
{
	size_t whole_size = make_trace(whole, N_MEMBERS);

	for (uint32_t i = 0; i < N_DAMAGES; i++) {
		uint32_t n_kinds = EP_ARRAY_SIZE(damages);
		size_t size = whole_size;
		char what[32];

		memcpy(damaged, whole, size);
		damages[i % n_kinds](&size);
		if (i >= N_DAMAGES / 2)
			damages[chance(n_kinds)](&size);
		snprintf(what, sizeof(what), "damage %u", i);
		check_bytes_same(damaged, size, what);
	}
}

TEST(several_files_follow_each_other)
{
	enum { N_FILES = 12 };
	char names[N_FILES][32];
	const char *paths[N_FILES + 1] = { NULL };

	for (int i = 0; i < N_FILES; i++) {
		size_t size = make_trace(whole, i % 4 ? 1 + i % 3 : N_MEMBERS);

		strcpy(names[i], "/tmp/evprof-ahead-XXXXXX");
		write_file(names[i], whole, size);
		paths[i] = names[i];
	}
	check_same(paths, 0, "several files");
	check_same(paths, 100, "several files, stopped");
	for (int i = 0; i < N_FILES; i++)
		unlink(names[i]);
}

TEST(what_is_no_trace_says_the_same)
{
	char first[] = "/tmp/evprof-ahead-XXXXXX", second[] = "/tmp/evprof-ahead-XXXXXX";
	size_t size = make_trace(whole, N_MEMBERS);

	write_file(first, whole, size);
	memset(damaged, 'x', 1000000);
	write_file(second, damaged, 1000000);
	check_same((const char *const[]){ first, second, first, NULL }, 0, "rubbish in the middle");
	unlink(second);
	write_file(strcpy(second, "/tmp/evprof-ahead-XXXXXX"), damaged, 0);
	check_same((const char *const[]){ first, second, first, NULL }, 0, "an empty file");
	unlink(first);
	unlink(second);
}

/* Nothing else reads a pipe ahead, and a small file is not worth a thread. */
TEST(what_is_not_worth_it_is_read_alone)
{
	const char *const pipe[] = { "-", NULL }, *const absent[] = { "/nowhere/at/all", NULL };
	char path[] = "/tmp/evprof-ahead-XXXXXX";
	const char *const small[] = { path, NULL };
	struct ep_ahead *ahead;

	write_file(path, whole, make_trace(whole, 2));
	CHECK_INT(ep_ahead_create(pipe, 4, &ahead), 0);
	CHECK(!ahead);
	CHECK_INT(ep_ahead_create(absent, 4, &ahead), 0);
	CHECK(!ahead);
	CHECK_INT(ep_ahead_create(small, 4, &ahead), 0);
	CHECK(!ahead);
	unlink(path);
}
