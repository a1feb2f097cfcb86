// SPDX-License-Identifier: BSD-3-Clause
/* Computes IPC and miss ratios of procedures from the formulas of the CPU. One thread. */
#include "reporter/metrics/ratios.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/scopes.h"

enum { MAX_ROWS = 10 }; /* as many as in the table of counts */

/* The kinds of ratios. name is a metric in the models of a CPU, general a metric in the model of Linux's own event
 * names. */
static const struct ratio_kind {
	const char *title, *name, *general;
	bool is_share;
} kinds[EP_N_RATIOS] = {
	{ "IPC", "IPC", "Instructions_per_Cycle", false },
	{ "L1D misses", "L1D_Miss_Ratio", "L1D_Miss_Ratio", true },
	{ "L2D misses", "L2D_Miss_Ratio", NULL, true },
	{ "L3 misses", "L3D_Miss_Ratio", NULL, true },
	{ "cache misses", NULL, "Cache_Miss_Ratio", true },
	{ "mispredicts", "Mispredict_Ratio", "Branch_Miss_Ratio", true },
};

/* The models of the CPU come first, since Linux's names mean different events on different CPUs. */
static const char *const model_lists[] = { "ipc,caches,branches", "linux" };

static struct ep_report_ratio to_ratio(const struct ep_metric_value *value)
{
	const struct ep_result *result = &value->result;
	struct ep_report_ratio ratio = { .is_mixed = result->absence == EP_ABSENT_MIXED };

	if (result->absence)
		ratio.value = ep_quantity_unknown("a count that it needs is not known");
	else if (value->is_negative || value->is_above_one || value->broken)
		ratio.value = ep_quantity_unknown("its counts contradict each other");
	else
		ratio.value = ep_quantity_within(result->value, result->standard_error);
	return ratio;
}

static void take_metric(const struct ep_metric_value *value, struct ep_report_ratio *row)
{
	for (uint32_t k = 0; k < EP_N_RATIOS; k++) {
		const char *name = value->metric->name;
		bool is_it = (kinds[k].name && !strcmp(name, kinds[k].name)) ||
			     (kinds[k].general && !strcmp(name, kinds[k].general));

		if (is_it && !ep_quantity_is_known(&row[k].value) && !row[k].is_mixed)
			row[k] = to_ratio(value);
	}
}

/* Takes the ratios of one scope into row (EP_N_RATIOS). */
static int take_models(const struct ep_metric_scope *scope, const struct ep_chosen_models *chosen,
	struct ep_report_ratio *row)
{
	int rc = 0;

	for (uint32_t m = 0; !rc && m < chosen->n_models; m++) {
		struct ep_model *model = chosen->models[m];
		uint32_t n_metrics = ep_model_file(model)->n_metrics;
		EP_AUTOFREE struct ep_metric_value *metrics =
			calloc(n_metrics + 1, sizeof(*metrics));

		rc = metrics ? ep_metric_scope_eval(scope, model, metrics, NULL) : -ENOMEM;
		for (uint32_t i = 0; !rc && i < n_metrics; i++)
			take_metric(&metrics[i], row);
	}
	return rc;
}

/* Takes the ratios of the whole run. A ratio that has no value for the whole run was not counted, and gets no
 * column. Otherwise procedures would show a wrong reason for the missing ratio: that one of its other counts
 * is mixed. */
static int take_whole(const struct ep_report *report, const struct ep_chosen_models *chosen,
	struct ep_report_ratio *out)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_scope_request request = { EP_SCOPE_PROGRAM, 0, NAN, NAN };
	int rc = ep_metric_scopes_create(report, &request, &chosen->table, &scopes);

	return rc ? rc : take_models(&scopes.scopes[0], chosen, out);
}

static void keep_row(const struct ep_report_ratio *whole, const struct ep_report_ratio *row,
	struct ep_report_ratio *out)
{
	for (uint32_t k = 0; k < EP_N_RATIOS; k++)
		if (ep_quantity_is_known(&whole[k].value) && !ep_quantity_is_known(&out[k].value) &&
			!out[k].is_mixed)
			out[k] = row[k];
}

static int take_procedures(struct ep_report *report, const struct ep_chosen_models *chosen)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_scope_request request = { EP_SCOPE_PROCEDURE, 0, NAN, NAN };
	struct ep_report_ratio whole[EP_N_RATIOS] = { 0 };
	int rc = take_whole(report, chosen, whole);

	if (!rc)
		rc = ep_metric_scopes_create(report, &request, &chosen->table, &scopes);
	for (uint32_t s = 0; !rc && s < report->n_ratio_rows && s < scopes.n_scopes; s++) {
		struct ep_report_ratio row[EP_N_RATIOS] = { 0 };

		rc = take_models(&scopes.scopes[s], chosen, row);
		if (!rc)
			keep_row(whole, row, &report->ratios[(size_t)s * EP_N_RATIOS]);
	}
	return rc;
}

/* Takes the ratios of a list of models. A CPU without these models has no such ratios, which is no error here. */
static int take_list(struct ep_report *report, const char *names, const char *cpuid)
{
	__attribute__((cleanup(ep_chosen_models_close))) struct ep_chosen_models chosen = { 0 };
	struct ep_error err = { 0 };
	int rc = ep_chosen_models_open(&chosen, names, NULL, cpuid, &err);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return take_procedures(report, &chosen);
}

static bool has_hardware_events(const struct ep_report *report)
{
	for (uint32_t e = 0; e < report->n_events; e++)
		if (!report->events[e].software &&
			ep_quantity_is_known(&report->events[e].total.count))
			return true;
	return false;
}

/* Names the kinds that have a column. A kind without any known value gets no column: if all its values are
 * mixed, the table of counts says so. */
static void name_kinds(struct ep_report *report)
{
	for (uint32_t k = 0; k < EP_N_RATIOS; k++)
		for (uint32_t i = 0; i < report->n_ratio_rows; i++) {
			if (ep_quantity_is_known(&report->ratios[i * EP_N_RATIOS + k].value))
				report->ratio_kinds[k] =
					(struct ep_report_ratio_kind){ kinds[k].title,
						kinds[k].is_share };
		}
}

int ep_ratios_summarize(struct ep_report *report, const char *cpuid)
{
	uint32_t n_rows = report->procedures.n_shown;
	int rc = 0;

	n_rows = n_rows < MAX_ROWS ? n_rows : MAX_ROWS;
	if (!n_rows || report->ratios || !has_hardware_events(report))
		return 0;
	report->ratios = calloc((size_t)n_rows * EP_N_RATIOS, sizeof(*report->ratios));
	if (!report->ratios)
		return -ENOMEM;
	report->n_ratio_rows = n_rows;
	for (size_t i = 0; !rc && i < EP_ARRAY_SIZE(model_lists); i++)
		rc = take_list(report, model_lists[i], cpuid);
	name_kinds(report);
	return rc;
}
