// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/advise/assess.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/advise/losses.h"
#include "reporter/metrics/scopes.h"

/* The metrics of an LCPI model that each category is taken from; the first that has a value is used. */
static const struct {
	const char *name;
	const char *metrics[2];
} category_rows[EP_N_CATEGORIES] = {
	[EP_CATEGORY_DATA] = { "data accesses", { "data_accesses_L3", "data_accesses" } },
	[EP_CATEGORY_CODE] = { "instruction accesses", { "instruction_accesses" } },
	[EP_CATEGORY_FP] = { "floating-point instr", { "floating_point" } },
	[EP_CATEGORY_BRANCHES] = { "branch instructions", { "branches" } },
	[EP_CATEGORY_DATA_TLB] = { "data TLB", { "data_TLB" } },
	[EP_CATEGORY_CODE_TLB] = { "instruction TLB", { "instruction_TLB" } },
};

static const char *const symptom_metrics[EP_N_SYMPTOMS] = {
	[EP_SYMPTOM_L1_DATA] = "data_accesses.L1_hits",
	[EP_SYMPTOM_L2_DATA] = "data_accesses.L2_hits",
	[EP_SYMPTOM_MEMORY] = "data_accesses.memory",
	[EP_SYMPTOM_DATA_TLB] = "data_TLB",
	[EP_SYMPTOM_CODE] = "instruction_accesses",
	[EP_SYMPTOM_CODE_TLB] = "instruction_TLB",
	[EP_SYMPTOM_BRANCHES] = "branches",
	[EP_SYMPTOM_FP_FAST] = "floating_point.fast",
	[EP_SYMPTOM_FP_SLOW] = "floating_point.slow",
};

const char *ep_category_name(enum ep_category category)
{
	return category_rows[category].name;
}

const char *const *ep_category_metrics(enum ep_category category)
{
	return category_rows[category].metrics;
}

const char *ep_symptom_metric(enum ep_symptom symptom)
{
	return symptom_metrics[symptom];
}

void ep_assessments_finish(struct ep_assessments *assessments)
{
	ep_chosen_models_close(&assessments->models);
	ep_chosen_models_close(&assessments->topdown);
	free(assessments->items);
	*assessments = (struct ep_assessments){ 0 };
}

int ep_assessment_worst(const struct ep_assessment *assessment)
{
	int worst = -1;

	for (int i = 0; i < EP_N_CATEGORIES; i++)
		if (!assessment->categories[i].absence &&
			(worst < 0 || assessment->categories[i].value >
					      assessment->categories[worst].value))
			worst = i;
	return worst;
}

static struct ep_lcpi lcpi_of(
	const struct ep_model *model, const struct ep_metric_value *values, const char *name)
{
	int metric = name ? ep_model_find_metric(model, name) : -1;

	if (metric < 0)
		return (struct ep_lcpi){ .absence = EP_ABSENT_MISSING, .subject = name };
	const struct ep_result *result = &values[metric].result;

	if (!result->absence && values[metric].broken)
		return (struct ep_lcpi){ .absence = EP_ABSENT_NAN,
			.broken = values[metric].broken };
	return (struct ep_lcpi){ result->value, result->standard_error, result->absence,
		result->subject };
}

static struct ep_lcpi category_of(const struct ep_model *model,
	const struct ep_metric_value *values, enum ep_category category)
{
	const char *const *metrics = category_rows[category].metrics;
	struct ep_lcpi first = lcpi_of(model, values, metrics[0]);

	if (!first.absence || first.broken || !metrics[1])
		return first;
	return lcpi_of(model, values, metrics[1]);
}

/* Returns the cycles of data accesses without the hits of the first two caches. Hits of a third cache are included,
 * since the same remedies help as for memory. */
static double memory_part(const struct ep_assessment *a)
{
	const struct ep_lcpi *data = &a->categories[EP_CATEGORY_DATA];
	double rest =
		data->value - a->symptoms[EP_SYMPTOM_L1_DATA] - a->symptoms[EP_SYMPTOM_L2_DATA];

	return data->absence ? NAN : fmax(0, rest);
}

static double miss_ratio_of(const struct ep_model *model, const struct ep_metric_value *values)
{
	struct ep_lcpi all = lcpi_of(model, values, "L1_DCA");
	struct ep_lcpi missed = lcpi_of(model, values, "L2_DCA");

	return all.absence || missed.absence || all.value <= 0 ? NAN : missed.value / all.value;
}

