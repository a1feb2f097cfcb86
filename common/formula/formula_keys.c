// SPDX-License-Identifier: BSD-3-Clause
/* Formula files in memory: the tables of keys, adding entries, and freeing. */
#include "common/formula/formula_keys.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(type, field)                                                                          \
	{                                                                                          \
#field, EP_KEY_TEXT, offsetof(struct type, field)                                  \
	}
#define NUMBER(type, field)                                                                        \
	{                                                                                          \
#field, EP_KEY_NUMBER, offsetof(struct type, field)                                \
	}
#define EXPRESSION(type, field)                                                                    \
	{                                                                                          \
#field, EP_KEY_EXPRESSION, offsetof(struct type, field)                            \
	}

static const struct ep_formula_key model_keys[] = {
	TEXT(ep_formula_file, name),
	TEXT(ep_formula_file, title),
	TEXT(ep_formula_file, cpu),
	TEXT(ep_formula_file, serves),
	TEXT(ep_formula_file, events),
	TEXT(ep_formula_file, include),
	TEXT(ep_formula_file, source),
	TEXT(ep_formula_file, date),
	TEXT(ep_formula_file, kernel),
	TEXT(ep_formula_file, thresholds),
	TEXT(ep_formula_file, note),
	{ NULL },
};

static const struct ep_formula_key parameter_keys[] = {
	NUMBER(ep_formula_parameter, value),
	NUMBER(ep_formula_parameter, error),
	TEXT(ep_formula_parameter, unit),
	TEXT(ep_formula_parameter, about),
	TEXT(ep_formula_parameter, source),
	{ NULL },
};

static const struct ep_formula_key metric_keys[] = {
	EXPRESSION(ep_formula_metric, expr),
	NUMBER(ep_formula_metric, level),
	TEXT(ep_formula_metric, parent),
	TEXT(ep_formula_metric, base),
	TEXT(ep_formula_metric, kind),
	TEXT(ep_formula_metric, unit),
	TEXT(ep_formula_metric, role),
	TEXT(ep_formula_metric, scale),
	TEXT(ep_formula_metric, group),
	EXPRESSION(ep_formula_metric, threshold),
	TEXT(ep_formula_metric, about),
	TEXT(ep_formula_metric, note),
	NUMBER(ep_formula_metric, error),
	NUMBER(ep_formula_metric, noise),
	TEXT(ep_formula_metric, date),
	TEXT(ep_formula_metric, fitness),
	TEXT(ep_formula_metric, verdict),
	{ NULL },
};

static const struct ep_formula_key check_keys[] = {
	EXPRESSION(ep_formula_check, expr),
	EXPRESSION(ep_formula_check, equals),
	EXPRESSION(ep_formula_check, at_most),
	EXPRESSION(ep_formula_check, at_least),
	NUMBER(ep_formula_check, tolerance),
	TEXT(ep_formula_check, cause),
	TEXT(ep_formula_check, doubts),
	{ NULL },
};

static void *add_model(struct ep_formula_file *file, const char *entry_name)
{
	return file;
}

static void *add_parameter(struct ep_formula_file *file, const char *entry_name)
{
	return ep_formula_file_add_parameter(file, entry_name);
}

static void *add_metric(struct ep_formula_file *file, const char *entry_name)
{
	return ep_formula_file_add_metric(file, entry_name);
}

static void *add_check(struct ep_formula_file *file, const char *entry_name)
{
	return ep_formula_file_add_check(file, entry_name);
}

/* Returns false, since the keys of the file's one model may be in several sections. */
static bool has_model(const struct ep_formula_file *file, const char *entry_name)
{
	return false;
}

