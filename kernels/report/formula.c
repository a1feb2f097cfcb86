// SPDX-License-Identifier: BSD-3-Clause
/* Formula files: what the reporter reads. Metrics that cannot be had are comments with the reason.
 */
#include "kernels/report/report.h"

static void print_head(const struct ep_derivation *d, FILE *out)
{
	const struct ep_params *params = &d->set->params;

	fprintf(out, "formula-version 1\n");
	if (params->cpu_key[0])
		fprintf(out, "cpus %s\n", params->cpu_key);
	fprintf(out, "source evcal derive, kernel %s%s%s\n", d->set->name,
		params->title[0] ? ": " : "", params->title);
	if (params->cpu[0])
		fprintf(out, "calibrated-on %s\n", params->cpu);
	if (params->date[0])
		fprintf(out, "date %s\n", params->date);
	fprintf(out, "thresholds tau %g alpha %g projection_cut %g coefficient_tolerance %g\n",
		params->tau, params->alpha, params->projection_cut, params->coefficient_tolerance);
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

static void print_metric(const struct ep_derivation *d, size_t m, FILE *out)
{
	const char *name = d->set->signatures.rows.items[m];
	char slug[128], why[256];

	if (ep_derivation_fitness(d, m) >= EP_FITNESS_PARTIAL) {
		ep_derivation_explain(d, m, why, sizeof(why));
		fprintf(out, "\n# %s: not definable, %s (error %.3g)\n", name, why,
			d->fits[m].error);
		return;
	}
	ep_report_slug(name, slug, sizeof(slug));
	fprintf(out, "\nmetric %s\n\texpr ", slug);
	ep_report_combination(d, m, " * ", out);
	fprintf(out, "\n\tunit count\n\ttext %s\n", name);
	fprintf(out, "\tfitness %s\n\terror %.3g\n\tnoise %.3g\n",
		ep_fitness_name[ep_derivation_fitness(d, m)], d->fits[m].rounded_error,
		metric_noise(d, m));
}

void ep_report_formula(const struct ep_derivation *d, FILE *out)
{
	print_head(d, out);
	for (size_t m = 0; m < d->set->signatures.rows.n; m++)
		print_metric(d, m, out);
}
