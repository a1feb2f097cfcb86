// SPDX-License-Identifier: BSD-3-Clause
/* The accounts of a machine and of a control group, as kernels write them. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/os/sys.h"
#include "preload/recording/machine_times.h"

TEST(the_first_line_of_proc_stat)
{
	static const struct {
		const char *text;
		bool is_one, is_known;
		uint64_t busy_us, stolen_us;
	} rows[] = {
		{ "cpu  100 20 30 4000 50 1 2 7 9 9\ncpu0 1 2 3\n", true, true, 1600000, 70000 },
		{ "cpu 0 0 0 0 0 0 0 1\n", true, true, 10000, 10000 },
		{ "cpu  100 20 30 4000 50 1 2 0 0 0\n", true, false, 1530000,
			0 }, /* nothing ever taken */
		{ "cpu  100 20 30 4000 50 1 2\n", false, false, 0, 0 },
		{ "cpu0 100 20 30 4000 50 1 2 7 0 0\n", false, false, 0, 0 },
		{ "cpu  100 20 x 4000 50 1 2 7 0 0\n", false, false, 0, 0 },
		{ "", false, false, 0, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_machine_times times = { 0 };

		CHECK_MSG(ep_machine_times_parse_stat(rows[i].text, 100, &times) == rows[i].is_one,
			"\"%s\"", rows[i].text);
		CHECK_INT(times.is_known[EP_MACHINE_BUSY_US], rows[i].is_one);
		CHECK_INT(times.is_known[EP_MACHINE_STOLEN_US], rows[i].is_known);
		CHECK_INT(times.values[EP_MACHINE_BUSY_US], rows[i].busy_us);
		CHECK_INT(times.values[EP_MACHINE_STOLEN_US], rows[i].stolen_us);
	}
}

TEST(the_account_of_a_control_group)
{
	static const struct {
		const char *text;
		bool is_one;
		uint64_t n_periods, n_throttled, us;
	} rows[] = {
		{ "usage_usec 5\nuser_usec 4\nsystem_usec 1\nnr_periods 21\nnr_throttled 20\n"
		  "throttled_usec 991365\nnr_bursts 0\n",
			true, 21, 20, 991365 },
		{ "nr_periods 3\nnr_throttled 1\nthrottled_time 2500000\n", true, 3, 1, 2500 },
		{ "usage_usec 5\nuser_usec 4\nsystem_usec 1\n", false, 0, 0, 0 }, /* no limit */
		{ "core_sched.nr_periods 3\nnr_throttled 1\n", false, 0, 0, 0 },
		{ "nr_periods\nnr_throttled 1\n", false, 0, 0, 0 },
		{ "", false, 0, 0, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_machine_times times = { 0 };

		CHECK_MSG(ep_machine_times_parse_group(rows[i].text, &times) == rows[i].is_one,
			"\"%s\"", rows[i].text);
		CHECK_INT(times.is_known[EP_MACHINE_THROTTLED_US], rows[i].is_one);
		CHECK_INT(times.values[EP_MACHINE_N_PERIODS], rows[i].n_periods);
		CHECK_INT(times.values[EP_MACHINE_N_THROTTLED], rows[i].n_throttled);
		CHECK_INT(times.values[EP_MACHINE_THROTTLED_US], rows[i].us);
	}
}

/* This kernel's own line is one, too. */
TEST(this_machine)
{
	char text[512];
	struct ep_machine_times times = { 0 };

	if (ep_sys_read_file("/proc/stat", text, sizeof(text)) <= 0)
		SKIP("no /proc/stat");
	CHECK(ep_machine_times_parse_stat(text, 100, &times));
	CHECK(times.values[EP_MACHINE_BUSY_US] >= times.values[EP_MACHINE_STOLEN_US]);
}
