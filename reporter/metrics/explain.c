// SPDX-License-Identifier: BSD-3-Clause
/* Explains metrics, for evreport metrics --explain, and without a run for evreport explain. One thread. */
#include "reporter/metrics/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/names.h"
#include "common/formula/parse.h"
#include "reporter/text/signs.h"

struct explainer {
	const struct ep_metric_scope *scope;
	struct ep_model *model;
	const struct ep_formula_file *file;
	const struct ep_layout *layout;
	struct ep_metric_value *values; /* (n_metrics) NULL: there is no run */
	struct ep_names metrics;        /* metrics in the order of their first use */
	struct ep_names others;         /* events, parameters and literals, in the same order */
};

static void finish(struct explainer *x)
{
	free(x->values);
	ep_names_finish(&x->metrics);
	ep_names_finish(&x->others);
}

static const char *sign(const struct explainer *x)
{
	return ep_sign_plus_minus(x->layout->utf8);
}

/* ---- names in expressions ---- */

/* Notes the names in an expression: metrics are added to the queue, other names to the list of others. */
static int note_names(struct explainer *x, const struct ep_ast *ast)
{
	uint32_t idx;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < ast->n_nodes; i++) {
		const struct ep_node *node = &ast->nodes[i];

		if (node->op != EP_OP_NAME && node->op != EP_OP_LITERAL)
			continue;
		const char *name = ep_ast_name(ast, node);
		bool is_metric = ep_model_find_metric(x->model, name) >= 0;

		rc = ep_names_add(is_metric ? &x->metrics : &x->others, name, &idx);
	}
	return rc;
}

/* ---- metrics ---- */

static void put_number(const struct explainer *x, const struct ep_metric_value *value)
{
	const struct ep_formula_kind *kind = ep_formula_kind_find(value->metric->kind);
	bool is_percent = kind && kind->shows_percent;
	double scale = is_percent ? 100 : 1, error = EP_BAR_ERRORS * value->result.standard_error;

	if (value->result.absence) {
		fputs("not known: ", x->layout->out);
		ep_metric_value_print_status(value, x->layout->out);
		return;
	}
	fprintf(x->layout->out, is_percent ? "%.2f %%" : "%.6g", scale * value->result.value);
	if (isnan(error))
		fprintf(x->layout->out, " %s?", sign(x));
	else if (error > 0)
		fprintf(x->layout->out, " %s%.2g", sign(x), scale * error);
	if (value->metric->base && is_percent)
		fprintf(x->layout->out, " of %s", value->metric->base);
	if (value->metric->unit)
		fprintf(x->layout->out, " %s", value->metric->unit);
}

static void put_text(const struct explainer *x, const char *label, const char *text)
{
	if (!text)
		return;
	fprintf(x->layout->out, "  %s", label);
	ep_put_wrapped(x->layout, text, 2 + (uint32_t)strlen(label));
}

/* Removes backslashes, which a formula file needs in names of events such as minor\-faults. The printed text
 * stays clear without them, since its operators have blanks on both sides. */
static void drop_escapes(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++)
		if (*at != '\\')
			*to++ = *at;
	*to = '\0';
}

static int put_expression(const struct explainer *x, const struct ep_ast *ast)
{
	EP_AUTOFREE char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int rc = memory ? ep_formula_print(ast, memory) : -ENOMEM;

	if (memory && fclose(memory))
		rc = -ENOMEM;
	if (rc)
		return rc;
	drop_escapes(text);
	put_text(x, "= ", text);
	return 0;
}

/* Prints what kind of number the metric is, in place of a value, if there is no run. */
static void put_nature(const struct explainer *x, const struct ep_formula_metric *metric)
{
	const struct ep_formula_kind *kind = ep_formula_kind_find(metric->kind);

	if (kind && kind->shows_percent)
		fprintf(x->layout->out, metric->base ? "a share of %s" : "a share", metric->base);
	else if (metric->unit)
		fputs(metric->unit, x->layout->out);
	else
		fputs(metric->kind ? metric->kind : "a number", x->layout->out);
}

static int put_metric(struct explainer *x, uint32_t idx)
{
	const struct ep_formula_metric *metric = &x->file->metrics[idx];
	int rc;

	fprintf(x->layout->out, "%s  ", metric->name);
	if (x->values)
		put_number(x, &x->values[idx]);
	else
		put_nature(x, metric);
	fputc('\n', x->layout->out);
	put_text(x, "", metric->about);
	rc = put_expression(x, &metric->expr);
	put_text(x, "note: ", metric->note);
	put_text(x, "checked here: ", metric->verdict);
	return rc ? rc : note_names(x, &metric->expr);
}

/* ---- counts and parameters ---- */

static const struct ep_report_event *find_event(const struct explainer *x, const char *name)
{
	const struct ep_event_row *row = ep_event_table_find(x->scope->table, name);

	for (uint32_t e = 0; e < x->scope->report->n_events; e++) {
		const struct ep_report_event *event = &x->scope->report->events[e];

		if (!strcmp(event->name, name) ||
			(row && row->open && !strcmp(event->name, row->open)))
			return event;
	}
	return NULL;
}

static void put_how_counted(const struct explainer *x, const struct ep_report_event *event)
{
	FILE *out = x->layout->out;

	if (!event->total.is_estimate) {
		fputs("    counted all the time\n", out);
		return;
	}
	fprintf(out,
		"    counted in %" PRIu64 " of the run's %" PRIu64
		" slices, estimated for the others",
		event->n_slices_measured, event->n_slices);
	if (event->estimator)
		fprintf(out, " (%s)", event->estimator);
	if (ep_quantity_is_known(&event->holdout_error))
		fprintf(out,
			";\n    counts that were hidden from it were predicted to %.2g %% on average",
			100 * event->holdout_error.value);
	fputc('\n', out);
}

