// SPDX-License-Identifier: BSD-3-Clause
/* Times in which one thread ran alone. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/load/latency_private.h"
#include "reporter/load/serial_parts.h"

#define MS 1000ull

static struct ep_latency *latency;

/* One thread runs between the two times, in slices of 1 ms. */
static void see(uint64_t from_ms, uint64_t to_ms, uint32_t path_idx)
{
	for (uint64_t at = from_ms; at < to_ms; at++) {
		struct ep_latency_slice slice = { at * MS, (at + 1) * MS, MS, path_idx, false,
			ep_hash_mix(path_idx, at) };

		CHECK_INT(ep_latency_see_running(&latency, &slice), 0);
		CHECK_INT(ep_latency_see_path(&latency, &slice), 0);
	}
}

static void end(void)
{
	ep_latency_destroy(latency);
	latency = NULL;
}

static void check_part(const struct ep_serial_part *part, uint64_t from_ms, uint64_t to_ms)
{
	CHECK_CLOSE(part->from_us, from_ms * MS, 64);
	CHECK_CLOSE(part->to_us, to_ms * MS, 64);
}

TEST(the_longest_come_first)
{
	struct ep_serial_part parts[3];
	double us[4] = { 0 };

	see(0, 300, 0); /* alone, then beside another, alone, and nobody, alone */
	see(300, 500, 1);
	see(300, 900, 2);
	see(1000, 1100, 3);
	CHECK_INT(ep_serial_parts(latency, 10000, parts, 3), 3);
	check_part(&parts[0], 500, 900);
	check_part(&parts[1], 0, 300);
	check_part(&parts[2], 1000, 1100);
	CHECK_CLOSE(parts[0].alone_us, 400 * MS, 128);
	CHECK_INT(ep_serial_part_paths(latency, &parts[0], us), 400);
	CHECK_CLOSE(us[2], 400 * MS, 128);
	CHECK_CLOSE(us[0] + us[1] + us[3], 0, 128);
	CHECK_INT(ep_serial_parts(latency, 200000, parts, 3), 2);
	CHECK_INT(ep_serial_parts(latency, 10000, parts, 1), 1);
	check_part(&parts[0], 500, 900);
	end();
}

TEST(moments_do_not_end_a_part)
{
	struct ep_serial_part parts[3];

	see(0, 100, 0);
	see(101, 300, 0); /* nobody for a moment */
	see(200, 201, 1); /* two for a moment */
	CHECK_INT(ep_serial_parts(latency, 10000, parts, 3), 1);
	check_part(&parts[0], 0, 300);
	CHECK_CLOSE(parts[0].alone_us, 298 * MS, 256);
	end();
}

TEST(no_part)
{
	struct ep_serial_part parts[3];

	CHECK_INT(ep_serial_parts(NULL, 0, parts, 3), 0);
	see(0, 300, 0);
	see(0, 300, 1);
	CHECK_INT(ep_serial_parts(latency, 1000, parts, 3), 0);
	end();
}

/* Another thread has a fifth of a CPU all the time. */
TEST(one_beside_another_that_runs_now_and_then)
{
	struct ep_latency_slice slice = { 0, 300 * MS, 60 * MS, 1, false, 1 };
	struct ep_serial_part parts[3];

	see(0, 300, 0);
	CHECK_INT(ep_latency_see_running(&latency, &slice), 0);
	CHECK_INT(ep_serial_parts(latency, 1000, parts, 3), 0);
	end();
}

/* A run that is longer than all bins were at first has wider ones. */
TEST(a_long_run)
{
	struct ep_serial_part parts[3];
	struct ep_latency_slice slice = { 0, 40000 * MS, 40000 * MS, 0, false, 1 };

	CHECK_INT(ep_latency_see_running(&latency, &slice), 0);
	slice.from_us = 20000 * MS;
	CHECK_INT(ep_latency_see_running(&latency, &slice), 0);
	CHECK_INT(ep_serial_parts(latency, 1e6, parts, 3), 1);
	CHECK_CLOSE(parts[0].to_us, 20000 * MS, 1024);
	end();
}
