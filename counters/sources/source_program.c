// SPDX-License-Identifier: BSD-3-Clause
/*
 * The source of counts that the program itself adds up (program_pmu.h). An overflow comes exactly at the occurrence
 * that reaches the limit. What evprof reports of such a program can be compared with the true counts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "counters/events/perf_door.h"
#include "program_pmu.h"
#include "source.h"

struct ep_program_counters *ep_program_counters(void) __attribute__((weak, visibility("default")));

static int event_of(const struct ep_plan *plan, uint32_t idx)
{
	return (int)plan->events[idx].column;
}

static int want_event(const char *name, int group, void *argument)
{
	struct ep_plan *plan = argument;
	struct ep_event event = { .unit = "count" };
	int idx, n;

	(void)group;
	if (sscanf(name, "e%d", &n) != 1 || n < 0 || n >= EP_PROGRAM_EVENTS) {
		ep_plan_note_event(plan, name, "the source program has e0 to e7");
		return 0;
	}
	snprintf(event.name, sizeof(event.name), "e%d", n);
	event.column = (uint32_t)n;
	event.flags = n ? 0 : EP_EVENT_ALWAYS;
	idx = ep_plan_add_event(plan, &event);
	return idx < 0;
}

/* Makes groups: the plan's first event (e0 by default) is in every group, with at most two others. */
static int add_groups(struct ep_plan *plan)
{
	uint8_t events[3];
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < plan->n_events && !rc; i++) {
		if (!n)
			events[n++] = 0;
		if (i)
			events[n++] = (uint8_t)i;
		if (n == 3 || i + 1 == plan->n_events) {
			rc = ep_plan_add_group(plan, events, n);
			n = 0;
		}
	}
	return rc;
}

static int prepare(struct ep_plan *plan, const struct ep_settings *settings, struct ep_error *err)
{
	if (!ep_program_counters)
		return ep_fail(err, -ENOTSUP,
			"the source program is for test programs that count by themselves: this one does not export ep_program_counters");
	ep_plan_split(settings->events[0] ? settings->events : "e0,e1,e2,e3,e4,e5,e6,e7",
		want_event, plan);
	if (!plan->n_events)
		return ep_fail(err, -ENOENT, "none of the events is one of e0 to e7");
	for (uint32_t i = 0; i < plan->n_events && settings->ticks != EP_TICKS_TIME; i++)
		plan->events[i].flags |= EP_EVENT_TICKS;
	return add_groups(plan);
}

static int open_counters(struct ep_counters *counters, uint32_t first_group)
{
	struct ep_program_counters *mine = ep_program_counters ? ep_program_counters() : NULL;

	(void)first_group;
	counters->is_open = mine != NULL;
	if (!mine)
		return -ENOSYS;
	for (int i = 0; i < EP_PROGRAM_EVENTS; i++)
		mine->limits[i] = UINT64_MAX;
	mine->pid = ep_sys_getpid();
	mine->tid = ep_sys_gettid();
	mine->signal = EP_SLICE_SIGNAL;
	return 0;
}

static EP_SLICE_CODE void start(struct ep_counters *counters, uint32_t group)
{
	struct ep_program_counters *mine;
	int event;

	counters->trigger_fd = 0;
	if (!counters->is_open)
		return;
	mine = ep_program_counters();
	for (uint32_t i = 0; i < counters->plan->n_events; i++) {
		event = event_of(counters->plan, i);
		counters->base[i] = mine->counts[event];
		mine->limits[event] = UINT64_MAX;
	}
	if (counters->trigger_member < 0)
		return;
	event = event_of(
		counters->plan, counters->plan->groups[group].events[counters->trigger_member]);
	mine->limits[event] = mine->counts[event] + counters->trigger_count;
	counters->trigger_fd = EP_PROGRAM_FIRST_FD - event;
}

/* Reads the counts. The counters of another thread cannot be read, so what it counted since its last slice is lost. */
static EP_SLICE_CODE void stop(
	struct ep_counters *counters, uint32_t group, bool is_remote, struct ep_slice_counts *out)
{
	const struct ep_group *g = &counters->plan->groups[group];
	const struct ep_program_counters *mine;

	out->enabled_ns = out->running_ns = 0;
	out->did_run = counters->is_open && !is_remote;
	if (!out->did_run)
		return;
	mine = ep_program_counters();
	for (uint32_t i = 0; i < g->n_events; i++)
		out->values[i] = mine->counts[event_of(counters->plan, g->events[i])] -
				 counters->base[g->events[i]];
}

static void close_counters(struct ep_counters *counters)
{
	counters->is_open = false;
}

const struct ep_source ep_source_program = {
	.name = "program",
	.prepare = prepare,
	.open = open_counters,
	.start = start,
	.stop = stop,
	.close = close_counters,
};
