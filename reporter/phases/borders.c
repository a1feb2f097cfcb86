// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/phases/borders.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/cleanup.h"

#define REACH 4 /* at most this many windows on each side of a border are looked at */
/* least difference of log likelihood between the best and the worst place: odds of 20 to 1 */
#define LEAST_TOLD 3.0
#define UNSEEN 0.5 /* samples that are added to each column, so that none has probability 0 */

struct refining {
	const struct ep_border_samples *samples;
	double *edges_us;
	struct ep_segmentation *in;
	double *logs; /* (n_kinds, n_columns) log of the probability of a column in each kind */
};

/* Returns the first sample that ends after a moment. */
static uint32_t sample_behind(const struct ep_border_samples *samples, double at_us)
{
	uint32_t low = 0, high = samples->n_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (samples->rows[middle].end_us <= at_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void find_mixes(struct refining *r)
{
	uint32_t n_columns = r->samples->n_columns;

	for (uint32_t i = 0; i < r->in->n_stretches; i++) {
		const struct ep_stretch_of_windows *stretch = &r->in->stretches[i];
		double *counts = r->logs + (size_t)stretch->kind * n_columns;
		uint32_t to = sample_behind(r->samples, r->edges_us[stretch->to]);

		for (uint32_t k = sample_behind(r->samples, r->edges_us[stretch->from]); k < to;
			k++)
			counts[r->samples->rows[k].column]++;
	}
	for (uint32_t kind = 0; kind < r->in->n_kinds; kind++) {
		double *counts = r->logs + (size_t)kind * n_columns, sum = 0;

		for (uint32_t c = 0; c < n_columns; c++)
			sum += counts[c] + UNSEEN;
		for (uint32_t c = 0; c < n_columns; c++)
			counts[c] = log((counts[c] + UNSEEN) / sum);
	}
}

/* Returns the logarithm of a sample's probability in the phase before the border over that in the phase after it. */
static double speaks_for_before(
	const struct refining *r, const struct ep_stretch_of_windows *before, uint32_t sample)
{
	uint32_t n_columns = r->samples->n_columns, column = r->samples->rows[sample].column;

	return r->logs[(size_t)before[0].kind * n_columns + column] -
	       r->logs[(size_t)before[1].kind * n_columns + column];
}

/* Returns the first sample after the most likely border; of equally likely borders, the one nearest to the old border
 * is taken (now: the first sample after the old one). UINT32_MAX: all are about as likely, or the best is at one end
 * of the range. */
static uint32_t likeliest(const struct refining *r, const struct ep_stretch_of_windows *before,
	const uint32_t range[2], uint32_t now)
{
	double sum = 0, most = 0, least = 0;
	uint32_t best = range[0];

	for (uint32_t k = range[0]; k < range[1]; k++) {
		bool is_nearer = abs((int)(k + 1) - (int)now) < abs((int)best - (int)now);

		sum += speaks_for_before(r, before, k);
		least = fmin(least, sum);
		if (sum > most || (!(sum < most) && is_nearer)) {
			most = sum;
			best = k + 1;
		}
	}
	return most - least < LEAST_TOLD || best == range[0] || best == range[1] ? UINT32_MAX
										 : best;
}

/* Returns the moment of the border. The program went on to the next phase during the slice of the first sample after
 * the border, on average in the middle of that slice. */
static double moment_of(const struct ep_border_samples *samples, uint32_t first_behind)
{
	const struct ep_border_sample *sample = &samples->rows[first_behind];
	double from_us = sample->from_us;

	if (first_behind)
		from_us = fmax(from_us, samples->rows[first_behind - 1].end_us);
	return (from_us + sample->end_us) / 2;
}

/* Returns the edge from first to last, both included, that is nearest to a moment. */
static uint32_t nearest_edge(const struct refining *r, uint32_t first, uint32_t last, double at_us)
{
	uint32_t nearest = first;

	for (uint32_t i = first; i <= last; i++)
		if (fabs(r->edges_us[i] - at_us) < fabs(r->edges_us[nearest] - at_us))
			nearest = i;
	return nearest;
}

static void refine(struct refining *r, struct ep_stretch_of_windows *before)
{
	uint32_t border = before->to;
	uint32_t back = (before[0].to - before[0].from) / 2,
		 on = (before[1].to - before[1].from) / 2;
	uint32_t first = border - (back < REACH ? back : REACH);
	uint32_t last = border + (on < REACH ? on : REACH), best;
	const uint32_t range[2] = { sample_behind(r->samples, r->edges_us[first]),
		sample_behind(r->samples, r->edges_us[last]) };
	double at_us;

	if (first == border || last == border)
		return;
	best = likeliest(r, before, range, sample_behind(r->samples, r->edges_us[border]));
	if (best == UINT32_MAX)
		return;
	at_us = moment_of(r->samples, best);
	if (!(at_us > r->edges_us[first] && at_us < r->edges_us[last]))
		return;
	border = nearest_edge(r, first + 1, last - 1, at_us);
	r->edges_us[border] = fmin(fmax(at_us, r->edges_us[border - 1]), r->edges_us[border + 1]);
	before[0].to = before[1].from = border;
}

int ep_borders_refine(
	const struct ep_border_samples *samples, double *edges_us, struct ep_segmentation *in)
{
	EP_AUTOFREE double *logs =
		calloc((size_t)in->n_kinds * samples->n_columns + 1, sizeof(*logs));
	struct refining r = { samples, edges_us, in, logs };

	if (!logs)
		return -ENOMEM;
	find_mixes(&r);
	for (uint32_t i = 0; i + 1 < in->n_stretches; i++)
		refine(&r, &in->stretches[i]);
	return 0;
}
