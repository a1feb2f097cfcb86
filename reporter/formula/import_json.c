// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads metrics from JSON: perf's form (an array of objects with MetricName and MetricExpr) and the generic form of
 * Intel's perfmon (an object with Metrics, whose formulas use one-letter aliases).
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/foreign_text.h"
#include "common/formula/parse.h"
#include "reporter/formula/import.h"

static void put_json(json_object **object)
{
	json_object_put(*object);
}

static void free_tokener(json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

/* Returns the text of a key; NULL: the key is missing, or its value is no text. JSON may contain control
 * characters as escapes (\u001b); they are removed from the object's own copy of the text. */
static const char *text_of(json_object *object, const char *key)
{
	json_object *value;
	char *text;

	if (!json_object_object_get_ex(object, key, &value) ||
		!json_object_is_type(value, json_type_string))
		return NULL;
	text = (char *)json_object_get_string(value);
	ep_foreign_text_clean(text, strlen(text), EP_FOREIGN_LINES);
	return text;
}

static json_object *array_of(json_object *object, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(object, key, &value) &&
			       json_object_is_type(value, json_type_array)
		       ? value
		       : NULL;
}

/* Copies the text of a key to *out, as one line, unless *out is set already. Returns 0 or -ENOMEM. */
static int keep_text(json_object *object, const char *key, char **out)
{
	const char *text = text_of(object, key);

	if (!text || !*text || *out)
		return 0;
	*out = strdup(text);
	if (!*out)
		return -ENOMEM;
	for (char *c = *out; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return 0;
}

/* Reads a metric's threshold. A threshold that cannot be read is left out, since the metric's value does not
 * depend on it. Returns 0 or -ENOMEM. */
static int keep_threshold(json_object *object, struct ep_formula_metric *metric)
{
	const char *text = text_of(object, "MetricThreshold");
	struct ep_error err;
	int rc = text ? ep_formula_parse_text(text, &metric->threshold, &err) : 0;

	return rc == -ENOMEM ? rc : 0;
}

static int add_perf_metric(json_object *object, struct ep_import *import)
{
	const char *name = text_of(object, "MetricName"), *expr = text_of(object, "MetricExpr");
	const char *pmu = text_of(object, "Unit");
	struct ep_formula_file *file;
	struct ep_formula_metric *metric;

	if (!name || !expr)
		return 0; /* the object is an event: event files lie in the same folder */
	file = ep_import_file(import, pmu ? pmu : "");
	metric = file ? ep_formula_file_add_metric(file, name) : NULL;
	if (!metric || ep_import_expression(metric, expr, &ep_dialect_perf) ||
		keep_threshold(object, metric) ||
		keep_text(object, "MetricGroup", &metric->group) ||
		keep_text(object, "ScaleUnit", &metric->scale) ||
		keep_text(object, "BriefDescription", &metric->about) ||
		keep_text(object, "PublicDescription", &metric->note))
		return -ENOMEM;
	return 0;
}

/* Returns the metric language's name for a constant of perfmon, which is a number or a fact about the machine. */
static const char *constant_name(const char *name)
{
	static const struct {
		const char *perfmon, *literal;
	} facts[] = {
		{ "system.tsc_freq", "#system_tsc_freq" },
		{ "SYSTEM_TSC_FREQ", "#system_tsc_freq" },
		{ "system.socket_count", "#num_packages" },
		{ "system.sockets.count", "#num_packages" },
		{ "system.sockets[0].cores.count", "#num_cores" },
		{ "HYPERTHREADING_ON", "#smt_on" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(facts); i++)
		if (!strcmp(facts[i].perfmon, name))
			return facts[i].literal;
	return name;
}

static int replace_aliases(json_object *metric_object, const char *key, struct ep_ast *ast)
{
	json_object *list = array_of(metric_object, key);
	int rc = 0;

	for (size_t i = 0; !rc && list && i < json_object_array_length(list); i++) {
		json_object *entry = json_object_array_get_idx(list, i);
		const char *name = text_of(entry, "Name"), *alias = text_of(entry, "Alias");

		if (name && alias)
			rc = ep_import_rename(ast, alias, constant_name(name));
	}
	return rc;
}

static int add_perfmon_metric(json_object *object, struct ep_import *import)
{
	const char *name = text_of(object, "MetricName"), *formula = text_of(object, "Formula");
	struct ep_formula_file *file = ep_import_file(import, "");
	struct ep_formula_metric *metric;
	json_object *level;

	if (!name || !formula)
		return 0;
	metric = file ? ep_formula_file_add_metric(file, name) : NULL;
	if (!metric || ep_import_expression(metric, formula, &ep_dialect_import) ||
		replace_aliases(object, "Events", &metric->expr) ||
		replace_aliases(object, "Constants", &metric->expr) ||
		keep_text(object, "MetricGroup", &metric->group) ||
		keep_text(object, "UnitOfMeasure", &metric->unit) ||
		keep_text(object, "ParentCategory", &metric->parent) ||
		keep_text(object, "BriefDescription", &metric->about))
		return -ENOMEM;
	if (json_object_object_get_ex(object, "Level", &level))
		metric->level = json_object_get_double(level);
	return 0;
}

static int add_all(
	json_object *list, int (*add)(json_object *, struct ep_import *), struct ep_import *import)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < json_object_array_length(list); i++) {
		json_object *entry = json_object_array_get_idx(list, i);

		if (json_object_is_type(entry, json_type_object))
			rc = add(entry, import);
	}
	return rc;
}

static struct ep_place place_at(const char *path, const char *text, size_t offset_bytes)
{
	struct ep_place place = { path, 1, 1 };

	for (size_t i = 0; i < offset_bytes && text[i]; i++) {
		place.column++;
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

int ep_import_json(
	const char *path, const char *text, struct ep_import *import, struct ep_error *err)
{
	__attribute__((cleanup(free_tokener))) json_tokener *tokener = json_tokener_new_ex(64);
	__attribute__((cleanup(put_json))) json_object *root = NULL;
	json_object *metrics;
	size_t size = strlen(text);
	int rc;

	if (!tokener || size > INT32_MAX)
		return ep_fail(err, -ENOMEM, "out of memory");
	root = json_tokener_parse_ex(tokener, text, (int)size);
	if (!root)
		return ep_fail_at(err, -EINVAL,
			place_at(path, text, json_tokener_get_parse_end(tokener)), "not JSON: %s",
			json_tokener_error_desc(json_tokener_get_error(tokener)));
	metrics = json_object_is_type(root, json_type_object) ? array_of(root, "Metrics") : NULL;
	if (metrics)
		rc = add_all(metrics, add_perfmon_metric, import);
	else if (json_object_is_type(root, json_type_array))
		rc = add_all(root, add_perf_metric, import);
	else
		return ep_fail_at(err, -EINVAL, (struct ep_place){ path, 1, 1 },
			"expected an array of metrics (perf) or an object with \"Metrics\" (perfmon)");
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}
