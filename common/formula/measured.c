// SPDX-License-Identifier: BSD-3-Clause
/* Replaces parameters of a shipped file by those that evcal measured. Any thread may call these functions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/formula_file.h"

static const struct ep_formula_parameter *find(const struct ep_formula_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, name))
			return &file->parameters[i];
	return NULL;
}

static int take(struct ep_formula_parameter *into, const struct ep_formula_parameter *measured)
{
	char *source = strdup(measured->source ? measured->source : "measured by evcal");

	if (!source)
		return -ENOMEM;
	free(into->source);
	into->source = source;
	into->value = measured->value;
	into->is_measured = true;
	return 0;
}

static int take_all(struct ep_formula_file *file, const char *path, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file latencies = { 0 };
	int rc = ep_formula_file_read(path, &latencies, err);

	if (rc)
		return rc;
	for (uint32_t i = 0; !rc && i < file->n_parameters; i++) {
		const struct ep_formula_parameter *measured =
			find(&latencies, file->parameters[i].name);

		if (measured && !isnan(measured->value) && !isnan(file->parameters[i].value))
			rc = take(&file->parameters[i], measured);
	}
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

int ep_catalog_read(const struct ep_catalog *catalog, const struct ep_catalog_entry *entry,
	struct ep_formula_file *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };
	const struct ep_catalog_entry *latencies =
		entry->cpu ? ep_catalog_find(catalog, EP_CATALOG_LATENCIES, entry->cpu) : NULL;
	int rc = ep_formula_file_read(entry->path, &file, err);

	if (!rc && latencies && latencies != entry)
		rc = take_all(&file, latencies->path, err);
	if (rc)
		return rc;
	*out = file;
	file = (struct ep_formula_file){ 0 };
	return 0;
}
