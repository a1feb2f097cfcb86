// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/pace.h"

#include "reporter/load/known_events.h"

const struct ep_count_row *ep_pace_row(const struct ep_trace *trace,
	const struct ep_count_log *counts, uint32_t thread_idx, enum ep_known_event what)
{
	for (const char *const *name = ep_known_event_names(what); *name; name++)
		for (uint32_t e = 0; e < trace->n_events; e++) {
			const struct ep_count_row *row = ep_count_log_row(counts, thread_idx, e);

			if (row && row->n_entries && ep_event_is_called(&trace->events[e], *name))
				return row;
		}
	return NULL;
}

bool ep_pace_has_cycles(const struct ep_trace *trace, const struct ep_count_log *counts)
{
	bool has_cycles = false;

	for (uint32_t t = 0; t < counts->n_threads; t++) {
		if (!ep_pace_row(trace, counts, t, EP_KNOWN_INSTRUCTIONS))
			continue;
		if (!ep_pace_row(trace, counts, t, EP_KNOWN_CYCLES))
			return false;
		has_cycles = true;
	}
	return has_cycles;
}
