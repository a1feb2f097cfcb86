// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences at the beginning of the report about the hottest procedure's cycles. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advise_in_short.h"
#include "common/cleanup.h"
#include "common/file.h"
#include "reporter/advise/assess.h"
#include "reporter/advise/bars.h"
#include "reporter/advise/losses.h"
#include "reporter/advise/topdown.h"
#include "reporter/text/short_names.h"

static const double min_share = 0.1;
static const uint64_t min_samples = 20; /* shares of fewer samples are too uncertain */

/* The words that say on what a category's cycles are spent. */
static const char *const wordings[EP_N_CATEGORIES] = {
	[EP_CATEGORY_DATA] = "waiting for data",
	[EP_CATEGORY_CODE] = "fetching instructions",
	[EP_CATEGORY_FP] = "floating-point instructions",
	[EP_CATEGORY_BRANCHES] = "branches and their mispredictions",
	[EP_CATEGORY_DATA_TLB] = "finding the pages of data",
	[EP_CATEGORY_CODE_TLB] = "finding the pages of code",
};

struct sentence {
	char text[1024];
	size_t size;
};

static void put(struct sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct sentence *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->text + s->size, sizeof(s->text) - s->size, format, args);
	va_end(args);
	s->size += strlen(s->text + s->size);
}

static const char *const access_words[EP_N_ACCESSES] = { [EP_ACCESS_UNKNOWN] = "",
	[EP_ACCESS_CONTIGUOUS] = " (a stream: one element after the other)",
	[EP_ACCESS_VARIABLE] = "",
	[EP_ACCESS_STRIDED] = " (in strides: most of each cache line is left out)",
	[EP_ACCESS_GATHER] = " (a gather: the index comes from memory)",
	[EP_ACCESS_LINKED] = " (each load waits for the one before)" };

/* Adds a remedy, for example " To try there: prefetch data of indirect accesses ahead of use." */
static int put_remedy(struct sentence *s, const struct ep_advice_case *of, const char *label)
{
	__attribute__((cleanup(ep_advice_finish))) struct ep_advice advice = { 0 };
	const struct ep_remedy *remedy;
	int rc = ep_advice_read_shipped(&advice, NULL);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (ep_advice_choose(&advice, of, 1, &remedy))
		put(s, " %s%c%s.", label, tolower((unsigned char)remedy->text[0]),
			remedy->text + 1);
	return 0;
}

static void fit_name(const struct ep_report_row *row, char *out, size_t size)
{
	ep_name_fit(
		row->short_name ? row->short_name : row->name, EP_SPOKEN_WIDTH, "...", out, size);
}

/* Adds the sentences on an assessed procedure. told is the row whose loss and remedy an earlier sentence has named
 * already; NULL: there is none. */
static int say(struct ep_report *report, const struct ep_assessment *a, double threshold,
	const struct ep_report_row *told)
{
	char name[160];
	int worst = ep_assessment_worst(a);

	fit_name(a->row, name, sizeof(name));
	if (a->is_mixed)
		return ep_report_add_in_short(report,
			"What %s counted is mixed with what took turns with it within the same slices: why it takes its time cannot be said. A shorter evprof run --period tells longer turns apart.",
			name);
	if (ep_assessment_is_fine(a, threshold))
		return ep_report_add_in_short(report,
			"%s takes %.2f cycles for an instruction, which is good: only fewer instructions make it faster.%s",
			name, a->overall.value,
			report->is_simulated ? EP_UNSEEN_BY_SIMULATION : "");
	struct sentence sentence = { .size = 0 };

	put(&sentence, "%s takes %.2f cycles for an instruction (%.2f count as good)", name,
		a->overall.value, threshold);
	if (a->row == told)
		return ep_report_add_in_short(report,
			"%s. evreport advise shows the other causes and what else to try.",
			sentence.text);
	if (a->loss.n_levels) {
		put(&sentence, ": ");
		ep_loss_describe(&a->loss, "its", sentence.text + sentence.size,
			sizeof(sentence.text) - sentence.size);
		sentence.size = strlen(sentence.text);
	} else if (a->categories[worst].value >= a->overall.value) {
		put(&sentence, ", and %s can have cost all of them", wordings[worst]);
	} else {
		put(&sentence, ", and %s can have cost up to %.2f of them", wordings[worst],
			a->categories[worst].value);
	}
	put(&sentence, "%s.", worst == EP_CATEGORY_DATA ? access_words[a->access] : "");
	struct ep_advice_case of = ep_assessment_case(a, report);
	int rc = put_remedy(&sentence, &of, "To try: ");

	put(&sentence, " evreport advise shows the other causes and what else to try.");
	return rc ? rc : ep_report_add_in_short(report, "%s", sentence.text);
}

