// SPDX-License-Identifier: BSD-3-Clause
/* Slices far too long for their period: by a system call, or not. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/os/system_time.h"

#define MS 1000000ull

TEST(a_system_call_explains_a_long_slice)
{
	static const struct {
		uint64_t slice_ns, period_ns, system_us;
		bool is_short;
	} rows[] = {
		{ 1 * MS, 1 * MS, 0, false },
		{ 21 * MS, 1 * MS, 0, false }, /* two ticks may have missed it */
		{ 22 * MS, 1 * MS, 0, true },
		{ 22 * MS, 1 * MS, 10000, true },
		{ 22 * MS, 1 * MS, 10500, false },
		{ 1001 * MS, 1 * MS, 40000, true },
		{ 1001 * MS, 1 * MS, 990000, false },
		{ 30 * MS, 10 * MS, 0, false },
		{ 30 * MS, 1000 * MS, 0, false },
		{ 1100 * MS, 1000 * MS, 0, true },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK(ep_system_time_is_short(rows[i].slice_ns, rows[i].period_ns,
			      rows[i].system_us) == rows[i].is_short);
}

TEST(of_this_thread)
{
	struct rusage usage = { .ru_stime = { 3, 21 }, .ru_utime = { 5, 7 } };
	uint64_t before_us = ep_system_time_us();

	CHECK_INT(ep_system_time_of(&usage), 3000021);
	CHECK(ep_system_time_us() >= before_us);
}
