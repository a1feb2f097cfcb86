// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/pace.h"

#include <string.h>

/* Names begin so, behind a PMU's with "::". */
static const char *const names[][8] = {
	[EP_PACE_INSTRUCTIONS] = { "instructions", "INST_RETIRED", "RETIRED_INSTRUCTIONS",
		"PM_RUN_INST_CMPL", "PM_INST_CMPL" },
	[EP_PACE_CYCLES] = { "cycles", "cpu-cycles", "CPU_CLK_THREAD_UNHALTED", "CPU_CYCLES",
		"CYCLES_NOT_IN_HALT", "PM_RUN_CYC", "PM_CYC" },
};

static bool is_called(const struct ep_event_info *event, const char *beginning)
{
	const char *pmu = strstr(event->name, "::");

	return !strncmp(pmu ? pmu + 2 : event->name, beginning, strlen(beginning));
}

const struct ep_count_row *ep_pace_row(const struct ep_trace *trace,
	const struct ep_count_log *counts, uint32_t thread_idx, enum ep_pace_count what)
{
	for (const char *const *name = names[what]; *name; name++)
		for (uint32_t e = 0; e < trace->n_events; e++) {
			const struct ep_count_row *row = ep_count_log_row(counts, thread_idx, e);

			if (row && row->n_entries && is_called(&trace->events[e], *name))
				return row;
		}
	return NULL;
}

bool ep_pace_has_cycles(const struct ep_trace *trace, const struct ep_count_log *counts)
{
	bool has_cycles = false;

	for (uint32_t t = 0; t < counts->n_threads; t++) {
		if (!ep_pace_row(trace, counts, t, EP_PACE_INSTRUCTIONS))
			continue;
		if (!ep_pace_row(trace, counts, t, EP_PACE_CYCLES))
			return false;
		has_cycles = true;
	}
	return has_cycles;
}
