// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the groups of events that count what models need. Any thread may call these functions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/plan_private.h"

/* The name of a scope's time, which comes from the trace and not from a counter. */
static const char time_name[] = "duration_time";

struct planner {
	struct ep_plan_maker maker;
	struct ep_catalog catalog;
};

static void finish_planner(struct planner *p)
{
	ep_catalog_close(&p->catalog);
	ep_event_plan_destroy(p->maker.plan);
}

static const struct ep_formula_parameter *find_parameter(
	const struct ep_formula_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, name))
			return &file->parameters[i];
	return NULL;
}

static int add_input(struct ep_plan_maker *m, const struct ep_model *model, uint32_t input_idx,
	struct ep_event_plan_metric *metric)
{
	const struct ep_program *program = ep_model_program(model);
	const char *name = ep_program_input_name(program, input_idx);
	EP_AUTOFREE char *event = NULL;

	if (ep_program_input_kind(program, input_idx) != EP_INPUT_EVENT || !strcmp(name, time_name))
		return 0;
	if (ep_machine_amount_find(name)) {
		m->plan->needs_amount[ep_machine_amount_find(name)] |= metric->is_shown;
		return 0;
	}
	if (find_parameter(ep_model_file(model), name))
		return ep_plan_metric_cannot_tell(m, metric, name);
	event = ep_values_event_name(name);
	if (!event)
		return ep_fail(m->err, -ENOMEM, "out of memory");
	return ep_plan_maker_find_event(m, event, &metric->events[metric->n_events++]);
}

/* Tells whether a metric of the file has a level. If so, metrics without a level are intermediate values. */
static bool has_levels(const struct ep_formula_file *file)
{
	for (uint32_t i = 0; i < file->n_metrics; i++)
		if (file->metrics[i].level >= 1)
			return true;
	return false;
}

static int add_metric(
	struct ep_plan_maker *m, const struct ep_model *model, uint32_t idx, bool *used)
{
	const struct ep_formula_file *file = ep_model_file(model);
	uint32_t n_inputs = ep_program_n_inputs(ep_model_program(model));
	struct ep_event_plan_metric *metric;
	int rc = ep_plan_maker_add_metric(
		m, file->metrics[idx].name, file->name ? file->name : "", n_inputs, &metric);

	if (rc)
		return rc;
	metric->is_shown = file->metrics[idx].level >= 1 || !has_levels(file);
	ep_program_mark_inputs(ep_model_program(model), idx, used);
	for (uint32_t i = 0; !rc && i < n_inputs; i++)
		if (used[i])
			rc = add_input(m, model, i, metric);
	return rc;
}

int ep_plan_maker_add_file(struct ep_plan_maker *m, const char *path)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	EP_AUTOFREE bool *used = NULL;
	struct ep_model *model;
	int rc = ep_formula_file_read(path, &file, m->err);

	if (!rc)
		rc = ep_model_create(&file, NULL, NULL, &model, m->err);
	if (rc)
		return rc;
	used = calloc(ep_program_n_inputs(ep_model_program(model)) + 1, 1);
	if (!used)
		rc = ep_fail(m->err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; !rc && i < ep_model_file(model)->n_metrics; i++)
		rc = add_metric(m, model, i, used);
	ep_model_destroy(model);
	return rc;
}

/* Finds a model's file: name is a path, or the name of a model of the CPU, or else of a model for all CPUs. */
static int find_model(struct planner *p, const char *name, const char **out_path)
{
	const struct ep_catalog_entry *entry;
	int rc;

	*out_path = name;
	if (ep_catalog_is_path(name))
		return 0;
	rc = ep_catalog_choose(&p->catalog, name, p->maker.plan->cpu, &entry, p->maker.err);
	if (!rc)
		*out_path = entry->path;
	return rc;
}

static int add_models(struct planner *p)
{
	EP_AUTOFREE char *copy = strdup(p->maker.request->models);
	char *rest = copy, *name;
	const char *path;
	int rc = copy ? 0 : ep_fail(p->maker.err, -ENOMEM, "out of memory");

	while (!rc && (name = strsep(&rest, ","))) {
		rc = *name ? find_model(p, name, &path) : 0;
		if (!rc && *name)
			rc = ep_plan_maker_add_file(&p->maker, path);
	}
	return rc;
}

static int read_table(struct planner *p)
{
	EP_AUTOFREE char *path = ep_catalog_table_path(&p->catalog, p->maker.plan->cpu);

	if (!path)
		return 0;
	p->maker.has_table = true;
	return ep_event_table_read(path, &p->maker.plan->table, p->maker.err);
}

static int choose_cpu(struct planner *p)
{
	struct ep_plan_maker *m = &p->maker;
	EP_AUTOFREE char *cpuid = ep_catalog_own_cpuid();
	const char *cpu = m->request->cpu ? m->request->cpu : ep_catalog_cpu_of(&p->catalog, cpuid);

	m->plan->cpu = cpu ? strdup(cpu) : NULL;
	return cpu && !m->plan->cpu ? ep_fail(m->err, -ENOMEM, "out of memory") : 0;
}

static int make_plan(struct planner *p)
{
	int rc = ep_catalog_open(&p->catalog, p->maker.err);

	if (!rc)
		rc = choose_cpu(p);
	if (!rc)
		rc = read_table(p);
	if (!rc)
		rc = ep_plan_maker_begin(&p->maker);
	if (!rc)
		rc = add_models(p);
	return rc ? rc : ep_plan_maker_finish(&p->maker);
}

int ep_event_plan_create(const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err)
{
	__attribute__((cleanup(finish_planner))) struct planner p = {
		.maker = { .plan = calloc(1, sizeof(struct ep_event_plan)),
			.request = request,
			.err = err },
	};
	int rc = p.maker.plan ? make_plan(&p) : ep_fail(err, -ENOMEM, "out of memory");

	if (rc)
		return rc;
	*out = p.maker.plan;
	p.maker.plan = NULL;
	return 0;
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
