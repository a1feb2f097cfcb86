// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uses a table of counts as if it were a PMU with N counters: slice k of a thread gets, from row k of the table, the
 * counts of the group that is on. This source is for tests and demonstrations.
 *
 * Setting: sim:TABLE[,counters=N][,cpuid=CPU]. TABLE is a CSV file with a header of event names, gzip or not. With
 * cpuid the trace looks as if it came from that CPU. Without cpuid the groups take turns in the plan's order.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/table.h"

#include "common/os/large.h"
#include "counters/events/suggest.h"
#include "counters/sim_setting.h"
#include "source.h"

static struct ep_table table;
static EP_LARGE struct ep_sim_setting sim;

static int read_table(const struct ep_settings *settings, struct ep_error *err)
{
	int rc = ep_sim_setting_read(settings->source, &sim, err);

	if (rc)
		return rc;
	ep_table_finish(&table);
	return ep_table_read(sim.path, &table, err);
}

static bool is_always(const char *name)
{
	return ep_name_equal(name, "cycles") || ep_name_equal(name, "instructions") ||
	       ep_name_equal(name, "instr");
}

struct wanted_column {
	struct ep_plan *plan;
	/* a bit for each group that names the event; 0: none does */
	uint32_t group_masks[EP_PLAN_MAX_EVENTS];
};

static int find_event(const struct ep_plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (!strcmp(plan->events[i].name, name))
			return i;
	return -1;
}

static int want_column(const char *name, int group, void *argument)
{
	struct wanted_column *wanted = argument;
	struct ep_plan *plan = wanted->plan;
	struct ep_event event = { .unit = "count" };
	int column = ep_table_column(&table, name), known = find_event(plan, name);

	if (column < 0) {
		ep_plan_note_event(plan, name, "the table has no such column");
		return 0;
	}
	snprintf(event.name, sizeof(event.name), "%s", name);
	event.column = column;
	if (is_always(name))
		event.flags |= EP_EVENT_ALWAYS;
	if (known < 0)
		known = ep_plan_add_event(plan, &event);
	if (known < 0)
		ep_plan_note(plan,
			"event '%s' and those after it are not counted: at most %d events", name,
			EP_PLAN_MAX_EVENTS);
	if (known >= 0 && group >= 0 && group < 32)
		wanted->group_masks[known] |= 1u << group;
	return known < 0;
}

static uint32_t begin_group(const struct ep_plan *plan, uint8_t *events)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_events && n < EP_GROUP_MAX_EVENTS; i++)
		if (plan->events[i].flags & EP_EVENT_ALWAYS)
			events[n++] = i;
	return n;
}

/* Packs events into groups. Always-on events take none of the N counters, like events of a real PMU that have fixed
 * counters. mask: the bit of the group whose events are packed; 0: all events are. */
static int pack(const struct wanted_column *wanted, uint32_t mask, uint32_t n_counters)
{
	struct ep_plan *plan = wanted->plan;
	uint8_t events[EP_GROUP_MAX_EVENTS];
	uint32_t n_always = begin_group(plan, events), n = n_always;
	int rc = 0;

	for (uint32_t i = 0; i < plan->n_events && !rc; i++) {
		if (plan->events[i].flags & EP_EVENT_ALWAYS ||
			(mask && !(wanted->group_masks[i] & mask)))
			continue;
		if (n == EP_GROUP_MAX_EVENTS)
			return -E2BIG; /* the always-on events fill a group alone */
		events[n++] = i;
		if (n - n_always == n_counters || n == EP_GROUP_MAX_EVENTS) {
			rc = ep_plan_add_group(plan, events, n);
			n = n_always;
		}
	}
	if (!rc && n > n_always)
		rc = ep_plan_add_group(plan, events, n);
	return rc;
}

/* If there are several groups, marks events that each of them names as always-on: such events are counted in every
 * slice, like events of a real PMU that have fixed counters. Returns the bits of all groups. */
static uint32_t mark_always(struct wanted_column *wanted)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < wanted->plan->n_events; i++)
		all |= wanted->group_masks[i];
	for (uint32_t i = 0; i < wanted->plan->n_events; i++)
		if ((all & (all - 1)) && wanted->group_masks[i] == all)
			wanted->plan->events[i].flags |= EP_EVENT_ALWAYS;
	return all;
}

static int pack_groups(struct wanted_column *wanted, uint32_t n_counters)
{
	struct ep_plan *plan = wanted->plan;
	uint8_t events[EP_GROUP_MAX_EVENTS];
	uint32_t all = mark_always(wanted);
	int rc = 0;

	if (!all)
		rc = pack(wanted, 0, n_counters);
	for (int group = 0; group < 32 && !rc; group++)
		if (all & 1u << group)
			rc = pack(wanted, 1u << group, n_counters);
	if (!rc && !plan->n_groups)
		rc = ep_plan_add_group(plan, events, begin_group(plan, events));
	return rc;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	struct wanted_column wanted = { .plan = plan };
	int rc = read_table(settings, err);

	if (rc)
		return rc;
	if (settings->events[0])
		ep_plan_split(settings->events, want_column, &wanted);
	else
		for (size_t i = 0; i < table.n_columns; i++)
			if (want_column(table.names[i], -1, &wanted))
				break;
	if (!plan->n_events)
		return ep_fail(err, -ENOENT, "the table has none of the events asked for");
	if (pack_groups(&wanted, sim.n_counters))
		return ep_fail(err, -E2BIG,
			"more than %d groups: give the simulated PMU more counters",
			EP_PLAN_MAX_GROUPS);
	return 0;
}

/* Reads the table again. The columns of the events must be the same as when the root read it. */
static int resume(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	int rc = read_table(settings, err);

	for (uint32_t i = 0; i < plan->n_events && !rc; i++)
		if (ep_table_column(&table, plan->events[i].name) != (int)plan->events[i].column)
			rc = ep_fail(err, -ENOENT,
				"the table has changed: '%s' is not where it was",
				plan->events[i].name);
	return rc;
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	(void)first_group;
	counters->is_open = true;
	return 0;
}

static void start(struct ep_counters *counters, uint32_t group)
{
	(void)counters, (void)group;
}

static void stop(struct ep_counters *counters, uint32_t group_idx, bool is_remote,
	struct ep_slice_counts *out)
{
	const struct ep_group *group = &counters->plan->groups[group_idx];
	uint64_t row = counters->n_stops;

	(void)is_remote;
	out->enabled_ns = out->running_ns = 0;
	out->did_run = row < table.n_rows;
	for (uint32_t i = 0; i < group->n_events && out->did_run; i++)
		out->values[i] = table.values[row * table.n_columns +
					      counters->plan->events[group->events[i]].column];
}

static void close_counters(struct ep_counters *counters)
{
	counters->is_open = false;
}

static const char *cpuid(void)
{
	return sim.cpuid;
}

/* Tells whether the groups keep their order: they do for a table without a CPU, so that evreport accuracy finds the
 * same groups. */
static bool keeps_order(void)
{
	return !sim.cpuid[0];
}

const struct ep_source ep_source_sim = {
	.name = "sim",
	.counts_rows = true,
	.keeps_order = keeps_order,
	.cpuid = cpuid,
	.prepare = prepare,
	.resume = resume,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
