// SPDX-License-Identifier: BSD-3-Clause
/* The simulated PMU's setting, its options in any order. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "counters/sim_setting.h"

TEST(options)
{
	static const struct {
		const char *source, *path;
		uint32_t n_counters;
		const char *cpuid;
	} rows[] = {
		{ "sim:t.csv", "t.csv", 4, "" },
		{ "sim:/a,b/t.csv.gz,counters=8", "/a,b/t.csv.gz", 8, "" },
		{ "sim:t.csv,cpuid=GenuineIntel-6-55", "t.csv", 4, "GenuineIntel-6-55" },
		{ "sim:t.csv,cpuid=arm-0x41-0xd40,counters=6", "t.csv", 6, "arm-0x41-0xd40" },
		{ "sim:t.csv,counters=32,cpuid=power-0x004e", "t.csv", 32, "power-0x004e" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_sim_setting sim;
		struct ep_error err = { 0 };

		CHECK_MSG(!ep_sim_setting_read(rows[i].source, &sim, &err), "%s", err.message);
		CHECK_STR(sim.path, rows[i].path);
		CHECK_INT(sim.n_counters, rows[i].n_counters);
		CHECK_STR(sim.cpuid, rows[i].cpuid);
	}
}

TEST(what_cannot_be)
{
	static const char *const sources[] = { "sim", "sim:", "sim:,counters=2", "sim:t,counters=0",
		"sim:t,counters=33", "sim:t,counters=x",
		"sim:t,cpuid=01234567890123456789012345678901234567890123456789012345678901234" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(sources); i++) {
		struct ep_sim_setting sim;
		struct ep_error err = { 0 };

		CHECK_INT(ep_sim_setting_read(sources[i], &sim, &err), -EINVAL);
		CHECK_MSG(strstr(err.message, "cpuid=CPU"), "%s", err.message);
	}
}
