// SPDX-License-Identifier: BSD-3-Clause
/* Choosing groups for models. Any thread. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/plan_private.h"

/* Time of the scope comes from the trace, not from a counter. */
static const char time_name[] = "duration_time";

struct maker {
	struct ep_event_plan *plan;
	const struct ep_event_plan_request *request;
	struct ep_catalog catalog;
	bool has_table;
	struct ep_error *err;
};

static void finish_maker(struct maker *m)
{
	ep_catalog_close(&m->catalog);
	ep_event_plan_destroy(m->plan);
}

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
	ep_pack_finish(&plan->pack);
	ep_event_table_finish(&plan->table);
	free(plan);
}

static int fail_memory(struct maker *m)
{
	return ep_fail(m->err, -ENOMEM, "out of memory");
}

const char *ep_event_plan_open_name(const struct ep_event_plan *plan, uint32_t event)
{
	const char *name = plan->events.texts[event];
	const struct ep_event_row *row = ep_event_table_find(&plan->table, name);

	if (row && row->open)
		return row->open;
	return row && plan->is_known && !plan->is_known(name) ? row->raw : name;
}

/* The kernel counts these itself, on every CPU. */
static bool is_software(const char *name)
{
	static const char *const names[] = { "task-clock", "cpu-clock", "page-faults",
		"minor-faults", "major-faults", "context-switches", "cpu-migrations" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The number of an event in the plan, with what it needs when it is new. */
static int find_event(struct maker *m, const char *name, uint32_t *out_event)
{
	struct ep_event_plan *plan = m->plan;
	const struct ep_event_row *row = ep_event_table_find(&plan->table, name);
	struct ep_need need = { .counter_mask = UINT32_MAX, .fixed = -1, .rides_with = -1 },
		       *bigger;
	uint32_t n_before = plan->events.n_names, leader;

	if (is_software(name))
		need.counter_mask = 0;
	else if (!row && m->has_table)
		return ep_fail(m->err, -EINVAL, "event %s is not in the event table of %s", name,
			plan->table.cpu);
	if (ep_names_add(&plan->events, name, out_event))
		return fail_memory(m);
	if (*out_event < n_before)
		return 0;
	bigger = realloc(plan->needs, plan->events.n_names * sizeof(*bigger));
	if (!bigger)
		return fail_memory(m);
	plan->needs = bigger;
	if (row) {
		need.counter_mask = row->counter_mask;
		need.takes_pair = row->n_taken == 2;
		need.fixed = row->fixed;
	}
	bigger[*out_event] = need;
	if (row && row->rides_with) {
		int rc = find_event(m, row->rides_with, &leader);

		if (rc)
			return rc;
		m->plan->needs[*out_event].rides_with = (int)leader;
	}
	return 0;
}

static int set_always(struct maker *m)
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
			rc = find_event(m, word, &plan->always[plan->pack.n_always++]);
	return rc;
}

/* Without one, what is always counted on this CPU has no part in it. */
static bool needs_counters(const struct ep_event_plan *plan)
{
	for (uint32_t i = plan->pack.n_always; i < plan->events.n_names; i++)
		if (plan->needs[i].counter_mask || plan->needs[i].fixed >= 0)
			return true;
	return false;
}

static const struct ep_formula_parameter *find_parameter(
	const struct ep_formula_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, name))
			return &file->parameters[i];
	return NULL;
}

static int add_input(struct maker *m, const struct ep_model *model, uint32_t input_idx,
	struct ep_event_plan_metric *metric)
{
	const struct ep_program *program = ep_model_program(model);
	const char *name = ep_program_input_name(program, input_idx);

	if (ep_program_input_kind(program, input_idx) != EP_INPUT_EVENT || !strcmp(name, time_name))
		return 0;
	if (ep_machine_amount_find(name)) {
		m->plan->needs_amount[ep_machine_amount_find(name)] |= metric->is_shown;
		return 0;
	}
	if (find_parameter(ep_model_file(model), name)) {
		metric->state = EP_EVENT_PLAN_CANNOT_TELL;
		metric->parameter = metric->parameter ? metric->parameter : strdup(name);
		return metric->parameter ? 0 : fail_memory(m);
	}
	return find_event(m, name, &metric->events[metric->n_events++]);
}

static int fill_metric(struct maker *m, const struct ep_model *model, uint32_t idx, bool *used,
	struct ep_event_plan_metric *metric)
{
	const struct ep_formula_file *file = ep_model_file(model);
	uint32_t n_inputs = ep_program_n_inputs(ep_model_program(model));
	int rc = 0;

	*metric = (struct ep_event_plan_metric){
		.name = strdup(file->metrics[idx].name),
		.model = strdup(file->name ? file->name : ""),
		.events = calloc(n_inputs + 1, sizeof(*metric->events)),
		.is_shown = file->metrics[idx].level >= 1,
		.group = -1,
	};
	if (!metric->name || !metric->model || !metric->events)
		return fail_memory(m);
	ep_program_mark_inputs(ep_model_program(model), idx, used);
	for (uint32_t i = 0; !rc && i < n_inputs; i++)
		if (used[i])
			rc = add_input(m, model, i, metric);
	return rc;
}

