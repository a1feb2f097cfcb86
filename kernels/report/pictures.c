// SPDX-License-Identifier: BSD-3-Clause
/* Draws three pictures of a derivation, like those of the papers. The set has P points and D dims (expectations). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/report/report.h"
#include "kernels/report/svg.h"

/* The least variability on the logarithmic axis: exact events would be at minus infinity. */
static const double variability_floor = 1e-16;

static const double chart_width = 560, chart_height = 220, chart_left = 70, chart_top = 30,
		    chart_legend = 300;

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static struct ep_svg place_chart(FILE *out, size_t row)
{
	return (struct ep_svg){
		.out = out,
		.left = chart_left,
		.top = chart_top + (double)row * (chart_height + 60),
		.width = chart_width,
		.height = chart_height,
	};
}

static void start_document(FILE *out, size_t n_charts)
{
	ep_svg_document_start(out, chart_left + chart_width + chart_legend,
		chart_top + (double)n_charts * (chart_height + 60));
}

static double min_value(const double *values, size_t n, double start)
{
	for (size_t i = 0; i < n; i++)
		start = fmin(start, values[i]);
	return start;
}

static double max_value(const double *values, size_t n, double start)
{
	for (size_t i = 0; i < n; i++)
		start = fmax(start, values[i]);
	return start;
}

void ep_report_variability_svg(const struct ep_derivation *d, FILE *out)
{
	size_t n_events = d->set->events.names.n, n = 0;
	EP_AUTOFREE double *sorted = malloc((n_events + 1) * sizeof(*sorted));
	struct ep_svg svg = place_chart(out, 0);

	if (!sorted)
		return;
	for (size_t e = 0; e < n_events; e++)
		if (!isnan(d->screen.variability[e]))
			sorted[n++] = fmax(d->screen.variability[e], variability_floor);
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	svg.x = (struct ep_svg_axis){ 0, fmax(1, (double)n - 1), false, "events, sorted" };
	svg.y = (struct ep_svg_axis){ variability_floor,
		pow(10, ceil(log10(max_value(sorted, n, 1)))), true,
		"max RNMSE (0 drawn at 1e-16)" };
	start_document(out, 1);
	ep_svg_chart(&svg, d->set->name);
	ep_svg_points(&svg, "event", NULL, sorted, n);
	ep_svg_level(&svg, "threshold tau", fmax(d->set->params.tau, variability_floor));
	ep_svg_document_stop(out);
}

void ep_report_curves_svg(const struct ep_derivation *d, FILE *out)
{
	size_t n_points = d->set->events.n_points;
	EP_AUTOFREE double *curve = malloc(n_points * sizeof(*curve));
	size_t n_charts = d->n_chosen;

	if (!curve)
		return;
	start_document(out, n_charts);
	for (size_t k = 0; k < n_charts; k++) {
		struct ep_svg svg = place_chart(out, k);

		ep_report_event_mean(d, k, curve);
		svg.x = (struct ep_svg_axis){ 0, (double)n_points - 1, false, "kernel point" };
		svg.y = (struct ep_svg_axis){ 0, max_value(curve, n_points, 1e-300), false,
			"count" };
		ep_svg_chart(&svg, ep_report_event(d, k));
		ep_svg_line(&svg, "mean of repetitions", NULL, curve, n_points);
	}
	ep_svg_document_stop(out);
}

/* Computes the expected value of the metric at each point: E s. */
static void expect_metric(const struct ep_derivation *d, size_t m, double *out)
{
	size_t n_dims = d->set->basis.columns.n;

	for (size_t p = 0; p < d->set->events.n_points; p++) {
		out[p] = 0;
		for (size_t i = 0; i < n_dims; i++)
			out[p] += d->set->basis.values[p * n_dims + i] *
				  d->set->signatures.values[m * n_dims + i];
	}
}

/* Computes the rounded combination of the measured events. */
static void combine_events(const struct ep_derivation *d, size_t m, double *scratch, double *out)
{
	size_t n_points = d->set->events.n_points;

	memset(out, 0, n_points * sizeof(*out));
	for (size_t k = 0; k < d->n_chosen; k++) {
		ep_report_event_mean(d, k, scratch);
		for (size_t p = 0; p < n_points; p++)
			out[p] += d->rounded[m * d->n_chosen + k] * scratch[p];
	}
}

static void draw_metric(const struct ep_derivation *d, size_t m, double *curves, FILE *out)
{
	size_t n_points = d->set->events.n_points;
	double *expected = curves, *combined = curves + n_points;
	struct ep_svg svg = place_chart(out, m);

	expect_metric(d, m, expected);
	combine_events(d, m, curves + 2 * n_points, combined);
	svg.x = (struct ep_svg_axis){ 0, (double)n_points - 1, false, "kernel point" };
	svg.y = (struct ep_svg_axis){ min_value(curves, 2 * n_points, 0),
		max_value(curves, 2 * n_points, 1e-300), false, "count" };
	ep_svg_chart(&svg, d->set->signatures.rows.items[m]);
	ep_svg_line(&svg, "signature", NULL, expected, n_points);
	ep_svg_points(&svg, "rounded combination", NULL, combined, n_points);
}

void ep_report_metrics_svg(const struct ep_derivation *d, FILE *out)
{
	EP_AUTOFREE double *curves = malloc(3 * d->set->events.n_points * sizeof(*curves));

	if (!curves)
		return;
	start_document(out, d->set->signatures.rows.n);
	for (size_t m = 0; m < d->set->signatures.rows.n; m++)
		draw_metric(d, m, curves, out);
	ep_svg_document_stop(out);
}
