// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/known_events.h"

#include <string.h>

#include "common/cleanup.h"

static const char *const names[][8] = {
	[EP_KNOWN_INSTRUCTIONS] = { "instructions", "INST_RETIRED", "RETIRED_INSTRUCTIONS",
		"PM_RUN_INST_CMPL", "PM_INST_CMPL" },
	[EP_KNOWN_CYCLES] = { "cycles", "cpu-cycles", "CPU_CLK_THREAD_UNHALTED", "CPU_CYCLES",
		"CYCLES_NOT_IN_HALT", "PM_RUN_CYC", "PM_CYC" },
};

const char *const *ep_known_event_names(enum ep_known_event what)
{
	return names[what];
}

bool ep_event_is_called(const struct ep_event_info *event, const char *beginning)
{
	const char *pmu = strstr(event->name, "::");

	return !strncmp(pmu ? pmu + 2 : event->name, beginning, strlen(beginning));
}

bool ep_event_counts_clock(const struct ep_event_info *event)
{
	static const char *const others[] = { ":REF", ":ONE_THREAD", ":RING0" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(others); i++)
		if (strcasestr(event->name, others[i]))
			return false;
	return true;
}
