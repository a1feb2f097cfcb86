// SPDX-License-Identifier: BSD-3-Clause
/* Finds the parts of a report that are printed as JSON, by the names that users give. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/view/view_json_private.h"

const char *const ep_json_part_names[EP_N_JSON_PARTS] = {
	[EP_JSON_RUN] = "run",
	[EP_JSON_IN_SHORT] = "in_short",
	[EP_JSON_EVENTS] = "events",
	[EP_JSON_METRICS] = "metrics",
	[EP_JSON_PROCEDURES] = "procedures",
	[EP_JSON_LINES] = "lines",
	[EP_JSON_LOOPS] = "loops",
	[EP_JSON_MODULES] = "modules",
	[EP_JSON_LANGUAGES] = "languages",
	[EP_JSON_ACTIVITIES] = "activities",
	[EP_JSON_CALLS] = "calls",
	[EP_JSON_THREADS] = "threads",
	[EP_JSON_PROCESSES] = "processes",
	[EP_JSON_PROGRAMS] = "programs",
	[EP_JSON_SLOW_RANK] = "slow_rank",
	[EP_JSON_WAITS] = "waits",
	[EP_JSON_LOCKS] = "locks",
	[EP_JSON_THREAD_WAITS] = "thread_waits",
	[EP_JSON_REGIONS] = "regions",
	[EP_JSON_PHASES] = "phases",
	[EP_JSON_PARALLEL] = "parallel",
	[EP_JSON_TIMELINE] = "timeline",
	[EP_JSON_FINDINGS] = "findings",
	[EP_JSON_HIDDEN] = "hidden",
	[EP_JSON_DETAILS] = "details",
};

static const struct {
	const char *name;
	uint64_t parts;
} sets[] = {
	{ "all", EP_JSON_PART(EP_N_JSON_PARTS) - 1 },
	{ "short", EP_JSON_PART(EP_JSON_RUN) | EP_JSON_PART(EP_JSON_IN_SHORT) |
			   EP_JSON_PART(EP_JSON_EVENTS) | EP_JSON_PART(EP_JSON_METRICS) |
			   EP_JSON_PART(EP_JSON_PROCEDURES) | EP_JSON_PART(EP_JSON_SLOW_RANK) |
			   EP_JSON_PART(EP_JSON_FINDINGS) | EP_JSON_PART(EP_JSON_HIDDEN) },
};

static bool is_name(const char *name, const char *text, size_t size)
{
	return strlen(name) == size && !memcmp(name, text, size);
}

/* Returns the parts of that name; 0: there are none. */
static uint64_t find_parts(const char *text, size_t size)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(sets); i++)
		if (is_name(sets[i].name, text, size))
			return sets[i].parts;
	for (enum ep_json_part part = 0; part < EP_N_JSON_PARTS; part++)
		if (is_name(ep_json_part_names[part], text, size))
			return EP_JSON_PART(part);
	return 0;
}

int ep_json_parts_take(void *into, const char *names)
{
	uint64_t *parts = into;

	for (;;) {
		size_t size = strcspn(names, ",");
		uint64_t more = find_parts(names, size);

		if (!more)
			return -EINVAL;
		*parts |= more;
		if (!names[size])
			return 0;
		names += size + 1;
	}
}