static int say_cycles(struct ep_report *report, const char *cpuid, const struct ep_report_row *told)
{
	__attribute__((cleanup(ep_assessments_finish))) struct ep_assessments assessments = { 0 };
	int rc = ep_assess(report, cpuid, min_share, &assessments, NULL);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	for (uint32_t i = 0; i < assessments.n_items; i++)
		if (ep_report_row_is_place(assessments.items[i].row))
			return say(report, &assessments.items[i], assessments.threshold, told);
	return 0;
}

/* ---- Top-Down ---- */

/* Adds words such as " Nearly all of that (92 %) is in assemble, line fem.c:212". */
static void put_row(struct sentence *s, const struct ep_loss_path *path)
{
	const struct ep_report_row *row = path->row;
	char name[160];

	fit_name(row, name, sizeof(name));
	put(s, " %s (%.0f %%) is in %s",
		path->row_share > 0.8   ? "Nearly all of that"
		: path->row_share > 0.5 ? "Most of that"
					: "The largest part",
		100 * path->row_share, name);
	if (row->hot_file)
		put(s, ", line %s:%u", ep_base_name(row->hot_file), row->hot_line);
}

#define MAINLY 0.6

/* Adds words on the level of memory that the row's data come from, if one level has most of the cycles. */
static void put_cause(struct sentence *s, const double cycles[EP_N_SYMPTOMS],
	const struct ep_assessment *assessment)
{
	static const struct {
		enum ep_symptom symptom;
		const char *words;
	} causes[] = {
		{ EP_SYMPTOM_L1_DATA, "many of them in the L1 cache" },
		{ EP_SYMPTOM_L2_DATA, "mostly from the L2 cache" },
		{ EP_SYMPTOM_MEMORY, "mostly from beyond the L2 cache" },
		{ EP_SYMPTOM_DATA_TLB, "mostly for their pages' addresses" },
	};
	double sum = 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(causes); i++)
		sum += fmax(0, cycles[causes[i].symptom]);
	for (size_t i = 0; assessment && i < EP_ARRAY_SIZE(causes); i++)
		if (cycles[causes[i].symptom] > MAINLY * sum)
			put(s, ", %s", causes[i].words);
}

static int put_place(struct sentence *s, const struct ep_report *report, const char *cpuid,
	const struct ep_loss_path *path, const struct ep_loss_kind *loss)
{
	__attribute__((cleanup(ep_assessments_finish))) struct ep_assessments assessments = { 0 };
	const struct ep_assessment *assessment = NULL;
	double cycles[EP_N_SYMPTOMS];
	int rc = ep_assess(report, cpuid, 0, &assessments, NULL);

	if (rc == -ENOMEM)
		return rc;
	for (uint32_t i = 0; i < assessments.n_items; i++)
		if (assessments.items[i].row == path->row && !assessments.items[i].is_mixed)
			assessment = &assessments.items[i];
	put_row(s, path);
	if (!loss || !loss->symptoms) {
		put(s, ".");
		return 0;
	}
	enum ep_access access = EP_ACCESS_UNKNOWN;

	if (loss->symptoms & 1u << EP_SYMPTOM_MEMORY)
		access = assessment ? assessment->access : ep_access_of_row(path->row);
	ep_loss_symptoms(loss, assessment, cycles);
	put_cause(s, cycles, assessment);
	put(s, "%s", access_words[access]);
	put(s, ".");
	struct ep_advice_case of = { cycles, assessment ? assessment->miss_ratio : NAN,
		report->n_threads > 1, access,
		loss->symptoms == 1u << EP_SYMPTOM_BRANCHES ? 1 : NAN, 0, false };

	return put_remedy(s, &of, "To try there: ");
}

static int say_loss(
	struct ep_report *report, const char *cpuid, const struct ep_report_row **out_row)
{
	__attribute__((cleanup(ep_chosen_models_close))) struct ep_chosen_models models = { 0 };
	struct sentence sentence = { .size = 0 };
	struct ep_loss_path path;
	int rc = ep_topdown_find_loss(report, cpuid, &models, &path);

	if (rc || !path.n_levels)
		return rc;
	const char *deepest = path.levels[path.n_levels - 1]->name;

	ep_loss_describe(&path, "the", sentence.text, sizeof(sentence.text));
	sentence.size = strlen(sentence.text);
	put(&sentence, ".");
	if (path.row && path.row_share >= min_share)
		rc = put_place(&sentence, report, cpuid, &path, ep_loss_kind_find(deepest));
	*out_row = path.row_share >= min_share ? path.row : NULL;
	return rc ? rc : ep_report_lead_in_short(report, sentence.text);
}

int ep_advise_in_short(struct ep_report *report, const char *cpuid)
{
	const struct ep_report_row *told = NULL;
	int rc;

	if (!cpuid || !report->n_events || (report->n_samples < min_samples && !report->is_exact))
		return 0;
	rc = say_loss(report, cpuid, &told);
	return rc ? rc : say_cycles(report, cpuid, told);
}