static int add_metrics(struct maker *m, const struct ep_model *model)
{
	struct ep_event_plan *plan = m->plan;
	uint32_t n = ep_model_file(model)->n_metrics;
	EP_AUTOFREE bool *used = calloc(ep_program_n_inputs(ep_model_program(model)) + 1, 1);
	struct ep_event_plan_metric *bigger =
		realloc(plan->metrics, (plan->n_metrics + n + 1) * sizeof(*bigger));
	int rc = 0;

	if (bigger)
		plan->metrics = bigger;
	if (!bigger || !used)
		return fail_memory(m);
	for (uint32_t i = 0; !rc && i < n; i++) {
		plan->n_metrics++;
		rc = fill_metric(m, model, i, used, &bigger[plan->n_metrics - 1]);
	}
	return rc;
}

/* A path, or the CPU's model of that name, or everybody's. */
static int find_model(struct maker *m, const char *name, const char **out_path)
{
	const struct ep_catalog_entry *entry;
	int rc;

	*out_path = name;
	if (ep_catalog_is_path(name))
		return 0;
	rc = ep_catalog_choose(&m->catalog, name, m->plan->cpu, &entry, m->err);
	if (!rc)
		*out_path = entry->path;
	return rc;
}

static int add_model(struct maker *m, const char *name)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	struct ep_model *model;
	const char *path;
	int rc = find_model(m, name, &path);

	if (!rc)
		rc = ep_formula_file_read(path, &file, m->err);
	if (!rc)
		rc = ep_model_create(&file, NULL, NULL, &model, m->err);
	if (rc)
		return rc;
	rc = add_metrics(m, model);
	ep_model_destroy(model);
	return rc;
}

static int add_models(struct maker *m)
{
	EP_AUTOFREE char *copy = strdup(m->request->models);
	char *rest = copy, *name;
	int rc = copy ? 0 : fail_memory(m);

	while (!rc && (name = strsep(&rest, ",")))
		if (*name)
			rc = add_model(m, name);
	return rc;
}

static int read_table(struct maker *m)
{
	EP_AUTOFREE char *path = ep_catalog_table_path(&m->catalog, m->plan->cpu);

	if (!path)
		return 0;
	m->has_table = true;
	return ep_event_table_read(path, &m->plan->table, m->err);
}

static int choose_cpu(struct maker *m)
{
	EP_AUTOFREE char *cpuid = ep_catalog_own_cpuid();
	const char *cpu = m->request->cpu ? m->request->cpu : ep_catalog_cpu_of(&m->catalog, cpuid);

	m->plan->cpu = cpu ? strdup(cpu) : NULL;
	return cpu && !m->plan->cpu ? fail_memory(m) : 0;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct ep_event_plan_metric *x = *(struct ep_event_plan_metric *const *)a;
	const struct ep_event_plan_metric *y = *(struct ep_event_plan_metric *const *)b;

	if (x->n_events != y->n_events)
		return x->n_events < y->n_events ? 1 : -1;
	return x < y ? -1 : 1; /* the files' order: level 1 comes first */
}

/* Large sets first: what is small then finds its events together already. Intermediate values ask
 * for no group of their own: the metrics that use them do. Events of sets that no group can hold go
 * where there is room, in the order of the formula. */
static int pack_metrics(struct maker *m)
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

static int make_plan(struct maker *m)
{
	struct ep_event_plan *plan = m->plan;
	int rc = ep_catalog_open(&m->catalog, m->err);

	if (!rc)
		rc = choose_cpu(m);
	if (!rc)
		rc = read_table(m);
	if (!rc)
		rc = set_always(m);
	if (!rc)
		rc = add_models(m);
	if (rc)
		return rc;
	if (!needs_counters(plan))
		plan->pack.n_always = 0;
	plan->period_ns = m->request->period_ns;
	plan->is_known = m->request->is_known;
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

int ep_event_plan_create(const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err)
{
	__attribute__((cleanup(finish_maker))) struct maker m = {
		.plan = calloc(1, sizeof(*m.plan)),
		.request = request,
		.err = err,
	};
	int rc = m.plan ? make_plan(&m) : fail_memory(&m);

	if (rc)
		return rc;
	*out = m.plan;
	m.plan = NULL;
	return 0;
}

bool ep_event_plan_needs_amount(const struct ep_event_plan *plan, enum ep_machine_time what)
{
	return plan->needs_amount[what];
}

uint32_t ep_event_plan_n_groups(const struct ep_event_plan *plan)
{
	return plan->pack.n_groups;
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

const char *ep_event_plan_default_models(const char *cpu)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	EP_AUTOFREE char *cpuid = cpu ? NULL : ep_catalog_own_cpuid();

	if (ep_catalog_open(&catalog, NULL))
		return "software";
	if (!cpu)
		cpu = ep_catalog_cpu_of(&catalog, cpuid);
	bool has_topdown = cpu && ep_catalog_find(&catalog, "topdown", cpu);
	bool has_lcpi = cpu && ep_catalog_find(&catalog, "lcpi", cpu);

	if (has_topdown && has_lcpi)
		return "topdown,lcpi";
	return has_topdown ? "topdown" : has_lcpi ? "lcpi" : "software";
}
