// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the models of all CPUs as sets of events: all that is needed to make plans, without the expressions. The file
 * is a text:
 *
 *     evprof-plans 1 VERSION
 *     cpu KEY SERVES DEFAULTS TABLE_BYTES MODELS_BYTES
 *     the CPU's event table, TABLE_BYTES long
 *     model NAME
 *     metric NAME shown|inner PARAMETER EVENT EVENT ...
 *
 * Tabs separate fields, blanks separate events; "-" stands for an empty field. PARAMETER: a parameter without a value
 * on this CPU, so that the metric cannot be known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/catalog.h"
#include "common/formula/plan_prepared.h"
#include "common/formula/plan_private.h"

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static void print_metric_sets(const struct ep_event_plan *plan, const char *name, FILE *out)
{
	fprintf(out, "model\t%s\n", name);
	for (uint32_t i = 0; i < plan->n_metrics; i++) {
		const struct ep_event_plan_metric *metric = &plan->metrics[i];
		const char *before = "";

		fprintf(out, "metric\t%s\t%s\t%s\t", metric->name,
			metric->is_shown ? "shown" : "inner", or_dash(metric->parameter));
		for (uint32_t k = 0; k < metric->n_events; k++, before = " ")
			fprintf(out, "%s%s", before, plan->events.texts[metric->events[k]]);
		fputc('\n', out);
	}
}

/* Prints the sets of a model. The CPU's event table is not used here, but when the prepared file is read. */
static int print_model(const struct ep_catalog_entry *entry, FILE *out, struct ep_error *err)
{
	const struct ep_event_plan_request request = { .models = entry->name };
	struct ep_plan_maker maker = {
		.plan = calloc(1, sizeof(*maker.plan)),
		.request = &request,
		.err = err,
	};
	int rc = maker.plan ? ep_plan_maker_add_file(&maker, entry->path)
			    : ep_fail(err, -ENOMEM, "out of memory");

	if (!rc)
		print_metric_sets(maker.plan, entry->name, out);
	ep_event_plan_destroy(maker.plan);
	return rc;
}

static bool is_of_cpu(const struct ep_catalog_entry *entry, const char *cpu)
{
	return entry->name && entry->cpu && !strcmp(entry->cpu, cpu);
}

static int print_models(
	const struct ep_catalog *catalog, const char *cpu, FILE *out, struct ep_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < catalog->n_entries; i++)
		if (is_of_cpu(&catalog->entries[i], cpu))
			rc = print_model(&catalog->entries[i], out, err);
	return rc;
}

/* Prints the patterns of all the CPU's entries, since a user's file may be for fewer CPUs than a shipped one. */
static void print_patterns(const struct ep_catalog *catalog, const char *cpu, FILE *out)
{
	const char *last = "";

	for (uint32_t i = 0; i < catalog->n_entries; i++) {
		const struct ep_catalog_entry *entry = &catalog->entries[i];

		if (!is_of_cpu(entry, cpu) || !entry->serves || !strcmp(entry->serves, last))
			continue;
		fprintf(out, "%s%s", *last ? " " : "", entry->serves);
		last = entry->serves;
	}
	if (!*last)
		fputc('-', out);
}

static int read_table_text(const struct ep_catalog *catalog, const char *cpu, char **out_text,
	size_t *out_size, struct ep_error *err)
{
	EP_AUTOFREE char *path = ep_catalog_table_path(catalog, cpu);

	*out_size = 0;
	*out_text = NULL;
	return path ? ep_file_read(path, out_text, out_size, err) : 0;
}

static int print_cpu(
	const struct ep_catalog *catalog, const char *cpu, FILE *out, struct ep_error *err)
{
	EP_AUTOFREE char *table = NULL, *models = NULL;
	size_t table_bytes, models_bytes;
	FILE *memory = open_memstream(&models, &models_bytes);
	int rc = memory ? print_models(catalog, cpu, memory, err) : -ENOMEM;

	if (!memory || fclose(memory))
		return ep_fail(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = read_table_text(catalog, cpu, &table, &table_bytes, err);
	if (rc)
		return rc;
	fprintf(out, "cpu\t%s\t", cpu);
	print_patterns(catalog, cpu, out);
	fprintf(out, "\t%s\t%zu\t%zu\n", ep_event_plan_default_models(cpu), table_bytes,
		models_bytes);
	fwrite(table ? table : "", 1, table_bytes, out);
	fwrite(models, 1, models_bytes, out);
	return 0;
}

static bool is_first_of_cpu(const struct ep_catalog *catalog, uint32_t idx)
{
	for (uint32_t i = 0; i < idx; i++)
		if (is_of_cpu(&catalog->entries[i], catalog->entries[idx].cpu))
			return false;
	return catalog->entries[idx].name;
}

int ep_event_plans_prepare(FILE *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	int rc = ep_catalog_open(&catalog, err);

	if (!rc)
		fprintf(out, EP_PREPARED_FORMAT " " EVPROF_VERSION "\n");
	for (uint32_t i = 0; !rc && i < catalog.n_entries; i++)
		if (catalog.entries[i].cpu && is_first_of_cpu(&catalog, i))
			rc = print_cpu(&catalog, catalog.entries[i].cpu, out, err);
	return rc;
}
