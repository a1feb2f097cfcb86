// SPDX-License-Identifier: BSD-3-Clause
/* Computes the features of every cell; each group of features has a function. */
#include "reporter/estimate/cell_features.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/interpolate.h"
#include "reporter/estimate/similarity.h"

/* Inputs of all groups. T slices, E events. */
struct shared {
	const struct ep_grid *g;
	struct ep_distances distances;
	float *z;           /* (E, T) base with mean 0 and deviation 1 */
	float *correlation; /* (E, E) correlations of the rows of z */
	double *scratch;    /* (T) memory to work in */
};

/* The row of the event whose features are computed. */
struct cell_row {
	size_t event;
	const struct ep_sampled *s;
	const double *rates; /* (T) rates of the event */
	const double *base;  /* (T) log of the linear interpolation */
	double gap;          /* mean number of slices from one sample to the next */
	float *x;            /* (T, F) features to be written */
};

static float *row_at(const struct cell_row *r, size_t t, size_t column)
{
	return r->x + t * EP_N_FEATURES + column;
}

static int neighbours(struct shared *sh, const struct cell_row *r)
{
	size_t k = 0; /* index of the last sample at or before t, or of the first sample */

	for (size_t t = 0; t < sh->g->n_slices; t++) {
		float *x = row_at(r, t, EP_F_NEIGHBOURS);
		while (k + 1 < r->s->n && r->s->at[k + 1] <= t)
			k++;
		for (int offset = -1; offset <= 2; offset++, x += 2) {
			long i = (long)k + offset, last = (long)r->s->n - 1;
			size_t at = r->s->at[i < 0 ? 0 : i > last ? last : i];
			double distance = fabs((double)at - (double)t) / r->gap;
			x[0] = (float)(log1p(r->rates[at]) - r->base[t]);
			x[1] = (float)fmin(distance, 4);
		}
	}
	return 0;
}

/* Interpolates linearly between the event's samples. values: (T), read in slices with a sample only. */
static void between_samples(
	struct shared *sh, const struct cell_row *r, const double *values, double *out)
{
	ep_interpolate_linear(r->s, values, sh->g->n_slices, out);
}

static int interpolants(struct shared *sh, const struct cell_row *r)
{
	size_t n = sh->g->n_slices;
	EP_AUTOFREE double *logs = malloc(n * sizeof(*logs));

	if (!logs)
		return -ENOMEM;
	ep_interpolate_pchip(r->s, r->rates, n, sh->scratch);
	for (size_t t = 0; t < n; t++) {
		*row_at(r, t, EP_F_INTERPOLANTS) = (float)(log1p(sh->scratch[t]) - r->base[t]);
		logs[t] = log1p(r->rates[t]);
	}
	between_samples(sh, r, logs, sh->scratch);
	for (size_t t = 0; t < n; t++)
		*row_at(r, t, EP_F_INTERPOLANTS + 1) = (float)(sh->scratch[t] - r->base[t]);
	return 0;
}

static int level(struct shared *sh, const struct cell_row *r)
{
	double sum = 0, squares = 0, mean, deviation, n_zero = 0;

	for (size_t k = 0; k < r->s->n; k++) {
		double log_rate = log1p(r->rates[r->s->at[k]]);
		sum += log_rate;
		squares += log_rate * log_rate;
		n_zero += r->rates[r->s->at[k]] <= 0;
	}
	mean = sum / r->s->n;
	deviation = sqrt(fmax(squares / r->s->n - mean * mean, 0));
	for (size_t t = 0; t < sh->g->n_slices; t++) {
		float *x = row_at(r, t, EP_F_LEVEL);
		x[0] = (float)(r->base[t] / 5 - 1);
		x[1] = (float)(r->base[t] - mean);
		x[2] = (float)deviation;
		x[3] = (float)(n_zero / r->s->n);
		x[4] = (float)(mean / 5 - 1);
		x[5] = (float)(log2(r->gap) - 2);
	}
	return 0;
}

/* Sums for a ridge regression with two unknowns. It finds how the bend of the event's logs (a sample minus
 * the mean of the samples before and after) depends on the bends of the two rows of context. a, b: bends of
 * the context; y: bend of the event's logs. */
struct bend {
	double aa, ab, bb, ay, by;
};

static void add_bend(struct bend *sums, double a, double b, double y)
{
	sums->aa += a * a;
	sums->ab += a * b;
	sums->bb += b * b;
	sums->ay += a * y;
	sums->by += b * y;
}

static double bent(const double *v, const uint32_t *at)
{
	return v[at[1]] - 0.5 * (v[at[0]] + v[at[2]]);
}

static void solve_bend(const struct bend *s, double out[EP_N_CONTEXT])
{
	double aa = s->aa + 1e-2, bb = s->bb + 1e-2, determinant = aa * bb - s->ab * s->ab;

	out[0] = (s->ay * bb - s->by * s->ab) / determinant;
	out[1] = (s->by * aa - s->ay * s->ab) / determinant;
}

