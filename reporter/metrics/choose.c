// SPDX-License-Identifier: BSD-3-Clause
/* Models by name or path. One thread. */
#include "reporter/metrics/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/plan.h"

static const char everywhere[] = "generic";

struct chooser {
	struct ep_catalog catalog;
	struct ep_chosen_models chosen;
	struct ep_error *err;
};

static void finish_chooser(struct chooser *c)
{
	ep_catalog_close(&c->catalog);
	ep_chosen_models_close(&c->chosen);
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

static const struct ep_catalog_entry *find_entry(const struct chooser *c, const char *name)
{
	const struct ep_catalog_entry *entry = NULL;

	if (c->chosen.cpu)
		entry = ep_catalog_find(&c->catalog, name, c->chosen.cpu);
	return entry ? entry : ep_catalog_find(&c->catalog, name, everywhere);
}

static int fail_no_model(struct chooser *c, const char *name)
{
	char known[512] = "";
	size_t size = 0;

	for (uint32_t i = 0; i < c->catalog.n_entries; i++) {
		const struct ep_catalog_entry *e = &c->catalog.entries[i];

		if (e->cpu && size < sizeof(known) &&
			(!strcmp(e->cpu, everywhere) ||
				(c->chosen.cpu && !strcmp(e->cpu, c->chosen.cpu))))
			size += (size_t)snprintf(
				known + size, sizeof(known) - size, " %s", e->name);
	}
	return ep_fail(c->err, -ENOENT, "no model '%s' for %s; there are:%s", name,
		c->chosen.cpu ? c->chosen.cpu : "the trace's CPU (--cpu names another)", known);
}

static int add_model(struct chooser *c, const char *name)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	const struct ep_catalog_entry *entry = strchr(name, '/') ? NULL : find_entry(c, name);
	struct ep_model **bigger =
		realloc(c->chosen.models, (c->chosen.n_models + 1) * sizeof(*bigger));
	int rc;

	if (!bigger)
		return fail_memory(c);
	c->chosen.models = bigger;
	if (!entry && !strchr(name, '/'))
		return fail_no_model(c, name);
	rc = ep_formula_file_read(entry ? entry->path : name, &file, c->err);
	if (!rc)
		rc = ep_model_create(&file, NULL, NULL, &bigger[c->chosen.n_models], c->err);
	if (!rc)
		c->chosen.n_models++;
	return rc;
}

/* Software events come last: most traces have them, and they say something everywhere. */
static char *default_names(const struct chooser *c)
{
	const char *own = ep_plan_default_models(c->chosen.cpu ? c->chosen.cpu : "");
	char *names = NULL;

	if (!strcmp(own, "software"))
		return strdup(own);
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
	EP_AUTOFREE char *path = NULL;
	const char *name = NULL;

	for (uint32_t i = 0; c->chosen.cpu && i < c->catalog.n_entries; i++)
		if (c->catalog.entries[i].cpu && c->catalog.entries[i].events &&
			!strcmp(c->catalog.entries[i].cpu, c->chosen.cpu))
			name = c->catalog.entries[i].events;
	if (!name)
		return 0;
	if (asprintf(&path, "%s/events/%s.events", c->catalog.root, name) < 0)
		return fail_memory(c);
	return ep_event_table_read(path, &c->chosen.table, c->err);
}

int ep_chosen_models_open(struct ep_chosen_models *out, const char *names, const char *cpu,
	const char *cpuid, struct ep_error *err)
{
	__attribute__((cleanup(finish_chooser))) struct chooser c = { .err = err };
	int rc = ep_catalog_open(&c.catalog, err);

	if (rc)
		return rc;
	if (!cpu)
		cpu = ep_catalog_cpu_of(&c.catalog, cpuid);
	c.chosen.cpu = cpu ? strdup(cpu) : NULL;
	if (cpu && !c.chosen.cpu)
		return fail_memory(&c);
	rc = read_table(&c);
	if (!rc)
		rc = add_models(&c, names);
	if (rc)
		return rc;
	*out = c.chosen;
	c.chosen = (struct ep_chosen_models){ 0 };
	return 0;
}
