// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/segment.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* two stretches are of one kind if they spend less than this share of the time in different columns ... */
#define SAME_SHARES 0.15
/* ... and if no rate's logarithm differs by more than this, or by more than its least scatter */
#define SAME_RATE 0.15
#define LEAST_RATE 0.02  /* share of a rate's mean; smaller values of the rate are set to it */
#define MOST_BLOCK 4     /* most windows in a block whose scatter is measured */
#define LEAST_SHARE 0.02 /* least share of a column that counts for the penalty */

struct segmenter {
	const struct ep_window_series *series;
	/* S + 3 R: the sum of each share; for each rate its number, sum and squares */
	uint32_t n_columns;
	double *sums; /* (T + 1, n_columns) sums over all windows before window t */
	double *logs; /* (T, R) logarithms of the rates, since a rate's noise grows with the rate */
	double *precisions; /* (R) half of 1 / variance of the logarithms */
	double dispersion; /* variance of the shares over that of independent samples, at least 1 */
	double penalty;
	double *costs;    /* (T + 1) cost of the best segmentation of the windows before */
	uint32_t *before; /* (T + 1) last border of that segmentation */
	uint32_t *starts; /* borders that may still be the last one of the best segmentation */
};

static void finish(struct segmenter *s)
{
	free(s->sums);
	free(s->logs);
	free(s->precisions);
	free(s->costs);
	free(s->before);
	free(s->starts);
}

/* ---- sums ---- */

static void find_logs(struct segmenter *s, uint32_t i)
{
	const struct ep_window_series *series = s->series;
	double sum = 0, n = 0;

	for (uint32_t t = 0; t < series->n_windows; t++) {
		double rate = series->rates[(size_t)t * series->n_rates + i];

		sum += isnan(rate) ? 0 : rate;
		n += !isnan(rate);
	}
	for (uint32_t t = 0; t < series->n_windows; t++) {
		size_t at = (size_t)t * series->n_rates + i;
		double rate = series->rates[at];

		s->logs[at] =
			isnan(rate) || !(sum > 0) ? NAN : log(fmax(rate, LEAST_RATE * sum / n));
	}
}

static void add_window(struct segmenter *s, uint32_t t)
{
	const struct ep_window_series *series = s->series;
	const double *old = s->sums + (size_t)t * s->n_columns;
	double *sums = s->sums + (size_t)(t + 1) * s->n_columns;

	memcpy(sums, old, s->n_columns * sizeof(*sums));
	for (uint32_t i = 0; i < series->n_shares; i++)
		sums[i] += series->shares[(size_t)t * series->n_shares + i];
	for (uint32_t i = 0; i < series->n_rates; i++) {
		double rate = s->logs[(size_t)t * series->n_rates + i];
		double *of_rate = sums + series->n_shares + 3 * (size_t)i;

		if (isnan(rate))
			continue;
		of_rate[0] += 1;
		of_rate[1] += rate;
		of_rate[2] += rate * rate;
	}
}

static double span(const struct segmenter *s, uint32_t from, uint32_t to, uint32_t column)
{
	return s->sums[(size_t)to * s->n_columns + column] -
	       s->sums[(size_t)from * s->n_columns + column];
}

/* ---- costs ---- */

static double times_log(double x)
{
	return x > 0 ? x * log(x) : 0;
}

/* Returns the cost of windows whose sums (n_columns) these are. */
static double cost_of(const struct segmenter *s, const double *sums)
{
	uint32_t n_shares = s->series->n_shares;
	double n = 0, cost = 0;

	for (uint32_t i = 0; i < n_shares; i++) {
		n += sums[i];
		cost -= times_log(sums[i]);
	}
	cost = (cost + times_log(n)) / s->dispersion;
	for (uint32_t i = 0; i < s->series->n_rates; i++) {
		const double *of_rate = sums + n_shares + 3 * (size_t)i;

		if (of_rate[0] > 0)
			cost += fmax(0, of_rate[2] - of_rate[1] * of_rate[1] / of_rate[0]) *
				s->precisions[i];
	}
	return cost;
}

static double cost_between(const struct segmenter *s, double *scratch, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < s->n_columns; i++)
		scratch[i] = span(s, from, to, i);
	return cost_of(s, scratch);
}