/* Fits the regression and writes its estimates. away: (2, T) the context minus its linear interpolation
 * between the event's samples. */
static void regress(struct shared *sh, const struct cell_row *r, const double *away)
{
	size_t n = sh->g->n_slices;
	double *logs = sh->scratch, slope[EP_N_CONTEXT] = { 0 };
	const float *c = sh->g->context;
	struct bend sums = { 0 };

	for (size_t t = 0; t < n; t++)
		logs[t] = log1p(r->rates[t]);
	for (size_t k = 0; k + 2 < r->s->n; k++) {
		const uint32_t *at = r->s->at + k;
		double a = c[at[1]] - 0.5 * (c[at[0]] + c[at[2]]);
		double b = c[n + at[1]] - 0.5 * (c[n + at[0]] + c[n + at[2]]);
		add_bend(&sums, a, b, bent(logs, at));
	}
	if (r->s->n > 5)
		solve_bend(&sums, slope);
	for (size_t t = 0; t < n; t++) {
		double moved = slope[0] * away[t] + slope[1] * away[n + t];
		*row_at(r, t, EP_F_CONTEXT + 8) = (float)fmax(-4, fmin(moved, 4));
		*row_at(r, t, EP_F_CONTEXT + 9) = 1;
	}
}

static int context(struct shared *sh, const struct cell_row *r)
{
	size_t n = sh->g->n_slices;
	EP_AUTOFREE double *away = malloc(EP_N_CONTEXT * n * sizeof(*away));
	EP_AUTOFREE double *line = malloc(n * sizeof(*line));

	if (!away || !line)
		return -ENOMEM;
	for (size_t k = 0; k < EP_N_CONTEXT && sh->g->has_context; k++) {
		const float *c = sh->g->context + k * n;
		for (size_t t = 0; t < n; t++)
			sh->scratch[t] = c[t];
		between_samples(sh, r, sh->scratch, line);
		for (size_t t = 0; t < n; t++) {
			float *x = row_at(r, t, EP_F_CONTEXT + 4 * k);
			x[0] = (float)(c[t ? t - 1 : 0] - line[t]);
			x[1] = (float)(c[t] - line[t]);
			x[2] = (float)(c[t + 1 < n ? t + 1 : t] - line[t]);
			x[3] = (float)line[t];
			away[k * n + t] = c[t] - line[t];
		}
	}
	if (sh->g->has_context)
		regress(sh, r, away);
	return 0;
}

static int kernels(struct shared *sh, const struct cell_row *r)
{
	int rc = ep_similarity_stats(
		sh->g, &sh->distances, r->event, r->x + EP_F_KERNELS, EP_N_FEATURES);

	for (size_t t = 0; t < sh->g->n_slices && !rc; t++) {
		if (!sh->g->wanted[r->event * sh->g->n_slices + t])
			continue;
		for (size_t i = 0; i < EP_N_KERNELS * EP_N_KERNEL_STATS; i++)
			if (i % EP_N_KERNEL_STATS != EP_K_ZERO)
				*row_at(r, t, EP_F_KERNELS + i) -= (float)r->base[t];
	}
	return rc;
}

/* Sums over the events that other groups measured in a slice; each term tells how far an event is from its
 * usual level, in standard deviations. */
struct surge {
	float weighted, weights, plain, n, highest, lowest;
};

static struct surge surge_at(const struct shared *sh, size_t event, size_t t)
{
	const struct ep_grid *g = sh->g;
	struct surge s = { .highest = -9, .lowest = 9 };

	for (size_t j = 0; j < g->n_events; j++) {
		float z = sh->z[j * g->n_slices + t], r = sh->correlation[event * g->n_events + j];
		if (j == event || g->always[j] || !g->measured[j * g->n_slices + t])
			continue;
		s.weighted += r * fabsf(r) * z;
		s.weights += r * r;
		s.plain += z;
		s.n++;
		s.highest = fmaxf(s.highest, z);
		s.lowest = fminf(s.lowest, z);
	}
	return s;
}

static int surge(struct shared *sh, const struct cell_row *r)
{
	size_t n = sh->g->n_slices;

	for (size_t t = 0; t < n; t++) {
		struct surge s = surge_at(sh, r->event, t);
		float weighted = s.weighted / (s.weights + 0.1f), plain = s.plain / fmaxf(s.n, 1);
		float *x = row_at(r, t, EP_F_SURGE);
		x[2] = weighted;
		x[3] = plain;
		x[6] = s.highest;
		x[7] = s.lowest;
		x[8] = s.weights;
		if (t + 1 < n) { /* slice t is the neighbour before slice t + 1 */
			float *next = row_at(r, t + 1, EP_F_SURGE);
			next[0] = weighted;
			next[1] = plain;
		}
		if (t > 0) {
			float *before = row_at(r, t - 1, EP_F_SURGE);
			before[4] = weighted;
			before[5] = plain;
		}
	}
	return 0;
}

