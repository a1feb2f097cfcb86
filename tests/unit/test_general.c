// SPDX-License-Identifier: BSD-3-Clause
/* How many counters a program gets, on PMUs that are not here. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/pmu_named.h"

#include "counters/plan/general.c"

TEST(general_counters)
{
	static const struct {
		const char *what;
		uint32_t n_counters; /* of the PMU */
		bool has_no_fixed, has_watchdog;
		uint32_t n_taken;
		unsigned n_most; /* of the CPU's table */
		const char *fixed;
		unsigned expected;
	} rows[] = {
		{ "Ice Lake", 8, false, false, 0, 8, "cycles,instructions", 8 },
		{ "the watchdog has its cycles", 8, false, true, 0, 8, "cycles,instructions", 7 },
		{ "the watchdog does not matter where nobody counts cycles", 8, false, true, 0, 8,
			"", 8 },
		{ "Skylake, two threads a core", 4, false, false, 0, 8, "cycles,instructions", 4 },
		{ "Skylake, one", 8, false, false, 0, 8, "cycles,instructions", 8 },
		{ "Skylake, one, beside a watchdog", 8, false, true, 0, 8, "cycles,instructions",
			7 },
		{ "Zen", 6, true, false, 0, 6, "", 6 },
		{ "Zen, beside a watchdog", 6, true, false, 1, 6, "", 5 },
		{ "a virtual machine with two", 2, false, false, 0, 8, "cycles,instructions", 2 },
		{ "no name that is known", 8, false, false, 0, 8, "no-such-event", 8 },
		{ "a table with more than a group holds", 40, false, false, 0, 40, "cycles", 31 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		unsigned n;

		memset(&pmu, 0, sizeof(pmu));
		pmu.n_counters = rows[i].n_counters;
		pmu.has_no_fixed = rows[i].has_no_fixed;
		pmu.has_watchdog = rows[i].has_watchdog;
		pmu.n_taken = rows[i].n_taken;
		n = ep_general_counters(rows[i].n_most, rows[i].fixed);
		CHECK_MSG(n == rows[i].expected, "%s: %u counters, expected %u", rows[i].what, n,
			rows[i].expected);
		CHECK_INT(pmu.n_open, 0);
	}
}

TEST(a_pmu_that_is_taken_has_none)
{
	memset(&pmu, 0, sizeof(pmu));
	pmu.n_counters = 4;
	pmu.is_taken = true;
	CHECK_INT(ep_general_counters(4, "cycles,instructions"), 0);
	CHECK_INT(pmu.n_open, 0);
}