/* Loads that overlap in time cost only a part of their latencies. If the cycles per instruction are more than this
 * part of the latencies of data, each load is taken to wait for the one before. A simulator adds up all latencies, so
 * its cycles show nothing of the kind. */
#define HARDLY_OVERLAPS 0.5

static bool waits_for_each_load(const struct ep_assessment *a, const struct ep_report *report)
{
	const struct ep_lcpi *data = &a->categories[EP_CATEGORY_DATA];

	return !report->is_simulated && !data->absence && !a->overall.absence &&
	       a->miss_ratio > EP_STRIDED_MISS_RATIO &&
	       a->symptoms[EP_SYMPTOM_MEMORY] > 0.5 * data->value &&
	       a->overall.value > HARDLY_OVERLAPS * data->value;
}

static double mispredicted_of(const struct ep_model *model, const struct ep_metric_value *values)
{
	struct ep_lcpi all = lcpi_of(model, values, "branches");
	struct ep_lcpi wrong = lcpi_of(model, values, "branches.mispredicted");

	return all.absence || wrong.absence || all.value <= 0 ? NAN : wrong.value / all.value;
}

struct ep_advice_case ep_assessment_case(
	const struct ep_assessment *assessment, const struct ep_report *report)
{
	const char *name = assessment->row->short_name ? assessment->row->short_name : "";

	return (struct ep_advice_case){ assessment->remedied, assessment->miss_ratio,
		report->n_threads > 1, assessment->access, assessment->mispredicted,
		assessment->row->depth, strstr(name, "memcpy") || strstr(name, "memmove") };
}

bool ep_assessment_is_fine(const struct ep_assessment *assessment, double threshold)
{
	const struct ep_lcpi *data = &assessment->categories[EP_CATEGORY_DATA];

	if (assessment->overall.value > threshold)
		return false;
	return !(assessment->miss_ratio > EP_STRIDED_MISS_RATIO && !data->absence &&
		 data->value > 0.5 * assessment->overall.value);
}

enum ep_access ep_access_of_row(const struct ep_report_row *row)
{
	return row->access != EP_ACCESS_UNKNOWN ? row->access
						: ep_access_of_line(row->hot_file, row->hot_line);
}

/* Returns the access as the counts show it. Steps of a variable size are taken for strides if the data miss L1 often;
 * an unknown access is taken for a linked one if each load waits for the one before. */
static enum ep_access access_by_counts(
	const struct ep_assessment *a, const struct ep_report *report)
{
	if (a->access == EP_ACCESS_VARIABLE && a->miss_ratio > EP_STRIDED_MISS_RATIO)
		return EP_ACCESS_STRIDED;
	if (a->access == EP_ACCESS_UNKNOWN && waits_for_each_load(a, report))
		return EP_ACCESS_LINKED;
	return a->access;
}

static int assess_row(struct ep_model *model, const struct ep_metric_scope *scope,
	const struct ep_report_row *row, struct ep_assessment *out)
{
	size_t n = ep_model_file(model)->n_metrics;
	EP_AUTOFREE struct ep_metric_value *values = calloc(n + 1, sizeof(*values));
	int rc = values ? ep_metric_scope_eval(scope, model, values, NULL) : -ENOMEM;

	if (rc)
		return rc;
	*out = (struct ep_assessment){ .row = row, .overall = lcpi_of(model, values, "overall") };
	for (int i = 0; i < EP_N_CATEGORIES; i++)
		out->categories[i] = category_of(model, values, (enum ep_category)i);
	for (int i = 0; i < EP_N_SYMPTOMS; i++) {
		struct ep_lcpi part = lcpi_of(model, values, symptom_metrics[i]);

		out->symptoms[i] = part.absence ? NAN : part.value;
	}
	out->symptoms[EP_SYMPTOM_MEMORY] = memory_part(out);
	out->miss_ratio = miss_ratio_of(model, values);
	out->access = ep_access_of_row(row);
	out->access = access_by_counts(out, scope->report);
	out->mispredicted = mispredicted_of(model, values);
	return 0;
}

/* Chooses the symptoms that remedies are for: those of the Top-Down loss, if one is found, because the loss was
 * measured. The largest category of LCPI, an upper bound, is often hits of the L1 cache, which cost little. */
static int find_loss(struct ep_assessments *assessments, const struct ep_metric_scope *scope,
	struct ep_assessment *a)
{
	int rc = 0;

	memcpy(a->remedied, a->symptoms, sizeof(a->remedied));
	if (assessments->topdown.n_models)
		rc = ep_topdown_find_scope_loss(assessments->topdown.models[0], scope, &a->loss);
	if (rc || !a->loss.n_levels)
		return rc;
	const struct ep_loss_kind *kind =
		ep_loss_kind_find(a->loss.levels[a->loss.n_levels - 1]->name);

