// SPDX-License-Identifier: BSD-3-Clause
/* Prints plans for the counter source and for the user. Any thread may call these functions. */
#include <stdlib.h>
#include <string.h>

#include "common/formula/plan_private.h"

/* Prints an event in the form of the counter source. */
static void print_event(
	const struct ep_event_plan *plan, uint32_t event, const char *before, FILE *out)
{
	const char *name = plan->events.texts[event];
	const struct ep_event_row *row = ep_event_table_find(&plan->table, name);
	bool is_named =
		!row || row->open || plan->with_codes || !plan->is_known || plan->is_known(name);

	if (row && row->open)
		name = row->open;
	fprintf(out, "%s%s", before, is_named ? name : row->raw);
	if (row && !row->open && plan->with_codes)
		fprintf(out, "=%s", row->raw);
}

static bool leads(
	const struct ep_event_plan *plan, const struct ep_event_group *group, uint32_t event)
{
	for (uint32_t i = 0; i < group->n_events; i++)
		if (plan->needs[group->events[i]].rides_with == (int)event)
			return true;
	return false;
}

/* Prints a group. An event on which others depend must be first; then come the always-on events. */
static void print_group(const struct ep_event_plan *plan, const struct ep_event_group *group,
	const char *separator, FILE *out)
{
	const char *before = "";

	for (uint32_t i = 0; i < group->n_events; i++) {
		if (!leads(plan, group, group->events[i]))
			continue;
		print_event(plan, group->events[i], before, out);
		before = separator;
	}
	for (uint32_t i = 0; i < plan->pack.n_always; i++, before = separator)
		print_event(plan, plan->always[i], before, out);
	for (uint32_t i = 0; i < group->n_events; i++) {
		if (leads(plan, group, group->events[i]))
			continue;
		print_event(plan, group->events[i], before, out);
		before = separator;
	}
}

char *ep_event_plan_fixed(const struct ep_event_plan *plan)
{
	const char *before = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < plan->pack.n_always; i++) {
		if (plan->needs[plan->always[i]].fixed < 0)
			continue;
		print_event(plan, plan->always[i], before, out);
		before = ",";
	}
	return fclose(out) ? NULL : text;
}

char *ep_event_plan_events(const struct ep_event_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < plan->pack.n_groups; i++) {
		if (i)
			fputc(';', out);
		print_group(plan, &plan->pack.groups[i], ",", out);
	}
	return fclose(out) ? NULL : text;
}

/* Prints a line with title and the names of the metrics that have this state and group. Prints nothing if there are no
 * such metrics. */
static void print_metrics(const struct ep_event_plan *plan, enum ep_event_plan_state state,
	int group, const char *title, FILE *out)
{
	const char *before = title;

	for (uint32_t i = 0; i < plan->n_metrics; i++) {
		const struct ep_event_plan_metric *m = &plan->metrics[i];

		if (m->state != state || m->group != group || !m->is_shown || !m->n_events)
			continue;
		fprintf(out, "%s%s", before, m->name);
		before = ", ";
	}
	if (before != title)
		fputc('\n', out);
}

static void print_time(double ns, FILE *out)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 0, "ns" } };
	int i = 0;

	while (ns < units[i].ns)
		i++;
	fprintf(out, "%g %s", units[i].ns ? ns / units[i].ns : ns, units[i].unit);
}

static uint32_t count_events(const struct ep_event_plan *plan)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->events.n_names; i++)
		n += ep_pack_find(&plan->pack, &i, 1) >= 0;
	return n;
}

/* Returns the share of time in which an event of the largest group is the trigger, whose overflow ends slices. An
 * always-on event is the trigger as often in all groups together as another event is in its one group. */
static double least_armed_share(const struct ep_pack *pack)
{
	double least = 1;

	for (uint32_t i = 0; i < pack->n_groups; i++) {
		double weights = pack->n_always + (double)pack->n_groups * pack->groups[i].n_events;

		if (weights > 0 && 1 / weights < least)
			least = 1 / weights;
	}
	return least;
}

static void print_figures(const struct ep_event_plan *plan, FILE *out)
{
	uint32_t n = plan->pack.n_groups, n_events = count_events(plan);

	fprintf(out, "%u event%s in %u group%s", n_events, n_events == 1 ? "" : "s", n,
		n == 1 ? "" : "s");
	if (plan->table.cpu)
		fprintf(out, " of %u general counters (%s)", plan->pack.n_counters,
			plan->table.title ? plan->table.title : plan->table.cpu);
	if (n)
		fprintf(out, "\neach group counts %.0f %% of the time", 100. / n);
	fputc('\n', out);
	if (n)
		fprintf(out,
			"each event ends slices for at least %.1f %% of the time, where counters interrupt (evprof doctor)\n",
			100 * least_armed_share(&plan->pack));
	if (!plan->period_ns || !n)
		return;
	fputs("one round of all groups, the shortest phase that can be told apart: ", out);
	print_time((double)plan->period_ns * n, out);
	fputs(" of CPU time\n", out);
}

static void print_amounts(const struct ep_event_plan *plan, FILE *out)
{
	const char *before = "read of the whole machine, without a counter of the CPU's: ";

	for (int i = 0; i < EP_N_MACHINE_TIMES; i++) {
		if (!plan->needs_amount[i])
			continue;
		fprintf(out, "%s%s", before, ep_machine_amounts[i].name);
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', out);
}

static void print_unlisted(const struct ep_event_plan *plan, FILE *out)
{
	const struct ep_names *names = &plan->unlisted;

	if (!names->n_names)
		return;
	fprintf(out, "not in the event table of %s, so that any counter is taken to count them:",
		plan->table.cpu);
	for (uint32_t i = 0; i < names->n_names; i++)
		fprintf(out, " %s", names->texts[i]);
	fputc('\n', out);
}

static void print_untold(const struct ep_event_plan *plan, FILE *out)
{
	for (uint32_t i = 0; i < plan->n_metrics; i++) {
		const struct ep_event_plan_metric *m = &plan->metrics[i];

		if (m->state == EP_EVENT_PLAN_CANNOT_TELL && m->is_shown)
			fprintf(out, "cannot be told on this CPU: %s (no %s)\n", m->name,
				m->parameter);
	}
}

void ep_event_plan_print(const struct ep_event_plan *plan, FILE *out)
{
	for (uint32_t i = 0; i < plan->pack.n_groups; i++) {
		fprintf(out, "group %u: ", i + 1);
		print_group(plan, &plan->pack.groups[i], " ", out);
		fputc('\n', out);
		print_metrics(plan, EP_EVENT_PLAN_TOGETHER, (int)i, "  enough for: ", out);
	}
	print_metrics(plan, EP_EVENT_PLAN_SPREAD, -1, "computed from several groups: ", out);
	print_untold(plan, out);
	print_unlisted(plan, out);
	print_amounts(plan, out);
	print_figures(plan, out);
}
