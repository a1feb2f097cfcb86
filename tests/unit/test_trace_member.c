// SPDX-License-Identifier: BSD-3-Clause
/* Members and the frames of blocks inside: whole, cut, damaged. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/trace.h"
#include "tests/trace/writer.h"

/* Some blocks in one member, of which a part is compressible; returns its size. */
static size_t pack_all(struct trace_writer *writer)
{
	uint8_t noise[3000];
	uint32_t seed = 12345;

	trace_writer_init(writer, NULL);
	writer->key = (struct ep_process_key){ 4242, 1234567890123 };
	trace_put_meta(writer, "host\tnode17\nperiod_ns\t1000000\n");
	for (int i = 0; i < 40; i++)
		trace_put_note(writer, "a line that stands here again and again");
	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 1664525 + 1013904223;
		noise[i] = (uint8_t)(seed >> 24);
	}
	trace_put_raw(writer, 1, 200, noise, sizeof(noise));
	return ep_packer_pack(
		writer->packer, writer->plain, writer->wire.size_bytes, writer->member);
}

TEST(what_was_packed_comes_back)
{
	static struct trace_writer writer;
	static uint8_t plain[EP_MEMBER_MAX_BYTES];
	size_t size = pack_all(&writer), got = 0;
	struct ep_inflater *inflater = ep_inflater_create();
	bool more;

	CHECK_INT(ep_member_size(writer.member, sizeof(writer.member), &more), size);
	CHECK_INT(ep_inflater_inflate(inflater, writer.member, size, plain, &got), 0);
	CHECK_INT(got, writer.wire.size_bytes);
	CHECK(!memcmp(plain, writer.plain, got));
	CHECK(size < got);
	ep_inflater_destroy(inflater);
	trace_writer_finish(&writer);
}

TEST(a_member_cut_at_any_byte_asks_for_more)
{
	static struct trace_writer writer;
	size_t size = pack_all(&writer);
	bool more;

	for (size_t n = 0; n < size; n++) {
		EP_AUTOFREE uint8_t *copy = malloc(n + 1);

		memcpy(copy, writer.member, n);
		CHECK_INT(ep_member_size(copy, n, &more), 0);
		CHECK(more);
	}
	writer.member[12] = 'X';
	CHECK_INT(ep_member_size(writer.member, size, &more), 0);
	CHECK(!more);
	trace_writer_finish(&writer);
}

/* A bit that deflate does not use may change; what comes out may not. */
static bool is_noticed(int rc, const uint8_t *plain, size_t got, const struct trace_writer *writer)
{
	if (rc)
		return rc == -EBADMSG;
	return got == writer->wire.size_bytes && !memcmp(plain, writer->plain, got);
}

TEST(a_member_with_a_changed_byte_gives_nothing_else)
{
	static struct trace_writer writer;
	static uint8_t plain[EP_MEMBER_MAX_BYTES];
	int n_refused = 0;
	size_t size = pack_all(&writer), got;
	struct ep_inflater *inflater = ep_inflater_create();

	for (size_t i = 18; i < size; i++) {
		writer.member[i] ^= 0x10;
		int rc = ep_inflater_inflate(inflater, writer.member, size, plain, &got);

		CHECK_MSG(is_noticed(rc, plain, got, &writer), "byte %zu changed unnoticed", i);
		n_refused += rc == -EBADMSG;
		writer.member[i] ^= 0x10;
	}
	CHECK_MSG(n_refused > (int)size / 2, "only %d refused", n_refused);
	CHECK_INT(ep_inflater_inflate(inflater, writer.member, size - 1, plain, &got), -EBADMSG);
	CHECK_INT(ep_inflater_inflate(inflater, writer.member, size, plain, &got), 0);
	ep_inflater_destroy(inflater);
	trace_writer_finish(&writer);
}

TEST(frames_say_what_is_wrong)
{
	static struct trace_writer writer;
	struct ep_block block;
	size_t at = 0;

	trace_writer_init(&writer, NULL);
	trace_put_raw(&writer, 1, 200, "abc", 3);
	CHECK_INT(ep_block_next(writer.plain, writer.wire.size_bytes, &at, &block), 1);
	CHECK_INT(block.type, 200);
	CHECK_INT(at, EP_BLOCK_HEADER_BYTES + 3);
	CHECK_INT(ep_block_next(writer.plain, at, &at, &block), 0);
	for (size_t n = 1; n < EP_BLOCK_HEADER_BYTES + 3; n++) {
		at = 0;
		CHECK_INT(ep_block_next(writer.plain, n, &at, &block), -EBADMSG);
	}
	at = 0;
	writer.plain[4] = 9;
	CHECK_INT(ep_block_next(writer.plain, 27, &at, &block), -EPROTONOSUPPORT);
	CHECK_INT(block.type, 9);
	writer.plain[0] = 'e';
	CHECK_INT(ep_block_next(writer.plain, 27, &at, &block), -EBADMSG);
	trace_writer_finish(&writer);
}
