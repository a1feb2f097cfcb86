// SPDX-License-Identifier: BSD-3-Clause
/* Makes groups for sets of events from models or prepared files. Any thread may call these functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/formula/plan_private.h"

void ep_event_plan_destroy(struct ep_event_plan *plan)
{
	if (!plan)
		return;
	for (uint32_t i = 0; i < plan->n_metrics; i++) {
		free(plan->metrics[i].name);
		free(plan->metrics[i].model);
		free(plan->metrics[i].events);
		free(plan->metrics[i].parameter);
	}
	free(plan->metrics);
	free(plan->needs);
	free(plan->always);
	free(plan->cpu);
	ep_names_finish(&plan->events);
	ep_names_finish(&plan->unlisted);
	ep_pack_finish(&plan->pack);
	ep_event_table_finish(&plan->table);
	free(plan);
}

static int fail_memory(struct ep_plan_maker *m)
{
	return ep_fail(m->err, -ENOMEM, "out of memory");
}

/* Tells whether the kernel itself counts an event, on every CPU. */
static bool is_software(const char *name)
{
	static const char *const names[] = { "task-clock", "cpu-clock", "page-faults",
		"minor-faults", "major-faults", "context-switches", "cpu-migrations" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Adds an event that is not in the table. The table has the events of evprof's own formulas; formulas that evcal
 * derived may use others. */
static int add_unlisted(struct ep_plan_maker *m, const char *name)
{
	struct ep_event_plan *plan = m->plan;
	struct ep_error why = { .message = "" };
	uint32_t ignored;

	if (m->request->look_up && m->request->look_up(plan->table.pmu, name, &why))
		return ep_fail(m->err, -EINVAL,
			"event %s is not in the event table of %s, and is not known otherwise: %s",
			name, plan->table.cpu, why.message);
	return ep_names_add(&plan->unlisted, name, &ignored) ? fail_memory(m) : 0;
}

int ep_plan_maker_find_event(struct ep_plan_maker *m, const char *name, uint32_t *out_event)
{
	struct ep_event_plan *plan = m->plan;
	const struct ep_event_row *row = ep_event_table_find(&plan->table, name);
	struct ep_need need = { .counter_mask = UINT32_MAX, .fixed = -1, .rides_with = -1 };
	uint32_t n_before = plan->events.n_names, leader;
	int rc = 0;

	if (is_software(name))
		need.counter_mask = 0;
	else if (!row && m->has_table)
		rc = add_unlisted(m, name);
	if (rc)
		return rc;
	if (EP_ARRAY_RESERVE(plan->needs, n_before, plan->need_capacity) ||
		ep_names_add(&plan->events, name, out_event))
		return fail_memory(m);
	if (*out_event < n_before)
		return 0;
	if (row) {
		need.counter_mask = row->counter_mask;
		need.takes_pair = row->n_taken == 2;
		need.fixed = row->fixed;
	}
	plan->needs[*out_event] = need;
	if (row && row->rides_with)
		rc = ep_plan_maker_find_event(m, row->rides_with, &leader);
	if (!rc && row && row->rides_with)
		m->plan->needs[*out_event].rides_with = (int)leader;
	return rc;
}

int ep_plan_maker_begin(struct ep_plan_maker *m)
{
	struct ep_event_plan *plan = m->plan;
	EP_AUTOFREE char *copy = strdup(plan->table.always ? plan->table.always : "");
	char *rest = copy, *word;
	int rc = copy ? 0 : fail_memory(m);

	plan->always = calloc(copy ? strlen(copy) + 1 : 1, sizeof(*plan->always));
	if (!plan->always)
		return fail_memory(m);
	while (!rc && (word = strsep(&rest, " ")))
		if (*word)
			rc = ep_plan_maker_find_event(
				m, word, &plan->always[plan->pack.n_always++]);
	return rc;
}

int ep_plan_maker_add_metric(struct ep_plan_maker *m, const char *name, const char *model,
	uint32_t max_events, struct ep_event_plan_metric **out_metric)
{
	struct ep_event_plan *plan = m->plan;
	struct ep_event_plan_metric *metric;

	if (EP_ARRAY_RESERVE(plan->metrics, plan->n_metrics, plan->metric_capacity))
		return fail_memory(m);
	metric = &plan->metrics[plan->n_metrics++];
	*metric = (struct ep_event_plan_metric){
		.name = strdup(name),
		.model = strdup(model),
		.events = calloc(max_events + 1, sizeof(*metric->events)),
		.group = -1,
	};
	*out_metric = metric;
	return metric->name && metric->model && metric->events ? 0 : fail_memory(m);
}

int ep_plan_metric_cannot_tell(
	struct ep_plan_maker *m, struct ep_event_plan_metric *metric, const char *parameter)
{
	metric->state = EP_EVENT_PLAN_CANNOT_TELL;
	metric->parameter = metric->parameter ? metric->parameter : strdup(parameter);
	return metric->parameter ? 0 : fail_memory(m);
}

/* Tells whether an event other than the always-on ones needs a counter. A plan of software events alone has no
 * always-on events. */
static bool needs_counters(const struct ep_event_plan *plan)
{
	for (uint32_t i = plan->pack.n_always; i < plan->events.n_names; i++)
		if (plan->needs[i].counter_mask || plan->needs[i].fixed >= 0)
			return true;
	return false;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct ep_event_plan_metric *x = *(struct ep_event_plan_metric *const *)a;
	const struct ep_event_plan_metric *y = *(struct ep_event_plan_metric *const *)b;

	if (x->n_events != y->n_events)
		return x->n_events < y->n_events ? 1 : -1;
	return x < y ? -1 : 1; /* the order of the files, in which level 1 is first */
}

/* Packs the metrics' events. Large sets come first, since the events of small ones are then often together already.
 * Intermediate values need no group of their own, because the metrics that use them have one. If no group can hold all
 * events of a metric, each event is put into the first group with room, in the order of the formula. */
static int pack_metrics(struct ep_plan_maker *m)
{
	struct ep_event_plan *plan = m->plan;
	EP_AUTOFREE struct ep_event_plan_metric **sorted =
		calloc(plan->n_metrics + 1, sizeof(*sorted));
	int rc = sorted ? 0 : -ENOMEM;

	for (uint32_t i = 0; sorted && i < plan->n_metrics; i++)
		sorted[i] = &plan->metrics[i];
	if (sorted)
		qsort(sorted, plan->n_metrics, sizeof(*sorted), compare_sizes);
	for (uint32_t i = 0; !rc && i < plan->n_metrics; i++) {
		bool done = false;

		if (sorted[i]->state == EP_EVENT_PLAN_CANNOT_TELL || !sorted[i]->is_shown)
			continue;
		rc = ep_pack_together(&plan->pack, sorted[i]->events, sorted[i]->n_events, &done);
		sorted[i]->state = done ? EP_EVENT_PLAN_TOGETHER : EP_EVENT_PLAN_SPREAD;
	}
	for (uint32_t i = 0; !rc && i < plan->n_metrics; i++)
		for (uint32_t k = 0; !rc && k < plan->metrics[i].n_events; k++)
			if (plan->metrics[i].state == EP_EVENT_PLAN_SPREAD &&
				plan->metrics[i].is_shown)
				rc = ep_pack_anywhere(&plan->pack, plan->metrics[i].events[k]);
	if (rc == -ENOSPC)
		return ep_fail(m->err, rc,
			"an event and the always-on events need more than the %u counters there are",
			plan->pack.n_counters);
	return rc ? fail_memory(m) : 0;
}

static void find_groups(struct ep_event_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_metrics; i++) {
		struct ep_event_plan_metric *metric = &plan->metrics[i];

		if (metric->state == EP_EVENT_PLAN_TOGETHER)
			metric->group = ep_pack_find(&plan->pack, metric->events, metric->n_events);
	}
}

int ep_plan_maker_finish(struct ep_plan_maker *m)
{
	struct ep_event_plan *plan = m->plan;
	int rc;

	if (!needs_counters(plan))
		plan->pack.n_always = 0;
	plan->period_ns = m->request->period_ns;
	plan->is_known = m->request->is_known;
	plan->with_codes = m->request->with_codes;
	plan->pack.needs = plan->needs;
	plan->pack.n_needs = plan->events.n_names;
	plan->pack.always = plan->always;
	plan->pack.n_counters = m->request->n_counters ? m->request->n_counters
				: m->has_table         ? plan->table.n_counters
						       : 32;
	rc = pack_metrics(m);
	if (!rc)
		find_groups(plan);
	return rc;
}

bool ep_event_plan_needs_amount(const struct ep_event_plan *plan, enum ep_machine_time what)
{
	return plan->needs_amount[what];
}

uint32_t ep_event_plan_n_counters(const struct ep_event_plan *plan)
{
	return plan->pack.n_counters;
}

uint32_t ep_event_plan_most_counters(const struct ep_event_plan *plan)
{
	uint32_t n_alone = plan->table.n_counters_without_smt;

	return n_alone > plan->pack.n_counters ? n_alone : plan->pack.n_counters;
}
