// SPDX-License-Identifier: BSD-3-Clause
/* Writes the models' formulas with their inputs in each bin of the timeline. From these the page computes the metrics
 * of a chosen range. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/model.h"
#include "reporter/export/json_out.h"
#include "reporter/metrics/scopes.h"
#include "reporter/page/html_private.h"

struct programs {
	const struct ep_html_page *page;
	const char *between;
	bool *is_used; /* (n_events of the report) whether the page needs the event's changes */
};

/* The inputs of a model in each bin. */
struct model_inputs {
	FILE *out;
	const struct ep_model *model;
	const struct ep_metric_scopes *times;
	uint32_t n_inputs;
	const struct ep_measured *of_bins; /* (n_scopes, n_inputs) */
	const uint32_t *events; /* (n_inputs) the input's event; EP_NONE: it is no event's count */
};

/* Tells whether an input is an event's count, which adds up over time. Parameters and facts of the machine do not. */
static bool is_count(const struct ep_model *model, uint32_t input)
{
	const struct ep_program *program = ep_model_program(model);
	const struct ep_formula_file *file = ep_model_file(model);

	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, ep_program_input_name(program, input)))
			return false;
	return ep_program_input_kind(program, input) == EP_INPUT_EVENT;
}

static void put_measured(FILE *out, const struct ep_measured *measured)
{
	if (measured->is_measured && !measured->is_mixed && isfinite(measured->value))
		fprintf(out, "%.9g", measured->value);
	else
		fputs("null", out);
}

/* Finds for each input the event whose count it is. Sets EP_NONE for inputs that are no event's count. */
static int find_events(
	const struct ep_metric_scope *scope, const struct ep_program *program, uint32_t *out_events)
{
	__attribute__((cleanup(ep_values_finish))) struct ep_values numbers = { 0 };
	uint32_t n_inputs = ep_program_n_inputs(program);
	EP_AUTOFREE struct ep_measured *bound = calloc(n_inputs + 1, sizeof(*bound));
	int rc = bound ? 0 : -ENOMEM;

	for (uint32_t e = 0; !rc && e < scope->report->n_events; e++)
		rc = ep_values_set(&numbers, scope->report->events[e].name,
			(struct ep_measured){ .value = e, .is_measured = true });
	if (!rc)
		rc = ep_event_table_alias(scope->table, &numbers);
	if (rc)
		return rc;
	ep_values_bind(&numbers, program, bound);
	for (uint32_t i = 0; i < n_inputs; i++)
		out_events[i] = bound[i].is_measured ? (uint32_t)bound[i].value : EP_NONE;
	return 0;
}

/* Writes where the page gets an input's error from: either the number of the event whose changes tell it, or whether
 * the input is exact. An input that has neither changes nor exact counts has an error that is not known. */
static void put_error(const struct model_inputs *inputs, uint32_t i, bool *is_used)
{
	const struct ep_metric_scope *first = inputs->times->scopes;
	uint32_t event = inputs->events[i];
	const float *changes = inputs->times->n_scopes && first->changes && event != EP_NONE
				       ? first->report->events[event].bin_changes
				       : NULL;
	bool has_changes = changes && ep_html_changes_are_known(changes, first->report->n_bins);
	bool is_exact = true;

	for (uint32_t b = 0; b < inputs->times->n_scopes; b++) {
		double error = inputs->of_bins[(size_t)b * inputs->n_inputs + i].standard_error;

		is_exact = is_exact && error <= 0;
	}
	if (has_changes && !is_exact) {
		is_used[event] = true;
		fprintf(inputs->out, ",\"changes\":%" PRIu32, event);
	} else {
		fprintf(inputs->out, ",\"is_exact\":%s", is_exact ? "true" : "false");
	}
}

static void put_bins(const struct model_inputs *inputs, uint32_t i, uint32_t n_bins)
{
	fputs(",\"bins\":[", inputs->out);
	for (uint32_t b = 0; b < n_bins; b++) {
		fputs(b ? "," : "", inputs->out);
		put_measured(inputs->out, &inputs->of_bins[(size_t)b * inputs->n_inputs + i]);
	}
	fputs("]}", inputs->out);
}