/* ---- scatter of the series ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the median of n values; 0 if n is 0. */
static double median(double *values, uint32_t n)
{
	qsort(values, n, sizeof(*values), by_size);
	return n ? values[n / 2] : 0;
}

/* Returns the scatter of a rate, from the differences of neighbouring windows. Phases change only few of them, so the
 * median shows noise alone. The median absolute value of a normal variable is 0.6745 standard deviations. */
static double scatter_of_rate(const struct segmenter *s, double *scratch, uint32_t i)
{
	const struct ep_window_series *series = s->series;
	double last = NAN;
	uint32_t n = 0;

	for (uint32_t t = 0; t < series->n_windows; t++) {
		double rate = s->logs[(size_t)t * series->n_rates + i];

		if (isnan(rate))
			continue;
		if (!isnan(last))
			scratch[n++] = fabs(rate - last);
		last = rate;
	}
	return fmax(median(scratch, n) / (0.6745 * sqrt(2)), series->least_scatters[i]);
}

/* Returns Pearson's statistic for the hypothesis that two blocks have the same mix, divided by its degrees of freedom.
 * It is 0 if all samples are in one column, and NaN if a block has no sample. */
static double disagreement(const struct segmenter *s, uint32_t from, uint32_t length)
{
	uint32_t n_shares = s->series->n_shares, n_free = 0;
	double n[2] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < n_shares; i++) {
		n[0] += span(s, from, from + length, i);
		n[1] += span(s, from + length, from + 2 * length, i);
	}
	for (uint32_t i = 0; i < n_shares && n[0] > 0 && n[1] > 0; i++) {
		double a = span(s, from, from + length, i);
		double b = span(s, from + length, from + 2 * length, i);
		double share = (a + b) / (n[0] + n[1]);

		if (!(share > 0))
			continue;
		n_free++;
		sum += pow(a - n[0] * share, 2) / (n[0] * share) +
		       pow(b - n[1] * share, 2) / (n[1] * share);
	}
	return n_free > 1 ? sum / (n_free - 1) : n_free ? 0 : NAN;
}

/* Returns the dispersion of the shares. Correlated samples scatter more than independent ones, and this shows more in
 * long blocks. Blocks as long as phases are not used, since their median would measure the phases. */
static double find_dispersion(const struct segmenter *s, double *scratch)
{
	double most = 1;

	for (uint32_t length = 1; length <= MOST_BLOCK; length *= 2) {
		uint32_t n = 0;

		for (uint32_t t = 0; t + 2 * length <= s->series->n_windows; t += length) {
			double value = disagreement(s, t, length);

			if (!isnan(value))
				scratch[n++] = value;
		}
		most = fmax(most, median(scratch, n));
	}
	return most;
}

/* Returns the penalty for a border. In a series without borders, the best border lowers the cost by more than the
 * penalty in only one of e^3 (20) series. The bound is the tail of chi-square (Laurent, Massart: Adaptive estimation
 * of a quadratic functional, Annals of Statistics 28, 2000, lemma 1), for each place that the border can have. */
static double find_penalty(const struct segmenter *s)
{
	const struct ep_window_series *series = s->series;
	double x = log(series->n_windows) + 3, n_samples = 0, d = series->n_rates;
	uint32_t n_columns = 0;

	for (uint32_t i = 0; i < series->n_shares; i++)
		n_samples += span(s, 0, series->n_windows, i);
	for (uint32_t i = 0; i < series->n_shares; i++)
		n_columns += span(s, 0, series->n_windows, i) > LEAST_SHARE * n_samples;
	d += n_columns > 1 ? n_columns - 1 : 0;
	return 0.5 * (d + 2 * sqrt(d * x) + 2 * x);
}

