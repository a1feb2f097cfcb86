// SPDX-License-Identifier: BSD-3-Clause
/* Prints metrics for other programs to read; TSV, CSV and JSON have the same names and values. */
#include "reporter/formula/formula_view.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/table.h"
#include "reporter/text/json_text.h"

/* Prints the shortest text that reads back as the same double. */
static void print_number(double number, FILE *out)
{
	char text[40];
	int digits = 15;

	do
		snprintf(text, sizeof(text), "%.*g", digits, number);
	while (strtod(text, NULL) != number && ++digits <= 17);
	fputs(text, out);
}

static void print_status(const struct ep_metric_value *value, FILE *out)
{
	if (value->metric->problem)
		fputs("syntax", out);
	else
		ep_metric_value_print_status(value, out);
}

/* Returns the text for an absent value. With perf_semantics it is one of perf's two results that are no
 * number: "nan", and "abort" for an evaluation that perf gives up. */
static const char *absent_text(
	const struct ep_scope_view *view, const struct ep_metric_value *value)
{
	if (!view->perf_semantics)
		return "-";
	return value->result.absence == EP_ABSENT_NAN && !value->metric->problem ? "nan" : "abort";
}

static void print_tsv(const struct ep_scope_view *view, FILE *out)
{
	const struct ep_formula_file *file = ep_model_file(view->model);

	for (uint32_t i = 0; i < file->n_metrics; i++) {
		const struct ep_metric_value *value = &view->metrics[i];

		if (view->scope)
			fprintf(out, "%s\t", view->scope);
		fprintf(out, "%s\t", file->metrics[i].name);
		if (value->result.absence)
			fputs(absent_text(view, value), out);
		else
			print_number(value->result.value, out);
		fputc('\t', out);
		print_status(value, out);
		fputc('\n', out);
	}
}

static int view_tsv(const struct ep_scope_view *views, size_t n_views, FILE *out)
{
	for (size_t i = 0; i < n_views; i++)
		print_tsv(&views[i], out);
	return 0;
}

static void print_csv_number(double number, FILE *out)
{
	if (isfinite(number))
		print_number(number, out);
}

/* The words for a calibration's result; NULL: nothing is printed. */
static const char *const trust_names[] = {
	[EP_TRUST_UNCHECKED] = NULL,
	[EP_TRUST_NOT_TESTED] = "not tested",
	[EP_TRUST_CONFIRMED] = "confirmed",
	[EP_TRUST_CONTRADICTED] = "contradicted",
	[EP_TRUST_LEANS] = "leans on contradicted",
};

static void print_csv_line(
	const struct ep_scope_view *view, const struct ep_metric_value *value, FILE *out)
{
	bool absent = value->result.absence != EP_PRESENT;

	ep_table_put_text(out, view->scope);
	fputc(',', out);
	ep_table_put_text(out, value->metric->name);
	fputc(',', out);
	print_csv_number(value->result.value, out);
	fputc(',', out);
	print_csv_number(absent ? NAN : value->result.standard_error, out);
	fputc(',', out);
	print_csv_number(absent ? NAN : value->result.coverage, out);
	fputc(',', out);
	print_status(value, out);
	fputc(',', out);
	ep_table_put_text(out, value->metric->base);
	fputc(',', out);
	ep_table_put_text(out, value->metric->unit);
	fputc(',', out);
	ep_table_put_text(out, trust_names[value->trust.trust]);
	fputc('\n', out);
}

static int view_csv(const struct ep_scope_view *views, size_t n_views, FILE *out)
{
	fputs("scope,metric,value,standard_error,coverage,status,base,unit,verdict\n", out);
	for (size_t v = 0; v < n_views; v++)
		for (uint32_t i = 0; i < ep_model_file(views[v].model)->n_metrics; i++)
			print_csv_line(&views[v], &views[v].metrics[i], out);
	return 0;
}

static char *status_text(const struct ep_metric_value *value)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	print_status(value, memory);
	return fclose(memory) ? NULL : text;
}

static void put_text(json_object *object, const char *key, const char *text)
{
	if (text)
		json_object_object_add(object, key, json_object_new_string(text));
}

static json_object *metric_object(const struct ep_metric_value *value)
{
	json_object *object = json_object_new_object();
	EP_AUTOFREE char *status = status_text(value);
	bool absent = value->result.absence != EP_PRESENT;

	if (!object)
		return NULL;
	put_text(object, "metric", value->metric->name);
	ep_json_set_number(object, "value", value->result.value);
	ep_json_set_number(object, "standard_error", absent ? NAN : value->result.standard_error);
	ep_json_set_number(object, "coverage", absent ? NAN : value->result.coverage);
	put_text(object, "status", status);
	put_text(object, "base", value->metric->base);
	put_text(object, "unit", value->metric->unit);
	put_text(object, "parent", value->metric->parent);
	put_text(object, "verdict", trust_names[value->trust.trust]);
	put_text(object, "verdict_text", value->metric->verdict);
	if (value->trust.leans_on)
		put_text(object, "leans_on", value->trust.leans_on->name);
	return object;
}

static json_object *check_object(const struct ep_check_value *value)
{
	static const char *const states[] = {
		[EP_CHECK_HOLDS] = "holds",
		[EP_CHECK_BROKEN] = "broken",
		[EP_CHECK_UNKNOWN] = "unknown",
	};
	json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	put_text(object, "check", value->check->name);
	put_text(object, "state", states[value->state]);
	ep_json_set_number(object, "value", value->value.value);
	put_text(object, "relation", value->relation);
	ep_json_set_number(object, "bound", value->bound.value);
	if (value->state == EP_CHECK_BROKEN)
		put_text(object, "cause", value->check->cause);
	return object;
}

static json_object *scope_object(const struct ep_scope_view *view)
{
	const struct ep_formula_file *file = ep_model_file(view->model);
	json_object *object = json_object_new_object(), *metrics = json_object_new_array(),
		    *checks = json_object_new_array();

	for (uint32_t i = 0; i < file->n_metrics; i++)
		json_object_array_add(metrics, metric_object(&view->metrics[i]));
	for (uint32_t i = 0; !view->perf_semantics && i < file->n_checks; i++)
		json_object_array_add(checks, check_object(&view->checks[i]));
	put_text(object, "scope", view->scope);
	put_text(object, "model", file->name);
	put_text(object, "cpu", file->cpu);
	json_object_object_add(object, "metrics", metrics);
	json_object_object_add(object, "checks", checks);
	return object;
}

static int view_json(const struct ep_scope_view *views, size_t n_views, FILE *out)
{
	json_object *root = json_object_new_array();

	for (size_t i = 0; i < n_views; i++)
		json_object_array_add(root, scope_object(&views[i]));
	return ep_json_print(root, 0, out);
}

static const struct ep_view kinds[] = {
	{ "tsv", view_tsv },
	{ "tree", ep_view_tree },
	{ "csv", view_csv },
	{ "json", view_json },
};

const struct ep_view *ep_view_find(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

int ep_view_take(void *into, const char *name)
{
	const struct ep_view **view = into;

	*view = ep_view_find(name);
	return *view ? 0 : -EINVAL;
}
