// SPDX-License-Identifier: BSD-3-Clause
/* A trace of several members, cut, changed and mixed with rubbish at any byte. */
#include "reporter/load/reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/trace/writer.h"
#include "tests/unit/test.h"

/* A trace of several members; the reader must give every whole one whatever happens to the others.
 */
static size_t write_members(uint8_t *out, size_t capacity)
{
	static struct trace_writer writer;
	FILE *file = fmemopen(out, capacity, "wb");
	size_t size;

	trace_writer_init(&writer, file);
	for (int i = 0; i < 5; i++) {
		writer.key = (struct ep_process_key){ i, i };
		trace_put_note(&writer, "hello");
		trace_flush(&writer);
	}
	trace_put_eof(&writer);
	size = ftell(file);
	fclose(file);
	writer.out = NULL;
	trace_writer_finish(&writer);
	return size;
}

static int count_block(void *context, const struct ep_block *block, uint64_t member_at)
{
	CHECK_INT(block->type, EP_BLOCK_NOTE);
	++*(int *)context;
	return 0;
}

/* Blocks read from these bytes, or -errno. */
static int read_bytes(const uint8_t *bytes, size_t size, struct ep_reader_stats *stats)
{
	static const struct ep_reader_ops ops = { .block = count_block };
	char path[] = "/tmp/evprof-members-XXXXXX";
	struct ep_error err;
	FILE *file;
	int n = 0, rc;

	file = fdopen(mkstemp(path), "wb");
	CHECK_INT(fwrite(bytes, 1, size, file), size);
	fclose(file);
	rc = ep_reader_run(path, &ops, &n, stats, &err);
	unlink(path);
	return rc ? rc : n;
}

TEST(a_cut_anywhere_leaves_the_whole_members)
{
	static uint8_t bytes[4096];
	size_t size = write_members(bytes, sizeof(bytes)), member = (size - 28) / 5;
	struct ep_reader_stats stats;

	for (size_t n = 1; n < size; n++) {
		int whole = n / member > 5 ? 5 : (int)(n / member);
		int got = read_bytes(bytes, n, &stats);

		CHECK_INT(got, whole ? whole : -EBADMSG);
		if (got > 0) {
			CHECK_INT(stats.cut_bytes, n - whole * member);
			CHECK_INT(stats.n_damages, 0);
			CHECK(!stats.ends_well);
		}
	}
	CHECK_INT(read_bytes(bytes, size, &stats), 5);
	CHECK(stats.ends_well);
}

TEST(a_changed_byte_costs_one_member_and_is_accounted_for)
{
	static uint8_t bytes[4096];
	size_t size = write_members(bytes, sizeof(bytes)), member = (size - 28) / 5;
	struct ep_reader_stats stats;
	int n_lost = 0;

	for (size_t at = 0; at < 5 * member; at++) {
		bytes[at] ^= 0xff;
		int got = read_bytes(bytes, size, &stats);

		CHECK_MSG(got >= 4, "byte %zu: %d", at, got);
		CHECK_INT(stats.damaged_bytes, (5 - got) * member);
		n_lost += 5 - got;
		bytes[at] ^= 0xff;
	}
	CHECK_MSG(n_lost > (int)(4 * member), "only %d lost", n_lost);
}

TEST(rubbish_between_members_is_stepped_over)
{
	static uint8_t bytes[8192], mixed[8192];
	size_t size = write_members(bytes, sizeof(bytes)), member = (size - 28) / 5;
	struct ep_reader_stats stats;

	for (size_t n = 1; n < 300; n += 7) {
		memcpy(mixed, bytes, 2 * member);
		for (size_t i = 0; i < n; i++)
			mixed[2 * member + i] = (uint8_t)(i * 31 + n % 3 * 0x1f);
		memcpy(mixed + 2 * member + n, bytes + 2 * member, size - 2 * member);
		CHECK_INT(read_bytes(mixed, size + n, &stats), 5);
		CHECK_INT(stats.damaged_bytes, n);
		CHECK_INT(stats.n_damages, 1);
		CHECK_INT(stats.first_damage_at, 2 * member);
	}
}