static void put_encoding(const struct explainer *x, const char *name)
{
	const struct ep_event_row *row = ep_event_table_find(x->scope->table, name);
	char text[512];

	if (!row)
		return;
	snprintf(text, sizeof(text), "%s%s%s", row->code ? row->code : "",
		row->code && row->meaning ? ": " : "", row->meaning ? row->meaning : "");
	put_text(x, "  ", text);
}

/* Tells whether a value is printed as a whole number: it has no fraction, or the fraction of an estimated
 * count is beyond the first six digits. A time in seconds usually has a fraction within them. */
static bool is_whole(double value)
{
	return value == floor(value) || fabs(value) >= 1e5;
}

static void put_event(const struct explainer *x, const char *name)
{
	bool is_known = ep_event_table_find(x->scope->table, name) != NULL;

	fprintf(x->layout->out, "  %s%s\n", name, is_known ? "" : "  not an event of this CPU");
	put_encoding(x, name);
}

static void put_count(const struct explainer *x, const char *name)
{
	const struct ep_measured *value = ep_values_find(&x->scope->values, name);
	const struct ep_report_event *event = find_event(x, name);
	FILE *out = x->layout->out;

	fprintf(out, "  %s  ", name);
	if (!value || !value->is_measured) {
		fputs(strcmp(name, "duration_time") ? "not counted\n" : "not known\n", out);
	} else {
		fprintf(out, is_whole(value->value) ? "%.0f" : "%.6g", value->value);
		if (isnan(value->standard_error))
			fprintf(out, " %s?", sign(x));
		else if (value->standard_error > 0 && value->value > 0)
			fprintf(out, " %s%.2g %%", sign(x),
				100 * EP_BAR_ERRORS * value->standard_error / value->value);
		fputc('\n', out);
	}
	if (event && value && value->is_measured)
		put_how_counted(x, event);
	put_encoding(x, name);
}

static const struct ep_formula_parameter *find_parameter(
	const struct explainer *x, const char *name)
{
	for (uint32_t i = 0; i < x->file->n_parameters; i++)
		if (!strcmp(x->file->parameters[i].name, name))
			return &x->file->parameters[i];
	return NULL;
}

static void put_parameter(const struct explainer *x, const struct ep_formula_parameter *parameter)
{
	FILE *out = x->layout->out;

	fprintf(out, "  %s  ", parameter->name);
	if (isnan(parameter->value))
		fputs("a constant that is not known on this CPU\n", out);
	else
		fprintf(out, "%.6g%s%s, a constant\n", parameter->value, parameter->unit ? " " : "",
			parameter->unit ? parameter->unit : "");
	put_text(x, "  ", parameter->about);
	put_text(x, "  source: ", parameter->source);
}

static void put_others(const struct explainer *x)
{
	if (x->others.n_names)
		fputs("\nCounted, and constants\n", x->layout->out);
	for (uint32_t i = 0; i < x->others.n_names; i++) {
		const struct ep_formula_parameter *parameter =
			find_parameter(x, x->others.texts[i]);

		if (parameter)
			put_parameter(x, parameter);
		else if (!x->values)
			put_event(x, x->others.texts[i]);
		else
			put_count(x, x->others.texts[i]);
	}
}

/* ---- all of it ---- */

/* Returns a path in short form: the path of a file that came with evprof is reduced to the part that is the
 * same on all machines. */
static const char *file_in_words(const char *path)
{
	const char *shipped = path ? strstr(path, "/formulas/") : NULL;

	return shipped ? shipped + 1 : path;
}

static void put_source(const struct explainer *x)
{
	fputs("\nWhere the equations come from\n", x->layout->out);
	put_text(x, "", x->file->title);
	put_text(x, "", x->file->source);
	put_text(x, "note: ", x->file->note);
	put_text(x, "file: ", file_in_words(x->file->path));
	if (x->scope->changes)
		put_text(x, "",
			"Error bars are two standard errors. Each metric is computed again with parts of the measured slices left out: what was counted in the same slices varies together.");
}

static int explain(struct explainer *x, const char *metric)
{
	uint32_t idx;
	int rc = ep_names_add(&x->metrics, metric, &idx);

	if (x->scope->report)
		x->values = calloc(x->file->n_metrics + 1, sizeof(*x->values));
	if (!rc && x->scope->report)
		rc = x->values ? ep_metric_scope_eval(x->scope, x->model, x->values, NULL)
			       : -ENOMEM;
	for (uint32_t i = 0; !rc && i < x->metrics.n_names; i++) {
		if (i)
			fputc('\n', x->layout->out);
		rc = put_metric(x, (uint32_t)ep_model_find_metric(x->model, x->metrics.texts[i]));
	}
	if (rc)
		return rc;
	put_others(x);
	put_source(x);
	return 0;
}

int ep_explain(const struct ep_metric_scope *scope, struct ep_model *model, const char *metric,
	const struct ep_layout *layout)
{
	__attribute__((cleanup(finish))) struct explainer x = {
		.scope = scope, .model = model, .file = ep_model_file(model), .layout = layout
	};

	if (ep_model_find_metric(model, metric) < 0)
		return -ENOENT;
	return explain(&x, metric);
}