static int prepare(struct segmenter *s)
{
	const struct ep_window_series *series = s->series;
	size_t n = (size_t)series->n_windows + 1;
	EP_AUTOFREE double *scratch = calloc(n, sizeof(*scratch));

	s->n_columns = series->n_shares + 3 * series->n_rates;
	s->sums = calloc(n * (s->n_columns + 1), sizeof(*s->sums));
	s->logs = calloc(n * (series->n_rates + 1), sizeof(*s->logs));
	s->precisions = calloc(series->n_rates + 1, sizeof(*s->precisions));
	s->costs = calloc(n, sizeof(*s->costs));
	s->before = calloc(n, sizeof(*s->before));
	s->starts = calloc(n, sizeof(*s->starts));
	if (!scratch || !s->sums || !s->logs || !s->precisions || !s->costs || !s->before ||
		!s->starts)
		return -ENOMEM;
	for (uint32_t i = 0; i < series->n_rates; i++)
		find_logs(s, i);
	for (uint32_t t = 0; t < series->n_windows; t++)
		add_window(s, t);
	for (uint32_t i = 0; i < series->n_rates; i++) {
		double scatter = scatter_of_rate(s, scratch, i);

		s->precisions[i] = 0.5 / (scatter * scatter);
	}
	s->dispersion = find_dispersion(s, scratch);
	s->penalty = find_penalty(s);
	return 0;
}

/* ---- borders ---- */

/* Finds the borders by PELT. A start of the last stretch that costs more than the best one, even without a penalty, is
 * dropped, since it cannot be the best for later windows either. */
static void find_borders(struct segmenter *s, double *scratch)
{
	uint32_t n_starts = 0;

	s->costs[0] = -s->penalty;
	for (uint32_t t = EP_SHORTEST_STRETCH; t <= s->series->n_windows; t++) {
		double best = INFINITY;
		uint32_t n_kept = 0;

		if (t == EP_SHORTEST_STRETCH || t >= 2 * EP_SHORTEST_STRETCH)
			s->starts[n_starts++] = t - EP_SHORTEST_STRETCH;
		for (uint32_t k = 0; k < n_starts; k++) {
			uint32_t from = s->starts[k];
			double cost = s->costs[from] + cost_between(s, scratch, from, t);

			if (cost + s->penalty < best) {
				best = cost + s->penalty;
				s->before[t] = from;
			}
			scratch[s->n_columns + k] = cost;
		}
		for (uint32_t k = 0; k < n_starts; k++)
			if (scratch[s->n_columns + k] < best)
				s->starts[n_kept++] = s->starts[k];
		n_starts = n_kept;
		s->costs[t] = best;
	}
}

static int take_borders(const struct segmenter *s, struct ep_segmentation *out)
{
	uint32_t n = 0, t;

	for (t = s->series->n_windows; t; t = s->before[t])
		n++;
	out->stretches = calloc(n + 1, sizeof(*out->stretches));
	if (!out->stretches)
		return -ENOMEM;
	out->n_stretches = n;
	for (t = s->series->n_windows; t; t = s->before[t])
		out->stretches[--n] = (struct ep_stretch_of_windows){ s->before[t], t, 0 };
	return 0;
}

/* ---- kinds ---- */

struct kinds {
	double *sums; /* (n_stretches, n_columns) sums of the first n kinds */
	uint32_t n;
};

static double share_elsewhere(const struct segmenter *s, const double *a, const double *b)
{
	double n[2] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < s->series->n_shares; i++) {
		n[0] += a[i];
		n[1] += b[i];
	}
	if (!(n[0] > 0 && n[1] > 0))
		return 0;
	for (uint32_t i = 0; i < s->series->n_shares; i++)
		sum += fabs(a[i] / n[0] - b[i] / n[1]);
	return sum / 2;
}

static bool has_same_rates(const struct segmenter *s, const double *a, const double *b)
{
	for (uint32_t i = 0; i < s->series->n_rates; i++) {
		const double *x = a + s->series->n_shares + 3 * (size_t)i;
		const double *y = b + s->series->n_shares + 3 * (size_t)i;

		if (!(x[0] > 0 && y[0] > 0))
			continue;
		double p = x[1] / x[0], q = y[1] / y[0];

		if (fabs(p - q) > fmax(SAME_RATE, s->series->least_scatters[i]))
			return false;
	}
	return true;
}

/* Returns by how much the joint cost of two stretches or kinds with the sums a and b is above the sum of their own
 * costs; below 0 if the difference is too small to matter. */
static double difference(
	const struct segmenter *s, const double *a, const double *b, double *scratch)
{
	if (share_elsewhere(s, a, b) < SAME_SHARES && has_same_rates(s, a, b))
		return -1;
	for (uint32_t i = 0; i < s->n_columns; i++)
		scratch[i] = a[i] + b[i];
	return cost_of(s, scratch) - cost_of(s, a) - cost_of(s, b);
}