#define DEFINE_HAS(what)                                                                           \
	bool ep_formula_file_has_##what(const struct ep_formula_file *file, const char *name)      \
	{                                                                                          \
		for (uint32_t i = 0; i < file->n_##what##s; i++)                                   \
			if (!strcmp(file->what##s[i].name, name))                                  \
				return true;                                                       \
		return false;                                                                      \
	}

DEFINE_HAS(parameter)
DEFINE_HAS(metric)
DEFINE_HAS(check)

const struct ep_formula_section ep_formula_sections[EP_N_SECTIONS] = {
	[EP_SECTION_MODEL] = { "model", model_keys, "name", add_model, has_model },
	[EP_SECTION_PARAMETER] = { "parameter", parameter_keys, NULL, add_parameter,
		ep_formula_file_has_parameter },
	[EP_SECTION_METRIC] = { "metric", metric_keys, "expr", add_metric,
		ep_formula_file_has_metric },
	[EP_SECTION_CHECK] = { "check", check_keys, "expr", add_check, ep_formula_file_has_check },
};

const struct ep_formula_kind ep_formula_kinds[] = {
	{ "value", false, false, false },
	{ "share", true, true, true },
	{ "ratio", true, false, false },
	{ "count", true, false, false },
	{ "cycles", true, false, false },
	{ "cpi", true, false, false },
	{ "rate", true, false, false },
	{ NULL, false, false, false },
};

const struct ep_formula_kind *ep_formula_kind_find(const char *name)
{
	if (!name)
		return &ep_formula_kinds[0];
	for (const struct ep_formula_kind *kind = ep_formula_kinds; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

/* Makes room for one more entry and clears it; its numbers become NaN. */
static void *grow(void *array, uint32_t n, size_t size_entry, const struct ep_formula_key *keys)
{
	char *bigger = realloc(array, (n + 1) * size_entry), *entry;

	if (!bigger)
		return NULL;
	entry = bigger + n * size_entry;
	memset(entry, 0, size_entry);
	for (; keys->name; keys++)
		if (keys->type == EP_KEY_NUMBER)
			*(double *)ep_key_field(keys, entry) = NAN;
	return bigger;
}

#define DEFINE_ADD(what)                                                                           \
	struct ep_formula_##what *ep_formula_file_add_##what(                                      \
		struct ep_formula_file *file, const char *name)                                    \
	{                                                                                          \
		void *bigger = grow(                                                               \
			file->what##s, file->n_##what##s, sizeof(*file->what##s), what##_keys);    \
		char *copy = strdup(name);                                                         \
                                                                                                   \
		if (bigger)                                                                        \
			file->what##s = bigger;                                                    \
		if (!bigger || !copy) {                                                            \
			free(copy);                                                                \
			return NULL;                                                               \
		}                                                                                  \
		file->what##s[file->n_##what##s].name = copy;                                      \
		return &file->what##s[file->n_##what##s++];                                        \
	}

DEFINE_ADD(parameter)
DEFINE_ADD(metric)
DEFINE_ADD(check)

static void finish_entry(const struct ep_formula_key *keys, void *entry)
{
	for (; keys->name; keys++) {
		void *field = ep_key_field(keys, entry);

		if (keys->type == EP_KEY_TEXT)
			free(*(char **)field);
		if (keys->type == EP_KEY_EXPRESSION)
			ep_ast_finish(field);
	}
}

void ep_formula_file_finish(struct ep_formula_file *file)
{
	if (!file)
		return;
	for (uint32_t i = 0; i < file->n_parameters; i++) {
		finish_entry(parameter_keys, &file->parameters[i]);
		free(file->parameters[i].name);
	}
	for (uint32_t i = 0; i < file->n_metrics; i++) {
		finish_entry(metric_keys, &file->metrics[i]);
		free(file->metrics[i].name);
		free(file->metrics[i].problem);
	}
	for (uint32_t i = 0; i < file->n_checks; i++) {
		finish_entry(check_keys, &file->checks[i]);
		free(file->checks[i].name);
	}
	finish_entry(model_keys, file);
	free(file->parameters);
	free(file->metrics);
	free(file->checks);
	free(file->path);
	*file = (struct ep_formula_file){ 0 };
}
