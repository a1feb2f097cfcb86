// SPDX-License-Identifier: BSD-3-Clause
/* Code made at run time: the block that tells of it, and what lay where last. */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>

#include "common/trace_made_code.h"
#include "reporter/load/made_codes.h"

static uint8_t bytes[4096];
static struct ep_wire wire;

static void begin(void)
{
	wire = (struct ep_wire){ bytes, 0, sizeof(bytes), false };
}

static struct ep_block end(void)
{
	return (struct ep_block){
		.type = EP_BLOCK_MADE_CODE, .body = bytes, .size_bytes = wire.size_bytes
	};
}

/* shift: what the writer adds to the addresses of its lines, which are of the code's first and 17th byte. */
static void put_load(uint64_t start, uint64_t size, const char *name, uint64_t shift)
{
	uint8_t text[64];
	struct ep_wire lines = { text, 0, sizeof(text), false };
	struct ep_made_code code = { .kind = EP_MADE_LOAD,
		.time_us = 3,
		.start = start,
		.size_bytes = size,
		.name = name,
		.name_size = strlen(name),
		.lines = text };

	ep_made_line_put(&lines, &(struct ep_made_line){ start + 16 + shift, 8, "a.c", 3 }, start);
	ep_made_line_put(
		&lines, &(struct ep_made_line){ start + shift, 7, "b.c", 3 }, start + 16 + shift);
	code.lines_size = lines.size_bytes;
	ep_made_code_put(&wire, &code);
}

static void put_move(uint64_t old_start, uint64_t start)
{
	ep_made_code_put(&wire, &(struct ep_made_code){ .kind = EP_MADE_MOVE,
					.start = start,
					.old_start = old_start,
					.size_bytes = 32 });
}

static const char *name_at(struct ep_made_codes *codes, uint64_t address)
{
	const struct ep_made_row *row = ep_made_codes_find(codes, address);

	return row ? row->name : "none";
}

static uint32_t line_at(struct ep_made_codes *codes, uint64_t address)
{
	const struct ep_made_row *row = ep_made_codes_find(codes, address);
	const struct ep_made_place *line = row ? ep_made_codes_line(codes, row, address) : NULL;

	return line ? line->line : 0;
}

TEST(records_come_back)
{
	struct ep_made_line line = { .address = 0x1000 };
	struct ep_made_code code;
	struct ep_block block;
	size_t at = 0, line_at = 0;

	begin();
	put_load(0x1000, 32, "first", 0);
	put_move(0x1000, 0x2000);
	block = end();
	CHECK_INT(ep_made_code_next(&block, &at, &code), 1);
	CHECK_INT(code.kind, EP_MADE_LOAD);
	CHECK_INT(code.time_us, 3);
	CHECK_INT(code.start, 0x1000);
	CHECK(code.name_size == 5 && !memcmp(code.name, "first", 5));
	CHECK_INT(ep_made_line_next(&code, &line_at, &line), 1);
	CHECK_INT(line.address, 0x1010);
	CHECK_INT(line.line, 8);
	CHECK_INT(ep_made_line_next(&code, &line_at, &line), 1);
	CHECK_INT(line.address, 0x1000);
	CHECK_INT(ep_made_line_next(&code, &line_at, &line), 0);
	CHECK_INT(ep_made_code_next(&block, &at, &code), 1);
	CHECK_INT(code.kind, EP_MADE_MOVE);
	CHECK_INT(code.old_start, 0x1000);
	CHECK_INT(ep_made_code_next(&block, &at, &code), 0);
	for (size_t size = 1; size < wire.size_bytes; size++) {
		int rc = 1;

		block.size_bytes = size;
		at = 0;
		while (rc == 1)
			rc = ep_made_code_next(&block, &at, &code);
		CHECK(rc == -EBADMSG || !rc);
	}
	bytes[0] = EP_N_MADE_KINDS;
	at = 0;
	CHECK_INT(ep_made_code_next(&block, &at, &code), -EBADMSG);
}

