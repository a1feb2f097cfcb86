// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/load/known_events.h"

static bool is_known(enum ep_known_event what, const char *name)
{
	struct ep_event_info event = { .name = name };

	for (const char *const *beginning = ep_known_event_names(what); *beginning; beginning++)
		if (ep_event_is_called(&event, *beginning))
			return true;
	return false;
}

TEST(names_of_one_event_on_many_cpus)
{
	static const struct {
		const char *name;
		bool counts_cycles, counts_clock, counts_instructions;
	} rows[] = {
		{ "cycles", true, true, false },
		{ "cpu-cycles", true, true, false },
		{ "spr::CPU_CLK_THREAD_UNHALTED:THREAD_P", true, true, false },
		{ "skl::CPU_CLK_THREAD_UNHALTED:REF_XCLK", true, false, false },
		{ "skl::CPU_CLK_THREAD_UNHALTED:ONE_THREAD_ACTIVE", true, false, false },
		{ "CPU_CLK_THREAD_UNHALTED:RING0_TRANS", true, false, false },
		{ "amd64_fam19h_zen4::CYCLES_NOT_IN_HALT", true, true, false },
		{ "PM_RUN_CYC", true, true, false },
		{ "pwr9::PM_RUN_INST_CMPL", false, false, true },
		{ "INST_RETIRED:ANY_P", false, false, true },
		{ "instructions", false, false, true },
		{ "stalled-cycles-frontend", false, false, false },
		{ "page-faults", false, false, false },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_event_info event = { .name = rows[i].name };

		CHECK_INT(is_known(EP_KNOWN_CYCLES, rows[i].name), rows[i].counts_cycles);
		CHECK_INT(is_known(EP_KNOWN_CYCLES, rows[i].name) && ep_event_counts_clock(&event),
			rows[i].counts_clock);
		CHECK_INT(
			is_known(EP_KNOWN_INSTRUCTIONS, rows[i].name), rows[i].counts_instructions);
	}
}
