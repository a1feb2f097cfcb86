// SPDX-License-Identifier: BSD-3-Clause
/* Writes formula files, which the reporter reads. Metrics that are not definable are listed in the note, with
 * the reason. */
#include "common/formula/formula_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/lexer.h"
#include "kernels/report/report.h"

/* Copies a text, since struct ep_formula_file owns its texts; NULL for an empty text or NULL. */
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

/* Returns a note, "Not definable by this CPU's events: A (why), B (why)."; NULL: all metrics are
 * definable. */
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

	/* the prefix keeps the name different from those of shipped models, some of which are called like kernels */
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

/* Returns the largest variability of the events that the metric uses. */
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

static int add_node(struct ep_ast *tree, enum ep_op op, uint32_t left, uint32_t right)
{
	return ep_ast_add_node(tree, &(struct ep_node){ .op = op, .operand = { left, right } });
}

static uint32_t last_node(const struct ep_ast *tree)
{
	return tree->n_nodes - 1;
}

/* Adds the absolute value of a coefficient, rounded by its decimal text to the digits that tables show. */
static int add_size(struct ep_ast *tree, double size)
{
	char text[40];

	snprintf(text, sizeof(text), "%.*g", EP_REPORT_DIGITS, size);
	return ep_ast_add_node(
		tree, &(struct ep_node){ .op = EP_OP_NUMBER, .number = strtod(text, NULL) });
}

static int add_event(struct ep_ast *tree, const char *event)
{
	uint32_t name;

	if (!ep_lexer_is_name(event))
		return -EINVAL;
	if (ep_ast_add_name(tree, event, (uint32_t)strlen(event), &name))
		return -ENOMEM;
	return add_node(tree, EP_OP_NAME, name, 0);
}

static int negate(struct ep_ast *tree)
{
	return add_node(tree, EP_OP_NEGATE, last_node(tree), 0);
}

/* Adds "2 * a", or "a" where the factor is 1. */
static int add_product(struct ep_ast *tree, const struct ep_report_term *term, bool is_negative)
{
	double size = fabs(term->coefficient);
	uint32_t factor;
	int rc;

	if (size == 1) {
		rc = add_event(tree, term->event);
		return rc || !is_negative ? rc : negate(tree);
	}
	rc = add_size(tree, size);
	if (!rc && is_negative)
		rc = negate(tree);
	factor = last_node(tree);
	if (!rc)
		rc = add_event(tree, term->event);
	return rc ? rc : add_node(tree, EP_OP_MULTIPLY, factor, last_node(tree));
}

static int add_term(struct ep_ast *tree, const struct ep_report_term *term)
{
	bool is_first = !tree->n_nodes, is_negative = term->coefficient < 0;
	uint32_t sum = last_node(tree);
	int rc = add_product(tree, term, is_first && is_negative);

	if (rc || is_first)
		return rc;
	return add_node(tree, is_negative ? EP_OP_SUBTRACT : EP_OP_ADD, sum, last_node(tree));
}

int ep_report_combination_tree(const struct ep_derivation *d, size_t m, struct ep_ast *out)
{
	struct ep_ast tree = { 0 };
	struct ep_report_term term;
	int rc = 0;

	for (size_t i = 0; !rc && ep_report_find_term(d, m, i, &term); i++)
		rc = add_term(&tree, &term);
	if (!rc && !tree.n_nodes)
		rc = ep_ast_set_number(&tree, 0);
	if (rc)
		ep_ast_finish(&tree);
	else
		*out = tree;
	return rc;
}

/* Fills in a metric. Returns false if the name of an event cannot be written in the language. */
static bool fill_metric(const struct ep_derivation *d, size_t m, struct ep_formula_file *file)
{
	const char *name = d->set->signatures.rows.items[m];
	struct ep_ast expr = { 0 };
	char slug[128];

	if (ep_report_combination_tree(d, m, &expr))
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