TEST(the_last_code_at_an_address_names_it)
{
	struct ep_made_codes codes = { 0 };
	struct ep_strings strings = { 0 };
	struct ep_block block;

	CHECK_STR(name_at(&codes, 0x1000), "none");
	begin();
	put_load(0x1000, 0x100, "large", 0);
	put_load(0x1020, 0x20, "small, later", 0);
	put_load(0x5000, 0x20, "to be moved", 0);
	put_load(0x6000, 0, "nothing", 0);
	put_move(0x5000, 0x7000);
	put_move(0x8000, 0x9000); /* never loaded */
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	CHECK_STR(name_at(&codes, 0xfff), "none");
	CHECK_STR(name_at(&codes, 0x1000), "large");
	CHECK_STR(name_at(&codes, 0x1020), "small, later");
	CHECK_STR(name_at(&codes, 0x1040), "large");
	CHECK_STR(name_at(&codes, 0x1100), "none");
	CHECK_STR(name_at(&codes, 0x6000), "none");
	CHECK_STR(name_at(&codes, 0x7010), "to be moved");
	CHECK_INT(line_at(&codes, 0x7010), 8);
	CHECK_STR(name_at(&codes, 0x9000), "none");
	begin();
	put_load(0x1000, 0x40, "of a later block", 0);
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	CHECK_STR(name_at(&codes, 0x1020), "of a later block");
	CHECK_STR(name_at(&codes, 0x1040), "large");
	begin();
	put_load(0x500, 0x10, "below", 0);
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	CHECK_STR(name_at(&codes, 0x500), "below");
	begin();
	put_move(0x8000, 0x9000);
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	CHECK_STR(name_at(&codes, 0x500), "below");
	CHECK_STR(name_at(&codes, 0x7010), "to be moved");
	ep_made_codes_finish(&codes);
	ep_strings_finish(&strings);
}

static void put_load_at(uint64_t time_us, uint64_t start, uint64_t size, const char *name)
{
	ep_made_code_put(&wire, &(struct ep_made_code){ .kind = EP_MADE_LOAD,
					.time_us = time_us,
					.start = start,
					.size_bytes = size,
					.name = name,
					.name_size = strlen(name) });
}

static const char *name_then(struct ep_made_codes *codes, uint64_t address, uint64_t time_us)
{
	return name_at(codes,
		ep_made_path_address(address, ep_made_codes_n_later(codes, address, time_us)));
}

TEST(the_moment_chooses_among_codes_of_one_address)
{
	struct ep_made_codes codes = { 0 };
	struct ep_strings strings = { 0 };
	struct ep_block block;

	begin();
	put_load_at(100, 0x1000, 0x40, "first");
	put_load_at(200, 0x1020, 0x40, "second");
	ep_made_code_put(&wire, &(struct ep_made_code){ .kind = EP_MADE_MOVE,
					.time_us = 300,
					.start = 0x1010,
					.old_start = 0x1000,
					.size_bytes = 0x40 });
	put_load_at(0, 0x2000, 0x40, "at no moment");
	put_load_at(0, 0x2000, 0x40, "at none either");
	put_load_at(400, 0x3000, 0x40, "again");
	put_load_at(500, 0x3000, 0x40, "again");
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	CHECK_STR(name_then(&codes, 0x1000, 0), "first"); /* its record came late */
	CHECK_STR(name_then(&codes, 0x1030, 199), "first");
	CHECK_STR(name_then(&codes, 0x1030, 200), "second");
	CHECK_STR(name_then(&codes, 0x1030, 299), "second");
	CHECK_STR(name_then(&codes, 0x1030, 300), "first");
	CHECK_STR(name_then(&codes, 0x1055, 300), "second"); /* behind the code that moved */
	CHECK_STR(name_at(&codes, 0x1030), "first");
	CHECK_STR(name_at(&codes, ep_made_path_address(0x1030, 9)), "first");
	CHECK_INT(ep_made_address(ep_made_path_address(0x1030, 63)), 0x1030);
	CHECK_INT(ep_made_address(0xffffffffff600000), 0xffffffffff600000); /* the kernel's stay */
	CHECK_INT(ep_made_codes_n_later(&codes, 0x1030, 250), 1);
	CHECK_INT(ep_made_codes_n_later(&codes, 0x1030, 150), 2);
	CHECK_INT(ep_made_codes_n_later(&codes, 0x2000, 150), 0);
	CHECK_STR(name_then(&codes, 0x2000, 150), "at none either");
	CHECK(ep_made_codes_are_replaced(&codes, 0x1030));
	CHECK(!ep_made_codes_are_replaced(&codes, 0x1000)); /* the end of the first is 0x1040 */
	CHECK(!ep_made_codes_are_replaced(&codes, 0x2000));
	CHECK(!ep_made_codes_are_replaced(&codes, 0x3000));
	CHECK(!ep_made_codes_are_replaced(&codes, 0x4000));
	ep_made_codes_finish(&codes);
	ep_strings_finish(&strings);
}

