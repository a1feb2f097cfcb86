// SPDX-License-Identifier: BSD-3-Clause
/* What the report says at its beginning of the hottest procedure's cycles. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/advise/assess.h"
#include "reporter/advise/bars.h"
#include "reporter/advise/cmd_advise.h"
#include "reporter/advise/topdown.h"

static const double min_share = 0.1;

/* What a category's cycles are spent on. */
static const char *const wordings[EP_N_CATEGORIES] = {
	[EP_CATEGORY_DATA] = "waiting for data",
	[EP_CATEGORY_CODE] = "fetching instructions",
	[EP_CATEGORY_FP] = "floating-point instructions",
	[EP_CATEGORY_BRANCHES] = "branches and their mispredictions",
	[EP_CATEGORY_DATA_TLB] = "finding the pages of data",
	[EP_CATEGORY_CODE_TLB] = "finding the pages of code",
};

static int say(struct ep_report *report, const struct ep_assessment *a, double threshold)
{
	const char *name = a->row->short_name ? a->row->short_name : a->row->name;
	int worst = ep_assessment_worst(a);

	if (a->overall.value <= threshold)
		return ep_report_add_in_short(report,
			"%s takes %.2f cycles for an instruction, which is good: only fewer "
			"instructions make it faster.",
			name, a->overall.value);
	return ep_report_add_in_short(report,
		"%s takes %.2f cycles for an instruction (%.2f count as good), and %s can have "
		"cost up to "
		"%.2f of them. evreport advise shows the other causes and what to try.",
		name, a->overall.value, threshold, wordings[worst], a->categories[worst].value);
}

static int say_cycles(struct ep_report *report, const char *cpuid)
{
	__attribute__((cleanup(ep_assessments_finish))) struct ep_assessments assessments = { 0 };
	int rc = ep_assess(report, cpuid, min_share, &assessments, NULL);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return say(report, &assessments.items[0], assessments.threshold);
}

/* ---- Top-Down ---- */

/* "Backend_Bound, most of it Memory_Bound": the names that evreport metrics shows. */
static void name_path(const struct ep_loss_path *path, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < path->n_levels && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", most of it " : "",
			path->levels[i]->name);
}

/* " Most of that (61 %) is in axpy, line solver.c:12." */
static void name_row(const struct ep_loss_path *path, char *out, size_t size)
{
	const struct ep_report_row *row = path->row;
	const char *slash = row && row->hot_file ? strrchr(row->hot_file, '/') : NULL;
	int used;

	out[0] = '\0';
	if (!row || path->row_share < min_share)
		return;
	used = snprintf(out, size, " %s (%.0f %%) is in %s",
		path->row_share > 0.5 ? "Most of that" : "The largest part", 100 * path->row_share,
		row->short_name ? row->short_name : row->name);
	if (row->hot_file && used > 0 && (size_t)used < size)
		used += snprintf(out + used, size - (size_t)used, ", line %s:%u",
			slash ? slash + 1 : row->hot_file, row->hot_line);
	if (used > 0 && (size_t)used < size)
		snprintf(out + used, size - (size_t)used, ".");
}

static int say_loss(struct ep_report *report, const char *cpuid)
{
	__attribute__((cleanup(ep_chosen_models_close))) struct ep_chosen_models models = { 0 };
	char names[256], where[512], bar[32] = "";
	struct ep_loss_path path;
	int rc = ep_topdown_find_loss(report, cpuid, &models, &path);

	if (rc || !path.n_levels)
		return rc;
	const struct ep_formula_metric *last = path.levels[path.n_levels - 1];

	name_path(&path, names, sizeof(names));
	name_row(&path, where, sizeof(where));
	if (path.bar >= 0.005)
		snprintf(bar, sizeof(bar), " (give or take %.0f)", 100 * path.bar);
	return ep_report_add_in_short(report, "%.0f %% of %s%s: %s. %s%s", 100 * path.share,
		path.levels[0]->base ? path.levels[0]->base : "all", bar, names,
		last->about ? last->about : "", where);
}

int ep_advise_in_short(struct ep_report *report, const char *cpuid)
{
	int rc;

	if (!cpuid || !report->n_events)
		return 0;
	rc = say_loss(report, cpuid);
	return rc ? rc : say_cycles(report, cpuid);
}
