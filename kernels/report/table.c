// SPDX-License-Identifier: BSD-3-Clause
/* Writes the report for people. */
#include <string.h>

#include "kernels/report/report.h"

static void print_error(double error, FILE *out)
{
	if (error < EP_SMALL_ERROR)
		fprintf(out, "%9s", "small");
	else
		fprintf(out, "%9.2e", error);
}

static void print_counts(const struct ep_derivation *d, FILE *out)
{
	const struct ep_params *params = &d->set->params;
	const size_t *counts = d->screen.counts;

	fprintf(out, "%s%s%s\n", d->set->name, params->title[0] ? ": " : "", params->title);
	fprintf(out,
		"%zu events: %zu zero, %zu noisy (max RNMSE > %g), %zu not representable (residual > %g), %zu kept\n\n",
		d->set->events.names.n, counts[EP_EVENT_ZERO], counts[EP_EVENT_NOISY], params->tau,
		counts[EP_EVENT_UNREPRESENTABLE], params->projection_cut, counts[EP_EVENT_KEPT]);
}

static void print_chosen(const struct ep_derivation *d, FILE *out)
{
	if (!d->n_chosen) {
		fprintf(out, "No event was chosen.\n\n");
		return;
	}
	fprintf(out, "%5s %9s %9s %9s  event\n", "pivot", "score", "norm", "noise");
	for (size_t k = 0; k < d->n_chosen; k++)
		fprintf(out, "%5zu %9.4g %9.5g %9.2g  %s\n", k + 1, d->pivots[k].score,
			d->pivots[k].norm, d->screen.variability[d->pivots[k].candidate],
			ep_report_event(d, k));
	fputc('\n', out);
}

static int metric_width(const struct ep_derivation *d)
{
	const struct ep_labels *names = &d->set->signatures.rows;
	int width = 6;

	for (size_t m = 0; m < names->n; m++)
		width = (int)strlen(names->items[m]) > width ? (int)strlen(names->items[m]) : width;
	return width;
}

static void print_metric(const struct ep_derivation *d, size_t m, int width, FILE *out)
{
	enum ep_fitness fitness = ep_derivation_fitness(d, m);
	char why[256];

	fprintf(out, "%-*s  %-8s", width, d->set->signatures.rows.items[m],
		ep_fitness_name[fitness]);
	print_error(d->fits[m].error, out);
	print_error(d->fits[m].rounded_error, out);
	fputs("  ", out);
	ep_report_combination(d, m, out);
	fputc('\n', out);
	if (fitness < EP_FITNESS_PARTIAL)
		return;
	ep_derivation_explain(d, m, why, sizeof(why));
	fprintf(out, "%-*s  not definable: %s\n", width, "", why);
}

void ep_report_table(const struct ep_derivation *d, FILE *out)
{
	int width = metric_width(d);

	print_counts(d, out);
	print_chosen(d, out);
	fprintf(out, "%-*s  %-8s%9s%9s  combination\n", width, "metric", "fitness", "error",
		"rounded");
	for (size_t m = 0; m < d->set->signatures.rows.n; m++)
		print_metric(d, m, width, out);
}
