// SPDX-License-Identifier: BSD-3-Clause
/* Members between rubbish, wherever the window's border lies; what is damage and what a cut. */
#include "reporter/load/reader.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/trace/writer.h"
#include "tests/unit/test.h"

#define WINDOW_BYTES (1 << 20) /* reader.c's */

static char path[64];
static uint8_t member[EP_MEMBER_MAX_BYTES];
static size_t member_bytes;
static uint64_t n_taken, last_member_at;
static int refusal; /* what take_block gives back */

/* One member of one note. */
static void make_member(void)
{
	static struct trace_writer writer;

	if (member_bytes)
		return;
	trace_writer_init(&writer, NULL);
	trace_put_note(&writer, "a note");
	member_bytes = ep_packer_pack(writer.packer, writer.plain, writer.wire.size_bytes, member);
	trace_writer_finish(&writer);
}

static int take_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	CHECK_INT(block->type, EP_BLOCK_NOTE);
	n_taken++;
	last_member_at = member_at;
	return refusal;
}

static FILE *start_file(void)
{
	make_member();
	snprintf(path, sizeof(path), "/tmp/evprof-reader-XXXXXX");
	return fdopen(mkstemp(path), "wb");
}

static void put(FILE *out, const void *bytes, size_t size)
{
	CHECK(fwrite(bytes, 1, size, out) == size);
}

static void put_rubbish(FILE *out, size_t size)
{
	while (size--)
		fputc('x', out);
}

static int read_back(FILE *out, struct ep_reader_stats *out_stats)
{
	static const struct ep_reader_ops ops = { .block = take_block };
	struct ep_error err;
	int rc;

	fclose(out);
	n_taken = 0;
	*out_stats = (struct ep_reader_stats){ 0 };
	rc = ep_reader_run(path, &ops, NULL, out_stats, &err);
	unlink(path);
	return rc;
}

/* The member's first bytes on every side of the window's border, and of the next one. */
TEST(a_member_behind_rubbish_is_found_wherever_it_begins)
{
	for (int n_windows = 1; n_windows <= 2; n_windows++)
		for (int before = -2; before <= 20; before++) {
			size_t n_rubbish = (size_t)n_windows * WINDOW_BYTES - (size_t)before;
			FILE *out = start_file();
			struct ep_reader_stats stats;

			put_rubbish(out, n_rubbish);
			put(out, member, member_bytes);
			put(out, ep_bgzf_eof, sizeof(ep_bgzf_eof));
			CHECK_INT(read_back(out, &stats), 0);
			CHECK_INT(n_taken, 1);
			CHECK_INT(last_member_at, n_rubbish);
			CHECK_INT(stats.damaged_bytes, n_rubbish);
			CHECK_INT(stats.n_damages, 1);
			CHECK_INT(stats.first_damage_at, 0);
			CHECK_INT(stats.cut_bytes, 0);
			CHECK(stats.ends_well);
		}
}

TEST(the_beginning_of_a_member_at_the_end_is_a_cut)
{
	for (size_t size = 1; size < member_bytes; size++) {
		FILE *out = start_file();
		struct ep_reader_stats stats;

		put(out, member, member_bytes);
		put(out, member, size);
		CHECK_INT(read_back(out, &stats), 0);
		CHECK_INT(n_taken, 1);
		CHECK_INT(stats.cut_bytes, size);
		CHECK_INT(stats.damaged_bytes, 0);
		CHECK(!stats.ends_well);
	}
}

TEST(rubbish_at_the_end_is_damage)
{
	FILE *out = start_file();
	struct ep_reader_stats stats;

	put(out, member, member_bytes);
	put_rubbish(out, 30);
	CHECK_INT(read_back(out, &stats), 0);
	CHECK_INT(stats.cut_bytes, 0);
	CHECK_INT(stats.damaged_bytes, 30);
	CHECK_INT(stats.first_damage_at, member_bytes);
	CHECK(!stats.ends_well);
}

TEST(damage_in_several_places_is_added_up)
{
	FILE *out = start_file();
	struct ep_reader_stats stats;

	put(out, member, member_bytes);
	put_rubbish(out, 5);
	put(out, member, member_bytes);
	put_rubbish(out, 7);
	put(out, member, member_bytes);
	put(out, ep_bgzf_eof, sizeof(ep_bgzf_eof));
	CHECK_INT(read_back(out, &stats), 0);
	CHECK_INT(n_taken, 3);
	CHECK_INT(stats.n_damages, 2);
	CHECK_INT(stats.damaged_bytes, 12);
	CHECK_INT(stats.first_damage_at, member_bytes);
	CHECK_INT(stats.n_members, 3);
	CHECK(stats.ends_well);
}

TEST(who_takes_blocks_may_stop)
{
	FILE *out = start_file();
	struct ep_reader_stats stats;

	put(out, member, member_bytes);
	put(out, member, member_bytes);
	refusal = -ECANCELED;
	CHECK_INT(read_back(out, &stats), -ECANCELED);
	CHECK_INT(n_taken, 1);
	refusal = 0;
}
