// SPDX-License-Identifier: BSD-3-Clause
/* Writes the machine-readable report. json-c prints doubles with 17 digits, so that no digit is lost. */
#include <json-c/json.h>
#include <math.h>

#include "kernels/report/report.h"

/* Adds a number; one that is not finite, for which JSON has no notation, is written as null: not known. */
static void add_number(struct json_object *object, const char *key, double value)
{
	json_object_object_add(object, key, isfinite(value) ? json_object_new_double(value) : NULL);
}

static void add_count(struct json_object *object, const char *key, size_t value)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)value));
}

static void add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

static struct json_object *add_object(struct json_object *object, const char *key)
{
	struct json_object *child = json_object_new_object();

	json_object_object_add(object, key, child);
	return child;
}

static struct json_object *add_array(struct json_object *object, const char *key)
{
	struct json_object *child = json_object_new_array();

	json_object_object_add(object, key, child);
	return child;
}

static void append_number(struct json_object *array, double value)
{
	json_object_array_add(array, json_object_new_double(value));
}

static void add_header(struct json_object *root, const struct ep_derivation *d)
{
	const struct ep_params *params = &d->set->params;
	const struct ep_labels *dims = &d->set->basis.columns;

	add_text(root, "schema", "evprof-derive-1");
	add_text(root, "dataset", d->set->name);
	add_text(root, "title", params->title);
	add_text(root, "cpu", params->cpu);
	add_text(root, "date", params->date);
	add_text(root, "score_on", "original");
	add_text(root, "tie_norm", "updated");
	add_number(root, "alpha", params->alpha);
	add_number(root, "tau", params->tau);
	add_number(root, "projection_cut", params->projection_cut);
	add_number(root, "coefficient_tolerance", params->coefficient_tolerance);
	add_text(root, "combine", ep_combine_name[params->combine]);
	add_count(root, "events", d->set->events.names.n);
	add_count(root, "points", d->set->basis.rows.n);
	struct json_object *basis = add_array(root, "basis");
	for (size_t i = 0; i < dims->n; i++)
		json_object_array_add(basis, json_object_new_string(dims->items[i]));
	struct json_object *counts = add_object(root, "counts");
	for (int s = 0; s < EP_EVENT_N_STATUS; s++)
		add_count(counts, ep_event_status_name[s], d->screen.counts[s]);
}

static void add_chosen(struct json_object *root, const struct ep_derivation *d)
{
	struct json_object *chosen = add_array(root, "chosen");
	struct json_object *scores = add_array(root, "chosen_scores");
	struct json_object *norms = add_array(root, "chosen_norms");
	struct json_object *representation = add_object(root, "representation");
	size_t n_dims = d->set->basis.columns.n;

	for (size_t k = 0; k < d->n_chosen; k++) {
		struct json_object *x = add_array(representation, ep_report_event(d, k));

		json_object_array_add(chosen, json_object_new_string(ep_report_event(d, k)));
		append_number(scores, d->pivots[k].score);
		append_number(norms, d->pivots[k].norm);
		for (size_t i = 0; i < n_dims; i++)
			append_number(x, d->x[k * n_dims + i]);
	}
}

static void add_metric(struct json_object *metrics, const struct ep_derivation *d, size_t m)
{
	struct json_object *metric = json_object_new_object();
	enum ep_fitness fitness = ep_derivation_fitness(d, m);
	char why[256];

	add_text(metric, "name", d->set->signatures.rows.items[m]);
	struct json_object *coefficients = add_object(metric, "coefficients");
	add_number(metric, "error", d->fits[m].error);
	struct json_object *rounded = add_object(metric, "rounded");
	add_number(metric, "rounded_error", d->fits[m].rounded_error);
	for (size_t k = 0; k < d->n_chosen; k++) {
		size_t i = m * d->n_chosen + k;

		add_number(coefficients, ep_report_event(d, k), d->coefficients[i]);
		if (d->rounded[i] != 0)
			add_number(rounded, ep_report_event(d, k), d->rounded[i]);
	}
	add_text(metric, "fitness", ep_fitness_name[fitness]);
	if (fitness >= EP_FITNESS_PARTIAL) {
		ep_derivation_explain(d, m, why, sizeof(why));
		add_text(metric, "why", why);
	}
	json_object_array_add(metrics, metric);
}

static void add_events(struct json_object *root, const struct ep_derivation *d)
{
	struct json_object *status = add_object(root, "status");
	struct json_object *variability = add_object(root, "variability");
	struct json_object *residual = add_object(root, "projection_residual");
	const struct ep_labels *names = &d->set->events.names;

	for (size_t e = 0; e < names->n; e++) {
		add_text(status, names->items[e], ep_event_status_name[d->screen.status[e]]);
		if (!isnan(d->screen.variability[e]))
			add_number(variability, names->items[e], d->screen.variability[e]);
		if (!isnan(d->screen.residual[e]))
			add_number(residual, names->items[e], d->screen.residual[e]);
	}
}

void ep_report_json(const struct ep_derivation *d, FILE *out)
{
	struct json_object *root = json_object_new_object(), *metrics, *definable;
	const struct ep_labels *names = &d->set->signatures.rows;

	add_header(root, d);
	add_chosen(root, d);
	metrics = add_array(root, "metrics");
	for (size_t m = 0; m < names->n; m++)
		add_metric(metrics, d, m);
	add_events(root, d);
	definable = add_array(root, "definable");
	for (size_t m = 0; m < names->n; m++)
		if (ep_derivation_fitness(d, m) < EP_FITNESS_PARTIAL)
			json_object_array_add(definable, json_object_new_string(names->items[m]));
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(
			root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}
