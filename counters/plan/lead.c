// SPDX-License-Identifier: BSD-3-Clause
/* Orders the events in a group. Runs while a process starts. */
#include "lead.h"

#include <string.h>

#include "common/cleanup.h"
#include "counters/events/perf_sysfs.h"

void ep_lead_find(const char *root, struct ep_lead *out)
{
	static const char *const names[] = { "cpu/slots/", "cpu_core/slots/" };
	struct ep_error err;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; !out->has_slots && i < EP_ARRAY_SIZE(names); i++)
		out->has_slots = !ep_perf_sysfs_encode(root, names[i], &out->slots, &err);
}

/* Tells whether a code is a field of Intel's PERF_METRICS: event select 0 with a unit mask from 0x80 to 0x87, one for
 * each field. */
static bool is_perf_metrics(uint64_t config)
{
	return (config & ~0x700ull) == 0x8000;
}

uint32_t ep_lead_flags(const struct ep_lead *lead, const struct ep_event *event)
{
	if (!lead->has_slots || event->type != lead->slots.type)
		return 0;
	if (event->config == lead->slots.config)
		return EP_EVENT_LEADS;
	return is_perf_metrics(event->config) ? EP_EVENT_LED : 0;
}

uint32_t ep_lead_order(const struct ep_plan *plan, const bool *is_listed, uint8_t *out_events)
{
	static const struct {
		uint32_t mask, flags;
		bool is_listed;
	} turns[] = {
		{ EP_EVENT_LEADS, EP_EVENT_LEADS, true },
		{ EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE, EP_EVENT_ALWAYS, false },
		{ EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE, EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE, false },
	};
	uint32_t n = 0;

	for (size_t t = 0; t < EP_ARRAY_SIZE(turns); t++)
		for (uint32_t i = 0; i < plan->n_events; i++)
			if ((plan->events[i].flags & turns[t].mask) == turns[t].flags &&
				(is_listed[i] || !turns[t].is_listed))
				out_events[n++] = (uint8_t)i;
	return n;
}
