// SPDX-License-Identifier: BSD-3-Clause
/* Opens models by name or path. One thread. */
#include "reporter/metrics/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/plan.h"

struct chooser {
	const struct ep_model_choice *choice;
	bool *is_set; /* whether some model has each parameter of the choice */
	struct ep_catalog catalog;
	struct ep_chosen_models chosen;
	struct ep_error *err;
};

static void finish_chooser(struct chooser *c)
{
	ep_catalog_close(&c->catalog);
	ep_chosen_models_close(&c->chosen);
	free(c->is_set);
}

const char *ep_trace_cpuid(const struct ep_trace *trace)
{
	const char *const *meta = trace->n_processes ? trace->processes[0].meta : NULL;

	if (!meta)
		return NULL;
	if (meta[EP_META_SOURCE] && !strcmp(meta[EP_META_SOURCE], "valgrind"))
		return "valgrind";
	return meta[EP_META_CPUID];
}

void ep_chosen_models_close(struct ep_chosen_models *chosen)
{
	if (!chosen)
		return;
	for (uint32_t i = 0; i < chosen->n_models; i++)
		ep_model_destroy(chosen->models[i]);
	free(chosen->models);
	free(chosen->cpu);
	ep_event_table_finish(&chosen->table);
	*chosen = (struct ep_chosen_models){ 0 };
}

static int fail_memory(struct chooser *c)
{
	return ep_fail(c->err, -ENOMEM, "out of memory");
}

static int set_parameters(struct chooser *c, struct ep_formula_file *file)
{
	const char *const *texts = c->choice->parameters;
	int rc = 0;

	for (uint32_t i = 0; !rc && texts && texts[i]; i++) {
		rc = ep_formula_file_set_parameter(file, texts[i], c->err);
		c->is_set[i] |= !rc;
		rc = rc == -ENOENT ? 0 : rc;
	}
	return rc;
}

/* Checks that each parameter was set in some model. The error names the first parameter that no model has. */
static int check_parameters(struct chooser *c)
{
	const char *const *texts = c->choice->parameters;

	for (uint32_t i = 0; texts && texts[i]; i++)
		if (!c->is_set[i])
			return ep_fail(c->err, -EINVAL,
				"--param '%s': none of the models has a parameter of that name",
				texts[i]);
	return 0;
}

/* Adds a model. name is a path, or the name of a model of the CPU or of a generic model. */
static int add_model(struct chooser *c, const char *name)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	struct ep_model **bigger =
		realloc(c->chosen.models, (c->chosen.n_models + 1) * sizeof(*bigger));
	const struct ep_catalog_entry *entry = NULL;
	int rc = 0;

	if (!bigger)
		return fail_memory(c);
	c->chosen.models = bigger;
	if (!ep_catalog_is_path(name))
		rc = ep_catalog_choose(&c->catalog, name, c->chosen.cpu, &entry, c->err);
	if (!rc)
		rc = entry ? ep_catalog_read(&c->catalog, entry, &file, c->err)
			   : ep_formula_file_read(name, &file, c->err);
	if (!rc)
		rc = set_parameters(c, &file);
	if (!rc)
		rc = ep_model_create(&file, NULL, NULL, &bigger[c->chosen.n_models], c->err);
	if (!rc)
		c->chosen.n_models++;
	return rc;
}

static bool has_everybodys(const struct chooser *c, const char *name)
{
	return ep_catalog_find(&c->catalog, name, "generic") != NULL;
}

/* Returns the names of the models that are used if the user names none. The model "software" comes last: most
 * traces have its events, and they have a meaning on every CPU. */
static char *default_names(const struct chooser *c)
{
	const char *own = ep_event_plan_default_models(c->chosen.cpu ? c->chosen.cpu : "");
	char *names = NULL;

	/* only the model "software" is offered for a CPU that is not known */
	if (!strcmp(own, "software"))
		return asprintf(&names, "%s%s%s", has_everybodys(c, "topdown") ? "topdown," : "",
			       has_everybodys(c, "linux") ? "linux," : "", own) < 0
			       ? NULL
			       : names;
	return asprintf(&names, "%s,software", own) < 0 ? NULL : names;
}

static int add_models(struct chooser *c, const char *names)
{
	EP_AUTOFREE char *copy = names ? strdup(names) : default_names(c);
	char *rest = copy, *name;
	int rc = copy ? 0 : fail_memory(c);

	while (!rc && (name = strsep(&rest, ",")))
		if (*name)
			rc = add_model(c, name);
	return rc;
}

static int read_table(struct chooser *c)
{
	EP_AUTOFREE char *path = ep_catalog_table_path(&c->catalog, c->chosen.cpu);

	return path ? ep_event_table_read(path, &c->chosen.table, c->err) : 0;
}

static int open_choice(struct chooser *c)
{
	const struct ep_model_choice *choice = c->choice;
	const char *cpu = choice->cpu;
	uint32_t n_parameters = 0;
	int rc = ep_catalog_open(&c->catalog, c->err);

	if (rc)
		return rc;
	while (choice->parameters && choice->parameters[n_parameters])
		n_parameters++;
	c->is_set = calloc(n_parameters + 1, sizeof(*c->is_set));
	if (!cpu)
		cpu = ep_catalog_cpu_of(&c->catalog, choice->cpuid);
	c->chosen.cpu = cpu ? strdup(cpu) : NULL;
	if ((cpu && !c->chosen.cpu) || !c->is_set)
		return fail_memory(c);
	rc = read_table(c);
	if (!rc)
		rc = add_models(c, choice->names);
	return rc ? rc : check_parameters(c);
}

int ep_chosen_models_open_choice(
	struct ep_chosen_models *out, const struct ep_model_choice *choice, struct ep_error *err)
{
	__attribute__((cleanup(finish_chooser))) struct chooser c = { .choice = choice,
		.err = err };
	int rc = open_choice(&c);

	if (rc)
		return rc;
	*out = c.chosen;
	c.chosen = (struct ep_chosen_models){ 0 };
	return 0;
}

int ep_chosen_models_open(struct ep_chosen_models *out, const char *names, const char *cpu,
	const char *cpuid, struct ep_error *err)
{
	const struct ep_model_choice choice = { names, cpu, cpuid, NULL };

	return ep_chosen_models_open_choice(out, &choice, err);
}
