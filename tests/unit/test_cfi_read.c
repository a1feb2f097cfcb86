// SPDX-License-Identifier: BSD-3-Clause
/* Call frame information as bytes: numbers, encodings, the sorted table, entries that make no
 * sense. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "preload/unwind/cfi_read.h"

static struct ep_cfi_cursor cursor_of(const uint8_t *bytes, size_t size)
{
	return (struct ep_cfi_cursor){ bytes, bytes + size, false };
}

TEST(numbers_are_dwarfs)
{
	/* DWARF 5, 7.6: figures 22 and 23 */
	static const struct {
		uint8_t bytes[3];
		uint64_t unsigned_value;
		int64_t signed_value;
	} rows[] = {
		{ { 2 }, 2, 2 },
		{ { 127 }, 127, -1 },
		{ { 0x80, 1 }, 128, 128 },
		{ { 0xe5, 0x8e, 0x26 }, 624485, 624485 },
		{ { 0x7e }, 126, -2 },
		{ { 0xff, 0x7e }, 16255, -129 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_cfi_cursor c = cursor_of(rows[i].bytes, 3);

		CHECK_INT(ep_cfi_take_uleb(&c), rows[i].unsigned_value);
		c = cursor_of(rows[i].bytes, 3);
		CHECK_INT(ep_cfi_take_sleb(&c), rows[i].signed_value);
	}
}

TEST(nothing_is_read_behind_the_end)
{
	static const uint8_t bytes[] = { 0xff, 0xff, 0xff };
	struct ep_cfi_cursor c = cursor_of(bytes, 3);

	CHECK_INT(ep_cfi_take_bytes(&c, 4), 0);
	CHECK(c.bad && c.at == c.end);
	c = cursor_of(bytes, 3);
	ep_cfi_take_uleb(&c);
	CHECK(c.bad && c.at == c.end);
	c = cursor_of(bytes, 0);
	CHECK_INT(ep_cfi_take_sleb(&c), 0);
	CHECK(c.bad);
}

TEST(encoded_pointers_are_relative_to_what_they_say)
{
	static const uint8_t four[] = { 0xfc, 0xff, 0xff, 0xff };
	struct ep_cfi_cursor c = cursor_of(four, 4);

	CHECK_INT(ep_cfi_take_encoded(&c, 0x03, 0), 0xfffffffc); /* udata4 */
	c = cursor_of(four, 4);
	CHECK_INT(ep_cfi_take_encoded(&c, 0x0b, 0), -4); /* sdata4 */
	c = cursor_of(four, 4);
	CHECK_INT(ep_cfi_take_encoded(&c, 0x1b, 0), (long long)(uint64_t)four - 4); /* pcrel */
	c = cursor_of(four, 4);
	CHECK_INT(ep_cfi_take_encoded(&c, 0x3b, 1000), 996); /* datarel */
	c = cursor_of(four, 4);
	ep_cfi_take_encoded(&c, 0x0d, 0); /* no such form */
	CHECK(c.bad);
}

/* .eh_frame_hdr: version, three encodings, a pointer, the count, pairs of offsets from the header.
 */
struct header {
	uint8_t version, encodings[3];
	int32_t eh_frame;
	uint32_t n_entries;
	int32_t entries[4][2];
};

/* Where the entry is, from the header; -1: none. */
static int64_t search(const struct header *header, int64_t pc)
{
	uint64_t base = (uint64_t)header;
	const uint8_t *entry =
		ep_cfi_search(base + (uint64_t)pc, (const uint8_t *)header, base + sizeof(*header));

	return entry ? (int64_t)((uint64_t)entry - base) : -1;
}

TEST(the_table_is_searched)
{
	static struct header header = { 1, { 0x1b, 0x03, 0x3b }, 0, 4,
		{ { 100, 1000 }, { 200, 1100 }, { 300, 1200 }, { 400, 1300 } } };

	CHECK_INT(search(&header, 99), -1);
	CHECK_INT(search(&header, 100), 1000);
	CHECK_INT(search(&header, 299), 1100);
	CHECK_INT(search(&header, 300), 1200);
	CHECK_INT(search(&header, 100000), 1300);
	header.n_entries = 5; /* more than there are bytes for */
	CHECK_INT(search(&header, 100), -1);
	header.n_entries = 0;
	CHECK_INT(search(&header, 100), -1);
	header.n_entries = 4;
	header.version = 2;
	CHECK_INT(search(&header, 100), -1);
}

TEST(entries_outside_or_without_sense_are_refused)
{
	static uint8_t bytes[64];
	uint64_t low = (uint64_t)bytes, high = low + sizeof(bytes);
	struct ep_cfi_cie cie;
	struct ep_cfi_fde fde;

	CHECK(!ep_cfi_parse((const uint8_t *)(low - 8), low, high, &cie, &fde));
	CHECK(!ep_cfi_parse((const uint8_t *)(high - 2), low, high, &cie, &fde));
	CHECK(!ep_cfi_parse(bytes, low, high, &cie, &fde)); /* length 0: the end mark */
	bytes[0] = 0x7f;                                    /* longer than what is there */
	CHECK(!ep_cfi_parse(bytes, low, high, &cie, &fde));
	bytes[0] = 20;
	bytes[4] = 0x40; /* its CIE would begin before the tables */
	CHECK(!ep_cfi_parse(bytes, low, high, &cie, &fde));
}