static uint32_t find_kind(const struct segmenter *s, struct kinds *kinds,
	const struct ep_stretch_of_windows *stretch, double *scratch)
{
	double *own = kinds->sums + (size_t)kinds->n * s->n_columns, least = INFINITY;
	uint32_t kind = kinds->n;

	for (uint32_t i = 0; i < s->n_columns; i++)
		own[i] = span(s, stretch->from, stretch->to, i);
	for (uint32_t k = 0; k < kinds->n; k++) {
		double value = difference(s, kinds->sums + (size_t)k * s->n_columns, own, scratch);

		if (value < least) {
			least = value;
			kind = k;
		}
	}
	if (!(least < s->penalty))
		return kinds->n++;
	for (uint32_t i = 0; i < s->n_columns; i++)
		kinds->sums[(size_t)kind * s->n_columns + i] += own[i];
	return kind;
}

static uint32_t longest_left(const struct ep_segmentation *of)
{
	uint32_t longest = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < of->n_stretches; i++) {
		const struct ep_stretch_of_windows *stretch = &of->stretches[i];

		if (stretch->kind != UINT32_MAX || stretch->to - stretch->from <= most)
			continue;
		most = stretch->to - stretch->from;
		longest = i;
	}
	return longest;
}

/* Finds the kind of each stretch. The longest stretches come first, since they describe a kind best. */
static int find_kinds(const struct segmenter *s, struct ep_segmentation *out)
{
	struct kinds kinds = { 0 };
	EP_AUTOFREE double *sums =
		calloc(((size_t)out->n_stretches + 1) * (s->n_columns + 1), sizeof(*sums));
	EP_AUTOFREE double *scratch = calloc(s->n_columns + 1, sizeof(*scratch));
	uint32_t next;

	if (!sums || !scratch)
		return -ENOMEM;
	kinds.sums = sums;
	for (uint32_t i = 0; i < out->n_stretches; i++)
		out->stretches[i].kind = UINT32_MAX;
	while ((next = longest_left(out)) != UINT32_MAX)
		out->stretches[next].kind = find_kind(s, &kinds, &out->stretches[next], scratch);
	out->n_kinds = kinds.n;
	return 0;
}

static void join_neighbours(struct ep_segmentation *of)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < of->n_stretches; i++) {
		if (n && of->stretches[n - 1].kind == of->stretches[i].kind)
			of->stretches[n - 1].to = of->stretches[i].to;
		else
			of->stretches[n++] = of->stretches[i];
	}
	of->n_stretches = n;
}

/* Numbers the kinds in the order in which they come. */
static int number_kinds(struct ep_segmentation *of)
{
	/* new number of each kind plus one */
	EP_AUTOFREE uint32_t *numbers = calloc(of->n_kinds + 1, sizeof(*numbers));
	uint32_t n = 0;

	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < of->n_stretches; i++) {
		uint32_t *number = &numbers[of->stretches[i].kind];

		*number = *number ? *number : ++n;
		of->stretches[i].kind = *number - 1;
	}
	of->n_kinds = n;
	return 0;
}

int ep_segmentation_tidy(struct ep_segmentation *segmentation)
{
	join_neighbours(segmentation);
	return number_kinds(segmentation);
}

static int segment(struct segmenter *s, struct ep_segmentation *out)
{
	size_t n = (size_t)s->series->n_windows + s->n_columns + 2;
	EP_AUTOFREE double *scratch = calloc(n, sizeof(*scratch));
	int rc;

	if (!scratch)
		return -ENOMEM;
	if (s->series->n_windows >= 2 * EP_SHORTEST_STRETCH)
		find_borders(s, scratch);
	rc = take_borders(s, out);
	if (!rc)
		rc = find_kinds(s, out);
	if (rc)
		return rc;
	return ep_segmentation_tidy(out);
}

int ep_segment(const struct ep_window_series *series, struct ep_segmentation *out)
{
	__attribute__((cleanup(finish))) struct segmenter s = { .series = series };
	struct ep_segmentation made = { 0 };
	int rc = prepare(&s);

	if (!rc)
		rc = segment(&s, &made);
	if (rc) {
		ep_segmentation_finish(&made);
		return rc;
	}
	*out = made;
	return 0;
}

void ep_segmentation_finish(struct ep_segmentation *segmentation)
{
	free(segmentation->stretches);
	*segmentation = (struct ep_segmentation){ 0 };
}
