// SPDX-License-Identifier: BSD-3-Clause
/* Computes distances between slices, and weighted statistics of donors. */
#include "reporter/estimate/similarity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimator.h"
#include "reporter/estimate/fast_math.h"

/* The kernels, from one that considers only time to ones that consider all distances; they were tuned on the
 * training programs only. */
const struct ep_similarity ep_kernels[EP_N_KERNELS] = {
	{ 0, 3, 0 },
	{ 3, 2, 0 },
	{ 10, 1, 0 },
	{ 3, 2, 0.5f },
	{ 3, 1, 2 },
};

void ep_distances_finish(struct ep_distances *d)
{
	free(d->context);
	free(d->others);
	free(d->time);
	*d = (struct ep_distances){ 0 };
}

void ep_standardize(const double *x, size_t n, double least, float *out)
{
	double sum = 0, squares = 0, mean, deviation;

	for (size_t t = 0; t < n; t++)
		sum += x[t];
	mean = sum / n;
	for (size_t t = 0; t < n; t++)
		squares += (x[t] - mean) * (x[t] - mean);
	deviation = sqrt(squares / n) + least;
	for (size_t t = 0; t < n; t++)
		out[t] = (float)((x[t] - mean) / deviation);
}

/* Adds weight * (z[t] - z[d])^2 to each pair of slices. */
static EP_HOT void add_context(const float *z, size_t n, const float weight, float *out)
{
	for (size_t t = 0; t < n; t++)
		for (size_t d = 0; d < n; d++) {
			float difference = z[t] - z[d];
			out[t * n + d] += weight * difference * difference;
		}
}

static int context_distances(struct ep_distances *out, const struct ep_grid *g)
{
	size_t n = g->n_slices;
	EP_AUTOFREE float *z = malloc(n * sizeof(*z));
	EP_AUTOFREE float *shifted = malloc(n * sizeof(*shifted));
	EP_AUTOFREE double *logs = malloc(n * sizeof(*logs));

	if (!z || !shifted || !logs)
		return -ENOMEM;
	for (size_t k = 0; k < EP_N_CONTEXT && g->has_context; k++) {
		for (size_t t = 0; t < n; t++)
			logs[t] = g->context[k * n + t];
		/* 0.02 is added to the deviation, so that noise of a flat rate is not amplified */
		ep_standardize(logs, n, 0.02, z);
		add_context(z, n, 1, out->context);
		memcpy(shifted, z, n * sizeof(*z));
		memmove(shifted + 1, z, (n - 1) * sizeof(*z));
		add_context(shifted, n, 0.3f, out->context);
		memcpy(shifted, z, n * sizeof(*z));
		memmove(shifted, z + 1, (n - 1) * sizeof(*z));
		add_context(shifted, n, 0.3f, out->context);
	}
	return 0;
}

/* Adds differences in an event that is not always on. A difference counts fully if both slices were measured,
 * and little if both were interpolated. */
static EP_HOT void add_others(const float *z, const float *known, size_t n, float *out)
{
	for (size_t t = 0; t < n; t++)
		for (size_t d = 0; d < n; d++) {
			float difference = z[t] - z[d];
			out[t * n + d] += (known[t] + known[d]) * difference * difference;
		}
}

static int others_distances(struct ep_distances *out, const struct ep_grid *g, const float *z)
{
	size_t n = g->n_slices;
	EP_AUTOFREE float *known = malloc(n * sizeof(*known));

	if (!known)
		return -ENOMEM;
	for (size_t e = 0; e < g->n_events; e++) {
		if (g->always[e] || !g->samples[e].n)
			continue;
		for (size_t t = 0; t < n; t++)
			known[t] = g->measured[e * n + t] ? 0.6f : 0.1f;
		add_others(z + e * n, known, n, out->others);
	}
	return 0;
}

int ep_distances_init(struct ep_distances *out, const struct ep_grid *g, const float *z)
{
	size_t n = g->n_slices;

	*out = (struct ep_distances){ .n_slices = n };
	out->context = calloc(n * n, sizeof(float));
	out->others = calloc(n * n, sizeof(float));
	out->time = calloc(n, sizeof(float));
	if (!out->context || !out->others || !out->time || context_distances(out, g) ||
		others_distances(out, g, z)) {
		ep_distances_finish(out);
		return -ENOMEM;
	}
	for (size_t t = 0; t < n; t++)
		out->time[t] = (float)log1p(t / 2.0);
	return 0;
}

/* The values of all kernels lie side by side as lanes of a vector, so that a few operations on a donor serve
 * all kernels. */
enum { N_LANES = 8 };
_Static_assert((int)EP_N_KERNELS <= (int)N_LANES, "a lane for each kernel");

