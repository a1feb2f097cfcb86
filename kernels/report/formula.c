// SPDX-License-Identifier: BSD-3-Clause
/* Formula files: what the reporter reads. Metrics that cannot be had go into the note with the
 * reason. */
#include "common/formula/formula_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/parse.h"
#include "kernels/report/report.h"

/* Texts of struct ep_formula_file are allocated; NULL for what is not known. */
static char *copy_known(const char *text)
{
	return text && text[0] ? strdup(text) : NULL;
}

static char *print_thresholds(const struct ep_params *params)
{
	char *text;
	int n = asprintf(&text, "tau %g, alpha %g, projection cut %g, coefficient tolerance %g%s%s",
		params->tau, params->alpha, params->projection_cut, params->coefficient_tolerance,
		params->combine ? ", repetitions by " : "",
		params->combine ? ep_combine_name[params->combine] : "");

	return n < 0 ? NULL : text;
}

static char *print_source(const struct ep_derivation *d)
{
	const struct ep_params *params = &d->set->params;
	char *text;
	int n = asprintf(&text, "evcal derive, %s%s%s%s%s", d->set->name,
		params->title[0] ? ": " : "", params->title, params->cpu[0] ? "; measured on " : "",
		params->cpu);

	return n < 0 ? NULL : text;
}

/* "Not definable by this CPU's events: A (why), B (why)." or NULL */
static char *print_missing(const struct ep_derivation *d)
{
	char *text = NULL, why[256];
	size_t size, n = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t m = 0; m < d->set->signatures.rows.n; m++) {
		if (ep_derivation_fitness(d, m) < EP_FITNESS_PARTIAL)
			continue;
		ep_derivation_explain(d, m, why, sizeof(why));
		fprintf(out, "%s%s (error %.3g, %s)",
			n++ ? "; " : "Not definable by this CPU's events: ",
			d->set->signatures.rows.items[m], d->fits[m].error, why);
	}
	fclose(out);
	if (n)
		return text;
	free(text);
	return NULL;
}

static void fill_model(const struct ep_derivation *d, struct ep_formula_file *file)
{
	const struct ep_params *params = &d->set->params;

	/* Beside the shipped models of the CPU: some kernels have the name of one of them. */
	if (asprintf(&file->name, "derived-%s", d->set->name) < 0)
		file->name = NULL;
	file->title = copy_known(params->title);
	file->serves = copy_known(params->cpu_key);
	file->source = print_source(d);
	file->date = copy_known(params->date);
	file->kernel = copy_known(params->kernel);
	file->thresholds = print_thresholds(params);
	file->note = print_missing(d);
}

/* The largest variability among the events that the metric uses. */
static double metric_noise(const struct ep_derivation *d, size_t m)
{
	double noise = 0;

	for (size_t k = 0; k < d->n_chosen; k++) {
		double v = d->screen.variability[d->pivots[k].candidate];

		if (d->rounded[m * d->n_chosen + k] != 0 && v > noise)
			noise = v;
	}
	return noise;
}

static int parse_combination(const struct ep_derivation *d, size_t m, struct ep_ast *out)
{
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -ENOMEM;
	ep_report_combination(d, m, &ep_combination_for_formulas, stream);
	fclose(stream);
	struct ep_formula_source source = {
		.text = text,
		.size_bytes = (uint32_t)size,
		.dialect = &ep_dialect_evprof,
	};
	return ep_formula_parse(&source, out, NULL);
}

/* False when an event's name has no place in the language. */
static bool fill_metric(const struct ep_derivation *d, size_t m, struct ep_formula_file *file)
{
	const char *name = d->set->signatures.rows.items[m];
	struct ep_ast expr = { 0 };
	char slug[128];

	if (parse_combination(d, m, &expr))
		return false;
	ep_report_slug(name, slug, sizeof(slug));
	struct ep_formula_metric *metric = ep_formula_file_add_metric(file, slug);
	if (!metric) {
		ep_ast_finish(&expr);
		return false;
	}
	metric->expr = expr;
	metric->level = 1;
	metric->kind = strdup("count");
	metric->about = strdup(name);
	metric->error = d->fits[m].rounded_error;
	metric->noise = metric_noise(d, m);
	metric->date = copy_known(d->set->params.date);
	metric->fitness = strdup(ep_fitness_name[ep_derivation_fitness(d, m)]);
	return true;
}

static bool is_definable(const struct ep_derivation *d, size_t m)
{
	return ep_derivation_fitness(d, m) < EP_FITNESS_PARTIAL;
}

void ep_report_formula(const struct ep_derivation *d, FILE *out)
{
	struct ep_formula_file file = { 0 };
	size_t n_metrics = d->set->signatures.rows.n;
	EP_AUTOFREE bool *is_written = calloc(n_metrics, sizeof(*is_written));

	fill_model(d, &file);
	for (size_t m = 0; is_written && m < n_metrics; m++)
		is_written[m] = !is_definable(d, m) || fill_metric(d, m, &file);
	if (!is_written || !file.name || ep_formula_file_write(&file, out))
		fprintf(out, "# incomplete: out of memory\n");
	for (size_t m = 0; is_written && m < n_metrics; m++)
		if (!is_written[m])
			fprintf(out, "# %s: an event's name cannot be written in a formula\n",
				d->set->signatures.rows.items[m]);
	ep_formula_file_finish(&file);
}
