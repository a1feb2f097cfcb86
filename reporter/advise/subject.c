// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/subject.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "reporter/advise/losses.h"

/* ---- names ---- */

static int plain(char c)
{
	return c == '_' || c == '-' ? ' ' : tolower((unsigned char)c);
}

bool ep_subject_is_named(const char *name, const char *wanted)
{
	while (*name && plain(*name) == plain(*wanted)) {
		name++;
		wanted++;
	}
	return !*name && !*wanted;
}

/* Tells whether a name of advise is short for the wanted one: advise writes "floating-point instr", and the file
 * of remedies "floating-point instructions". */
static bool is_short_for(const char *name, const char *wanted)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < size; i++)
		if (plain(name[i]) != plain(wanted[i]))
			return false;
	return !wanted[size] || !strcmp(wanted + size, "uctions");
}

int ep_subject_find_category(const char *name)
{
	for (int i = 0; i < EP_N_CATEGORIES; i++)
		if (is_short_for(ep_category_name((enum ep_category)i), name))
			return i;
	return -1;
}

static bool has_third_level(const struct ep_model *model)
{
	const struct ep_formula_file *file = ep_model_file(model);

	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, "L3_lat"))
			return !isnan(file->parameters[i].value);
	return false;
}

const char *ep_subject_category_metric(enum ep_category category, const struct ep_model *model)
{
	const char *const *metrics = ep_category_metrics(category);
	const char *name = metrics[1] && !has_third_level(model) ? metrics[1] : metrics[0];

	return ep_model_find_metric(model, name) < 0 ? NULL : name;
}

/* ---- remedies ---- */

uint32_t ep_subject_category_remedies(enum ep_category category, const struct ep_advice *advice,
	const struct ep_remedy *out_remedies[EP_REMEDIES_MOST])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < advice->n_remedies && n < EP_REMEDIES_MOST; i++)
		if (is_short_for(ep_category_name(category), advice->remedies[i].category))
			out_remedies[n++] = &advice->remedies[i];
	return n;
}

/* Tells whether a metric is the whole one, or one of its parts, which are named WHOLE.PART. */
static bool is_of_metric(const char *metric, const char *whole)
{
	size_t size = strlen(whole);

	return !strncmp(metric, whole, size) && (!metric[size] || metric[size] == '.');
}

/* Returns the symptoms that a metric stands for, as bits 1 << enum ep_symptom. */
static uint32_t symptoms_named(const char *metric)
{
	const struct ep_loss_kind *kind = ep_loss_kind_find(metric);
	uint32_t symptoms = kind ? kind->symptoms : 0;

	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		if (is_of_metric(ep_symptom_metric((enum ep_symptom)i), metric))
			symptoms |= 1u << i;
	for (int i = 0; i < EP_N_CATEGORIES; i++) {
		const char *const *metrics = ep_category_metrics((enum ep_category)i);

		if (metrics[1] && !strcmp(metric, metrics[0]))
			symptoms |= symptoms_named(metrics[1]);
	}
	return symptoms;
}

enum { MAX_DEPTH = 8 };

static uint32_t symptoms_of(const struct ep_model *model, const char *metric)
{
	for (int depth = 0; metric && depth < MAX_DEPTH; depth++) {
		int i = ep_model_find_metric(model, metric);
		uint32_t symptoms = symptoms_named(metric);

		if (symptoms || ep_loss_kind_find(metric))
			return symptoms;
		metric = i < 0 ? NULL : ep_model_file(model)->metrics[i].parent;
	}
	return 0;
}

static bool is_for_any(const struct ep_remedy *remedy, uint32_t symptoms)
{
	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		if (symptoms & 1u << i && ep_remedy_is_for(remedy, (enum ep_symptom)i))
			return true;
	return false;
}

uint32_t ep_subject_metric_remedies(const struct ep_model *model, const char *metric,
	const struct ep_advice *advice, const struct ep_remedy *out_remedies[EP_REMEDIES_MOST])
{
	uint32_t symptoms = symptoms_of(model, metric), n = 0;

	for (uint32_t i = 0; i < advice->n_remedies && n < EP_REMEDIES_MOST; i++)
		if (is_for_any(&advice->remedies[i], symptoms))
			out_remedies[n++] = &advice->remedies[i];
	return n;
}