struct lanes {
	float of[N_LANES]; /* (K) one for each kernel; the costs of unused lanes are 0 */
};

/* The donors of an event, sorted by count, smallest first. D donors, of which the first n_zero have a count
 * of 0. */
struct donors {
	size_t n, n_zero;
	uint32_t *at;                   /* (D) slice */
	float *count;                   /* (D) count in the donor, as a rate */
	float *log_count;               /* (D) log1p of the count */
	float *inverse;                 /* (D) 1 / count; 0 for a count of 0 */
	float *context, *others, *time; /* (D) distances to the slice being filled */
	struct lanes *weight;           /* (D) weight for each kernel */
};

static void donors_finish(struct donors *d)
{
	free(d->at);
	free(d->count);
	free(d->weight);
}

struct donor {
	double rate;
	uint32_t at;
};

static int by_rate(const void *a, const void *b)
{
	const struct donor *x = a, *y = b;

	return (x->rate > y->rate) - (x->rate < y->rate);
}

static int sort_donors(struct donors *d, const struct ep_sampled *s, const double *rates)
{
	EP_AUTOFREE struct donor *sorted = malloc(s->n * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		sorted[i] = (struct donor){ rates[s->at[i]], s->at[i] };
	qsort(sorted, s->n, sizeof(*sorted), by_rate);
	for (size_t i = 0; i < s->n; i++)
		d->at[i] = sorted[i].at;
	return 0;
}

static int donors_init(struct donors *d, const struct ep_grid *g, size_t event)
{
	const struct ep_sampled *s = &g->samples[event];
	const double *rates = g->rates + event * g->n_slices;
	float *memory = malloc(6 * s->n * sizeof(float));

	*d = (struct donors){ .n = s->n, .count = memory };
	d->at = malloc(s->n * sizeof(*d->at));
	d->weight = malloc(s->n * sizeof(*d->weight));
	if (!memory || !d->at || !d->weight)
		return -ENOMEM;
	d->log_count = memory + s->n;
	d->inverse = memory + 2 * s->n;
	d->context = memory + 3 * s->n;
	d->others = memory + 4 * s->n;
	d->time = memory + 5 * s->n;
	if (sort_donors(d, s, rates))
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		double rate = rates[d->at[i]];
		d->count[i] = (float)rate;
		d->log_count[i] = (float)log1p(rate);
		d->inverse[i] = rate > 0 ? (float)(1 / rate) : 0;
		d->n_zero += rate <= 0;
	}
	return 0;
}

static void gather(struct donors *d, const struct ep_distances *all, size_t t)
{
	const float *context = all->context + t * all->n_slices;
	const float *others = all->others + t * all->n_slices;

	for (size_t i = 0; i < d->n; i++) {
		size_t at = d->at[i];
		d->context[i] = context[at];
		d->others[i] = others[at];
		d->time[i] = all->time[at > t ? at - t : t - at];
	}
}

/* Sums over donors: of their weights (all, count of 0, count above 0), and of counts and logs times weights. */
struct sums {
	/* relative: sums of weight / count */
	struct lanes all, zero, positive, mean, mean_log, relative;
};

/* Sets the weights e^-(cost - least cost). */
static EP_HOT void weigh(struct donors *d, const struct ep_similarity kernels[N_LANES])
{
	struct lanes least;

	for (int k = 0; k < N_LANES; k++)
		least.of[k] = INFINITY;
	for (size_t i = 0; i < d->n; i++)
		for (int k = 0; k < N_LANES; k++) {
			float cost = kernels[k].context * d->context[i] +
				     kernels[k].others * d->others[i] +
				     kernels[k].time * d->time[i];
			d->weight[i].of[k] = cost;
			least.of[k] = cost < least.of[k] ? cost : least.of[k];
		}
	for (size_t i = 0; i < d->n; i++)
		for (int k = 0; k < N_LANES; k++)
			d->weight[i].of[k] = ep_exp(least.of[k] - d->weight[i].of[k]);
}

static EP_HOT void sum_up(const struct donors *d, struct sums *out)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < d->n_zero; i++)
		for (int k = 0; k < N_LANES; k++)
			s.zero.of[k] += d->weight[i].of[k];
	for (size_t i = d->n_zero; i < d->n; i++) {
		float count = d->count[i], log_count = d->log_count[i], inverse = d->inverse[i];
		for (int k = 0; k < N_LANES; k++) {
			float weight = d->weight[i].of[k];
			s.positive.of[k] += weight;
			s.mean.of[k] += weight * count;
			s.mean_log.of[k] += weight * log_count;
			s.relative.of[k] += weight * inverse;
		}
	}
	for (int k = 0; k < N_LANES; k++)
		s.all.of[k] = s.zero.of[k] + s.positive.of[k];
	*out = s;
}