static void put_inputs(const struct model_inputs *inputs, bool *is_used)
{
	FILE *out = inputs->out;
	uint32_t n_bins = inputs->times->n_scopes;

	fputs(",\"inputs\":[", out);
	for (uint32_t i = 0; i < inputs->n_inputs; i++) {
		bool adds_up = is_count(inputs->model, i);
		double n_sources = n_bins ? inputs->of_bins[i].source_count : 0;

		fprintf(out, "%s{\"sources\":%.9g,\"is_count\":%s", i ? "," : "",
			isfinite(n_sources) ? n_sources : 0, adds_up ? "true" : "false");
		if (adds_up)
			put_error(inputs, i, is_used);
		put_bins(inputs, i, adds_up ? n_bins : n_bins > 0);
	}
	fputs("]", out);
}

static void put_names(FILE *out, const struct ep_formula_file *file)
{
	fputs(",\"names\":[", out);
	for (uint32_t i = 0; i < file->n_metrics; i++) {
		fputs(i ? "," : "", out);
		ep_json_put_text(out, file->metrics[i].name);
	}
	fputs("]", out);
}

static int put_model(struct programs *programs, const struct ep_model *model,
	const struct ep_metric_scopes *times)
{
	FILE *out = programs->page->out;
	const struct ep_program *program = ep_model_program(model);
	uint32_t n_inputs = ep_program_n_inputs(program);
	EP_AUTOFREE struct ep_measured *of_bins =
		calloc((size_t)n_inputs * times->n_scopes + 1, sizeof(*of_bins));
	EP_AUTOFREE uint32_t *events = calloc(n_inputs + 1, sizeof(*events));
	const struct model_inputs inputs = { out, model, times, n_inputs, of_bins, events };
	int rc = of_bins && events ? 0 : -ENOMEM;

	if (!rc && times->n_scopes)
		rc = find_events(times->scopes, program, events);
	if (rc)
		return rc;
	for (uint32_t b = 0; b < times->n_scopes; b++)
		ep_values_bind(&times->scopes[b].values, program, of_bins + (size_t)b * n_inputs);
	ep_json_put_text(out, ep_model_file(model)->name);
	fputs(":{", out);
	ep_program_print_json(program, ep_model_file(model)->n_metrics, out);
	put_names(out, ep_model_file(model));
	put_inputs(&inputs, programs->is_used);
	fputs("}", out);
	return 0;
}

/* Tells whether the page shows the model. The tree has no metrics of a model if nothing is known of the model. */
static bool is_shown(const struct ep_metric_tree *tree, const struct ep_model *model)
{
	for (uint32_t i = 0; i < tree->n_metrics; i++)
		if (!strcmp(tree->metrics[i].row.model, ep_model_file(model)->name))
			return true;
	return false;
}

/* Writes those models of a set that the page shows, or all of them. Each set has its own table of events' names. */
static int put_models(struct programs *programs, const struct ep_chosen_models *models, bool all)
{
	const struct ep_html_page *page = programs->page;
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes times = { 0 };
	const struct ep_scope_request of_time = { EP_SCOPE_TIME, 0, NAN, NAN };
	int rc = ep_metric_scopes_create(page->source->report, &of_time, &models->table, &times);

	for (uint32_t i = 0; !rc && i < models->n_models; i++) {
		if (!all && !is_shown(page->source->metrics, models->models[i]))
			continue;
		fputs(programs->between, page->out);
		rc = put_model(programs, models->models[i], &times);
		programs->between = ",\n";
	}
	return rc;
}

/* Writes the model "flops", of which the page needs the metrics for the roofline, unless it is among the shown ones. */
static int put_flops(struct programs *programs)
{
	const struct ep_page_source *source = programs->page->source;
	struct ep_chosen_models models = { 0 };
	struct ep_error err = { 0 };
	int rc;

	for (uint32_t i = 0; i < source->metrics->n_metrics; i++)
		if (!strcmp(source->metrics->metrics[i].row.model, "flops"))
			return 0;
	rc = ep_chosen_models_open(&models, "flops", NULL, ep_trace_cpuid(source->trace), &err);
	if (!rc)
		rc = put_models(programs, &models, true);
	ep_chosen_models_close(&models);
	return rc == -ENOMEM ? rc : 0;
}

int ep_html_programs_put(const struct ep_html_page *page)
{
	EP_AUTOFREE bool *is_used = calloc(page->source->report->n_events + 1, sizeof(*is_used));
	struct programs programs = { page, "", is_used };
	int rc = 0;

	if (!is_used)
		return -ENOMEM;
	fputs("\"programs\":{", page->out);
	if (page->source->metrics->n_metrics)
		rc = put_models(&programs, &page->source->metrics->models, false);
	if (!rc && page->source->roofline)
		rc = put_flops(&programs);
	fputs("},\n", page->out);
	ep_html_changes_put(page, is_used);
	return rc;
}
