// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the kernel tells every thread of itself without any permission: page faults and context
 * switches (getrusage). The source of last resort, and for unprivileged users the better one:
 * perf's context switches happen in the kernel and read 0 under exclude_kernel.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "preload/source.h"
#include "preload/suggest.h"
#include "preload/sys.h"

static const struct {
	const char *name;
	const char *alias;
	size_t offset;
} fields[] = {
	{ "minor-faults", "MINOR-FAULTS", offsetof(struct rusage, ru_minflt) },
	{ "major-faults", "MAJOR-FAULTS", offsetof(struct rusage, ru_majflt) },
	{ "voluntary-switches", "", offsetof(struct rusage, ru_nvcsw) },
	{ "involuntary-switches", "", offsetof(struct rusage, ru_nivcsw) },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void add_field(struct ep_plan *plan, uint8_t *events, uint32_t field_idx)
{
	struct ep_event event = { .flags = EP_EVENT_ALWAYS | EP_EVENT_SOFTWARE, .unit = "count",
		.column = field_idx };

	strcpy(event.name, fields[field_idx].name);
	events[plan->n_events] = plan->n_events;
	ep_plan_add_event(plan, &event);
}

static int add_named(const char *name, int group, void *argument)
{
	struct ep_plan *plan = argument;
	uint8_t events[N_FIELDS];

	(void)group;
	for (uint32_t i = 0; i < N_FIELDS; i++) {
		if (strcmp(name, fields[i].name) && strcmp(name, fields[i].alias))
			continue;
		if (plan->n_events < N_FIELDS)
			add_field(plan, events, i);
		return 0;
	}
	ep_plan_note(plan, "event '%s' is not counted: the source rusage has minor-faults, "
		"major-faults, voluntary-switches and involuntary-switches", name);
	return 0;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	uint8_t events[N_FIELDS];

	(void)err;
	if (settings->events[0])
		ep_plan_split(settings->events, add_named, plan);
	if (!plan->n_events)
		for (uint32_t i = 0; i < N_FIELDS; i++)
			add_field(plan, events, i);
	for (uint32_t i = 0; i < plan->n_events; i++)
		events[i] = i;
	return ep_plan_add_group(plan, events, plan->n_events);
}

static void take(const struct ep_plan *plan, uint64_t *values)
{
	struct rusage usage;

	ep_sys(__NR_getrusage, RUSAGE_THREAD, &usage);
	for (uint32_t i = 0; i < plan->n_events; i++)
		memcpy(&values[i], (char *)&usage + fields[plan->events[i].column].offset,
			sizeof(values[i]));
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	(void)first_group;
	counters->is_open = true;
	return 0;
}

static void start(struct ep_counters *counters, uint32_t group)
{
	(void)group;
	take(counters->plan, counters->base);
}

static void stop(struct ep_counters *counters, uint32_t group, bool is_remote,
	struct ep_slice_counts *out)
{
	uint32_t n = counters->plan->groups[group].n_events;

	out->did_run = !is_remote;
	out->enabled_ns = out->running_ns = 0;
	if (is_remote)
		return;
	take(counters->plan, out->values);
	for (uint32_t i = 0; i < n; i++)
		out->values[i] -= counters->base[i];
}

static void close_counters(struct ep_counters *counters)
{
	counters->is_open = false;
}

const struct ep_source ep_source_rusage = {
	.name = "rusage",
	.prepare = prepare,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