static int position(struct shared *sh, const struct cell_row *r)
{
	for (size_t t = 0; t < sh->g->n_slices; t++) {
		float *x = row_at(r, t, EP_F_POSITION);
		double from_start = (double)(sh->g->first_slice + t);
		double to_end = (double)(sh->g->n_all - 1) - from_start;
		x[0] = sh->g->has_context ? (float)(sh->g->idle[t] - r->base[t]) : 0;
		x[1] = (float)(log1p(from_start) - 3);
		x[2] = (float)(log1p(to_end) - 3);
	}
	return 0;
}

static int event(struct shared *sh, const struct cell_row *r)
{
	ep_event_features(sh->g, r->event, r->x + EP_F_EVENT, EP_N_FEATURES);
	return 0;
}

static int (*const groups[])(struct shared *, const struct cell_row *) = {
	neighbours,
	interpolants,
	level,
	context,
	kernels,
	surge,
	position,
	event,
};

static void set_base(const struct ep_grid *g, size_t event, double *base)
{
	ep_interpolate_linear(
		&g->samples[event], g->rates + event * g->n_slices, g->n_slices, base);
	for (size_t t = 0; t < g->n_slices; t++)
		base[t] = log1p(base[t]);
}

static void correlate(const struct shared *sh)
{
	const struct ep_grid *g = sh->g;
	size_t n = g->n_slices;

	for (size_t i = 0; i < g->n_events; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;
			for (size_t t = 0; t < n; t++)
				sum += (double)sh->z[i * n + t] * sh->z[j * n + t];
			sh->correlation[i * g->n_events + j] = (float)(sum / n);
			sh->correlation[j * g->n_events + i] = (float)(sum / n);
		}
}

static void shared_finish(struct shared *sh)
{
	ep_distances_finish(&sh->distances);
	free(sh->z);
	free(sh->correlation);
	free(sh->scratch);
}

static int shared_init(struct shared *sh, const struct ep_grid *g, struct ep_features *f)
{
	size_t n = g->n_slices;

	sh->g = g;
	sh->z = calloc(g->n_events * n, sizeof(*sh->z));
	sh->correlation = calloc(g->n_events * g->n_events, sizeof(*sh->correlation));
	sh->scratch = calloc(n, sizeof(*sh->scratch));
	if (!sh->z || !sh->correlation || !sh->scratch)
		return -ENOMEM;
	for (size_t e = 0; e < g->n_events; e++) {
		if (!g->samples[e].n)
			continue;
		set_base(g, e, f->base + e * n);
		/* 0.1 is the log of a factor of about 1.1: smaller changes must not look like a surge */
		ep_standardize(f->base + e * n, n, 0.1, sh->z + e * n);
	}
	correlate(sh);
	return ep_distances_init(&sh->distances, g, sh->z);
}

static struct cell_row cell_row(const struct ep_grid *g, struct ep_features *f, size_t event)
{
	const struct ep_sampled *s = &g->samples[event];
	double n_gaps = s->n > 1 ? s->n - 1 : 1, span = s->at[s->n - 1] - s->at[0];

	return (struct cell_row){
		.event = event,
		.s = s,
		.rates = g->rates + event * g->n_slices,
		.base = f->base + event * g->n_slices,
		.gap = fmax(span / n_gaps, 1),
		.x = f->x + event * g->n_slices * EP_N_FEATURES,
	};
}

static int fill_features(struct ep_features *f, const struct ep_grid *g)
{
	__attribute__((cleanup(shared_finish))) struct shared sh = { 0 };
	int rc = shared_init(&sh, g, f);

	for (size_t e = 0; e < g->n_events && !rc; e++) {
		struct cell_row r;
		if (g->always[e] || !g->samples[e].n)
			continue;
		r = cell_row(g, f, e);
		for (size_t i = 0; i < EP_ARRAY_SIZE(groups) && !rc; i++)
			rc = groups[i](&sh, &r);
	}
	return rc;
}

int ep_features_init(struct ep_features *out, const struct ep_grid *g)
{
	struct ep_features f = { .n_slices = g->n_slices, .n_events = g->n_events };
	size_t n_cells = g->n_events * g->n_slices;
	int rc = -ENOMEM;

	f.x = calloc(n_cells * EP_N_FEATURES, sizeof(*f.x));
	f.base = calloc(n_cells, sizeof(*f.base));
	if (f.x && f.base)
		rc = fill_features(&f, g);
	if (rc) {
		ep_features_finish(&f);
		return rc;
	}
	*out = f;
	return 0;
}

void ep_features_finish(struct ep_features *f)
{
	free(f->x);
	free(f->base);
	*f = (struct ep_features){ 0 };
}