	if (kind && kind->symptoms)
		ep_loss_symptoms(kind, a, a->remedied);
	/* all issue slots that branches lose are lost by wrong predictions */
	if (kind && kind->symptoms == 1u << EP_SYMPTOM_BRANCHES)
		a->mispredicted = 1;
	return 0;
}

static double threshold_of(const struct ep_formula_file *file)
{
	for (uint32_t i = 0; i < file->n_parameters; i++)
		if (!strcmp(file->parameters[i].name, "CPI_threshold") &&
			file->parameters[i].value > 0)
			return file->parameters[i].value;
	return 0.5; /* PerfExpert uses this value */
}

/* Tells whether a value is mixed, so that no advice can be given. A category whose value is mixed may be the largest;
 * without it, the other categories would lead to remedies for small costs. */
static bool has_mixed(const struct ep_assessment *a)
{
	if (a->overall.absence == EP_ABSENT_MIXED)
		return true;
	for (int i = 0; i < EP_N_CATEGORIES; i++)
		if (a->categories[i].absence == EP_ABSENT_MIXED)
			return true;
	return false;
}

static bool has_anything(const struct ep_assessment *a)
{
	return a->is_mixed ||
	       (!a->overall.absence && (ep_assessment_worst(a) >= 0 || a->loss.n_levels));
}

static int assess_rows(const struct ep_assess_question *question,
	const struct ep_metric_scopes *scopes, struct ep_assessments *out)
{
	const struct ep_report *report = question->report;
	const struct ep_report_table *table =
		question->by_loop ? &report->loops : &report->procedures;
	int rc = 0;

	out->items = calloc(scopes->n_scopes + 1, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < scopes->n_scopes; i++) {
		const struct ep_report_row *row = &table->rows[i];

		if (row->self_share < question->min_share)
			continue;
		struct ep_assessment *item = &out->items[out->n_items];

		rc = assess_row(out->models.models[0], &scopes->scopes[i], row, item);
		item->is_mixed = !rc && has_mixed(item);
		if (!rc && !item->is_mixed)
			rc = find_loss(out, &scopes->scopes[i], item);
		out->n_items += !rc && has_anything(item);
	}
	return rc;
}

/* Returns -ERANGE if places with less than the wanted share of the time can be assessed, else -ENODATA or -ENOMEM. */
static int fail_without_items(const struct ep_assess_question *question,
	const struct ep_metric_scopes *scopes, struct ep_assessments *made, struct ep_error *err)
{
	struct ep_assess_question of_all = *question;
	int rc;

	of_all.min_share = 0;
	free(made->items);
	made->items = NULL;
	rc = assess_rows(&of_all, scopes, made);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	if (made->n_items)
		return ep_fail(err, -ERANGE, "nothing has so much of the time");
	return ep_fail(err, -ENODATA, "the run did not count what LCPI is made of");
}

int ep_assess_places(
	const struct ep_assess_question *question, struct ep_assessments *out, struct ep_error *err)
{
	const struct ep_report *report = question->report;
	const char *cpuid = question->cpuid;
	__attribute__((cleanup(ep_assessments_finish))) struct ep_assessments made = { 0 };
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_scope_request by = { question->by_loop ? EP_SCOPE_LOOP : EP_SCOPE_PROCEDURE,
		0, NAN, NAN };
	const struct ep_model_choice choice = { "lcpi", NULL, cpuid, question->parameters };
	int rc = ep_chosen_models_open_choice(&made.models, &choice, err);

	if (rc)
		return rc;
	if (!ep_counts_nothing(report) &&
		ep_chosen_models_open(&made.topdown, "topdown", NULL, cpuid, NULL) == -ENOMEM)
		return ep_fail(err, -ENOMEM, "out of memory");
	made.threshold = threshold_of(ep_model_file(made.models.models[0]));
	rc = ep_metric_scopes_create(report, &by, &made.models.table, &scopes);
	if (!rc)
		rc = assess_rows(question, &scopes, &made);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	if (!made.n_items)
		return fail_without_items(question, &scopes, &made, err);
	*out = made;
	made = (struct ep_assessments){ 0 };
	return 0;
}

int ep_assess(const struct ep_report *report, const char *cpuid, double min_share,
	struct ep_assessments *out, struct ep_error *err)
{
	return ep_assess_places(
		&(struct ep_assess_question){ report, cpuid, min_share, false, NULL }, out, err);
}