/* Points of the weighted distributions of counts above zero: the log of the first count at which the sum of
 * weights reaches a share of all. Donors are sorted by count. */
struct similar_points {
	struct lanes low, middle, high, relative;
};

static EP_HOT void find_points(
	const struct donors *d, const struct sums *s, struct similar_points *out)
{
	const struct lanes total = s->positive;
	struct lanes at = { 0 }, relative_at = { 0 };
	struct similar_points p;

	for (int k = 0; k < N_LANES; k++)
		p.low.of[k] = p.middle.of[k] = p.high.of[k] = p.relative.of[k] =
			d->log_count[d->n - 1];
	for (size_t i = d->n_zero; i < d->n; i++) {
		float log_count = d->log_count[i], inverse = d->inverse[i];
		for (int k = 0; k < N_LANES; k++) {
			float weight = d->weight[i].of[k], least;
			at.of[k] += weight;
			relative_at.of[k] += weight * inverse;
			least = at.of[k] >= 0.1f * total.of[k] ? log_count : INFINITY;
			p.low.of[k] = least < p.low.of[k] ? least : p.low.of[k];
			least = at.of[k] >= 0.5f * total.of[k] ? log_count : INFINITY;
			p.middle.of[k] = least < p.middle.of[k] ? least : p.middle.of[k];
			least = at.of[k] >= 0.9f * total.of[k] ? log_count : INFINITY;
			p.high.of[k] = least < p.high.of[k] ? least : p.high.of[k];
			least = relative_at.of[k] >= 0.5f * s->relative.of[k] ? log_count
									      : INFINITY;
			p.relative.of[k] = least < p.relative.of[k] ? least : p.relative.of[k];
		}
	}
	*out = p;
}

/* Writes the statistics of all kernels, out: (K, EP_N_KERNEL_STATS). */
static void summarize(const struct donors *d, float *out)
{
	struct sums s;
	struct similar_points p = { 0 };

	sum_up(d, &s);
	if (d->n_zero < d->n)
		find_points(d, &s, &p);
	for (size_t k = 0; k < EP_N_KERNELS; k++, out += EP_N_KERNEL_STATS) {
		out[EP_K_RELATIVE] = p.relative.of[k];
		out[EP_K_MEAN_LOG] = s.mean_log.of[k] / s.all.of[k];
		out[EP_K_LOG_MEAN] = log1pf(s.mean.of[k] / s.all.of[k]);
		out[EP_K_LOW] = p.low.of[k];
		out[EP_K_MIDDLE] = p.middle.of[k];
		out[EP_K_HIGH] = p.high.of[k];
		out[EP_K_ZERO] = s.zero.of[k] / s.all.of[k];
	}
}

int ep_similarity_stats(const struct ep_grid *g, const struct ep_distances *distances, size_t event,
	float *out, size_t n_stride)
{
	__attribute__((cleanup(donors_finish))) struct donors d = { 0 };
	struct ep_similarity kernels[N_LANES] = { 0 };

	memcpy(kernels, ep_kernels, sizeof(ep_kernels));
	if (donors_init(&d, g, event))
		return -ENOMEM;
	for (size_t t = 0; t < g->n_slices; t++) {
		if (!g->wanted[event * g->n_slices + t])
			continue;
		gather(&d, distances, t);
		weigh(&d, kernels);
		summarize(&d, out + t * n_stride);
	}
	return 0;
}

/* The estimator "kernel": fills by the fourth kernel alone, which considers all distances. */
int ep_fill_kernel(const struct ep_fill_task *task, struct ep_estimate *out)
{
	const struct ep_grid *g = task->grid;
	const struct ep_features *f = task->features;
	static const size_t column = EP_F_KERNELS + 3 * EP_N_KERNEL_STATS;

	for (size_t e = 0; e < g->n_events; e++) {
		if (g->always[e] || !g->samples[e].n)
			continue;
		for (size_t t = 0; t < g->n_slices; t++) {
			size_t cell = e * g->n_slices + t;
			const float *k = f->x + cell * EP_N_FEATURES + column;
			double base = f->base[cell];
			if (!g->wanted[cell])
				continue;
			out->value[cell] = expm1(fmax(base + k[EP_K_RELATIVE], 0));
			out->mean[cell] = expm1(fmax(base + k[EP_K_LOG_MEAN], 0));
			out->spread[cell] = 0.5 + 0.02 * out->value[cell] +
					    (expm1(fmax(base + k[EP_K_HIGH], 0)) -
						    expm1(fmax(base + k[EP_K_LOW], 0))) /
						    2;
		}
	}
	return 0;
}