/* Codes of one name at one address, below one that is as wide as all memory. Each path and each sample asks. */
TEST(many_codes_at_one_address_are_found_at_once)
{
	enum { N_CODES = 100000, N_ASKED = 10000, N_OF_BLOCK = 100 };
	struct ep_made_codes codes = { 0 };
	struct ep_strings strings = { 0 };
	struct ep_block block;
	uint32_t n_right = 0;

	for (uint64_t i = 0; i < N_CODES; i += N_OF_BLOCK) {
		begin();
		if (!i)
			put_load_at(1, 16, UINT64_MAX / 256, "wide");
		for (uint64_t n = 0; n < N_OF_BLOCK; n++)
			put_load_at(10 + i + n, 0x1000, 0x40, "again");
		block = end();
		CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	}
	for (uint64_t i = 0; i < N_ASKED; i++)
		n_right += !ep_made_codes_are_replaced(&codes, 0x1020) &&
			   ep_made_codes_n_later(&codes, 0x1020, 9 + N_CODES - 10) == 10 &&
			   ep_made_codes_n_later(&codes, 0x1020, 2) == EP_MADE_MOST_LATER &&
			   !strcmp(name_at(&codes, 0x1020), "again") &&
			   !strcmp(name_at(&codes, 0x1040 + i), "wide");
	CHECK_INT(n_right, N_ASKED);
	CHECK_STR(name_at(&codes, 15), "none");
	CHECK_STR(name_at(&codes, 16 + UINT64_MAX / 256), "none");
	ep_made_codes_finish(&codes);
	ep_strings_finish(&strings);
}

/* The name of the code that was there, found by a look at each. */
static uint64_t look_at_each(
	const uint64_t *start, const uint64_t *size, uint64_t n, uint64_t address, uint32_t n_later)
{
	uint64_t found = 0;

	while (n-- > 0) {
		if (address - start[n] >= size[n])
			continue;
		found = n + 1;
		if (!n_later--)
			break;
	}
	return found;
}

TEST(codes_that_overlap_are_found_as_by_a_look_at_each)
{
	enum { N_CODES = 60, N_ADDRESSES = 200 };
	uint64_t start[N_CODES], size[N_CODES], random = 1;
	struct ep_made_codes codes = { 0 };
	struct ep_strings strings = { 0 };
	struct ep_block block;
	uint32_t n_wrong = 0;
	char name[8];

	begin();
	for (uint64_t i = 0; i < N_CODES; i++) {
		random = ep_hash_mix(random, i);
		start[i] = 1 + random % N_ADDRESSES;
		size[i] = (random >> 32) % (i % 2 ? 10 : N_ADDRESSES);
		snprintf(name, sizeof(name), "%d", (int)i + 1);
		put_load_at(1 + i, start[i], size[i], name);
	}
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	for (uint64_t address = 1; address <= 2 * N_ADDRESSES; address++)
		for (uint32_t n_later = 0; n_later <= EP_MADE_MOST_LATER; n_later++) {
			const char *got = name_at(&codes, ep_made_path_address(address, n_later));
			uint64_t wanted = look_at_each(start, size, N_CODES, address, n_later);

			n_wrong += wanted != strtoull(got, NULL, 10);
		}
	CHECK_INT(n_wrong, 0);
	ep_made_codes_finish(&codes);
	ep_strings_finish(&strings);
}

/* V8 counts from before an ELF header, and its first compiler counts bytecode. */
TEST(lines_are_found_by_address)
{
	struct ep_made_codes codes = { 0 };
	struct ep_strings strings = { 0 };
	struct ep_block block;

	begin();
	put_load(0x1000, 32, "LWork;sum(I)J", 0);
	put_load(0x2000, 32, "JS:*sum work.js:1:1", 64);
	put_load(0x3000, 32, "JS:^sum work.js:1:1", 64);
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), 0);
	CHECK_INT(line_at(&codes, 0x1000), 7);
	CHECK_INT(line_at(&codes, 0x100f), 7);
	CHECK_INT(line_at(&codes, 0x1010), 8);
	CHECK_INT(line_at(&codes, 0x2000), 7);
	CHECK_INT(line_at(&codes, 0x201f), 8);
	CHECK_INT(line_at(&codes, 0x3010), 0);
	ep_made_codes_finish(&codes);
	ep_strings_finish(&strings);
}

TEST(code_that_cannot_be_is_refused)
{
	struct ep_made_codes codes = { 0 };
	struct ep_strings strings = { 0 };
	struct ep_block block;

	begin();
	put_load(UINT64_MAX - 3, 32, "wraps around", 0);
	block = end();
	CHECK_INT(ep_made_codes_take(&codes, &strings, &block), -EBADMSG);
	ep_made_codes_finish(&codes);
	ep_strings_finish(&strings);
}
