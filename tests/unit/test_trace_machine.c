// SPDX-License-Identifier: BSD-3-Clause
/* MACHINE blocks: what was known comes back, and only that. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/trace.h"

static uint8_t data[256];

static struct ep_wire empty_wire(void)
{
	return (struct ep_wire){ .data = data, .capacity_bytes = sizeof(data) };
}

static int decode(const struct ep_wire *wire, struct ep_machine_times *out)
{
	struct ep_block block;
	size_t at = 0;

	CHECK_INT(ep_block_next(wire->data, wire->size_bytes, &at, &block), 1);
	CHECK_INT(block.type, EP_BLOCK_MACHINE);
	return ep_machine_times_decode(&block, out);
}

TEST(what_is_known_comes_back)
{
	struct ep_machine_times times = { .time_us = 1234567,
		.is_known = { [EP_MACHINE_BUSY_US] = true, [EP_MACHINE_N_PERIODS] = true },
		.values = { [EP_MACHINE_BUSY_US] = 1ull << 50, [EP_MACHINE_STOLEN_US] = 7 } };
	struct ep_wire wire = empty_wire();
	struct ep_machine_times got;

	ep_machine_times_encode(&wire, (struct ep_process_key){ 1, 2 }, &times);
	CHECK_INT(decode(&wire, &got), 0);
	CHECK_INT(got.time_us, 1234567);
	CHECK_INT(got.values[EP_MACHINE_BUSY_US], 1ull << 50);
	CHECK(got.is_known[EP_MACHINE_N_PERIODS] && !got.is_known[EP_MACHINE_STOLEN_US]);
	CHECK_INT(got.values[EP_MACHINE_STOLEN_US], 0);
}

TEST(nothing_known_is_no_block)
{
	struct ep_machine_times times = { .time_us = 5 };
	struct ep_wire wire = empty_wire();

	ep_machine_times_encode(&wire, (struct ep_process_key){ 1, 2 }, &times);
	CHECK_INT(wire.size_bytes, 0);
}

/* Values of later versions are stepped over; a body cut, or with more in it, is refused. */
TEST(bodies)
{
	static const struct {
		uint8_t body[12];
		size_t size;
		int rc;
	} rows[] = {
		{ { 9, 2, 99, 5, 2, 7 }, 6, 0 },
		{ { 9, 0 }, 2, 0 },
		{ { 9, 2, 99, 5, 2 }, 5, -EBADMSG },
		{ { 9, 2, 99, 5 }, 4, -EBADMSG },
		{ { 9, 1, 2, 7, 0 }, 5, -EBADMSG },
		{ { 9, 0x80 }, 2, -EBADMSG },
		{ { 9 }, 1, -EBADMSG },
		{ { 0 }, 0, -EBADMSG },
		{ { 9, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, 7 }, 8, -EBADMSG },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_machine_times got = { 0 };
		struct ep_block block = {
			.type = EP_BLOCK_MACHINE, .body = rows[i].body, .size_bytes = rows[i].size
		};

		CHECK_MSG(ep_machine_times_decode(&block, &got) == rows[i].rc, "row %zu", i);
		CHECK_INT(got.values[EP_MACHINE_STOLEN_US], i ? 0 : 7);
	}
}
