// SPDX-License-Identifier: BSD-3-Clause
/* Distances between slices and the weighted statistics of donors. */
#include "reporter/estimate/kernel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/estimate/estimator.h"
#include "reporter/estimate/fast_math.h"

/* From near in time to alike in everything; tuned on the training programs only. */
const struct ep_kernel ep_kernels[EP_N_KERNELS] = {
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

static void standardize(const float *x, size_t n, float *out)
{
	double sum = 0, squares = 0, mean, deviation;

	for (size_t t = 0; t < n; t++)
		sum += x[t];
	mean = sum / n;
	for (size_t t = 0; t < n; t++)
		squares += (x[t] - mean) * (x[t] - mean);
	deviation = sqrt(squares / n) + 0.02; /* a flat rate must not be blown up */
	for (size_t t = 0; t < n; t++)
		out[t] = (float)((x[t] - mean) / deviation);
}

/* Adds weight * (z[t + shift] - z[d + shift])^2, held at the ends. */
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

	if (!z || !shifted)
		return -ENOMEM;
	for (size_t k = 0; k < EP_N_CONTEXT && g->has_context; k++) {
		standardize(g->context + k * n, n, z);
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

/* A difference counts whole where both ends were measured, little where both were interpolated. */
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

/* An event's donors, smallest count first. D donors, of which the last P are above zero. */
struct donors {
	size_t n, n_zero;
	uint32_t *at;                   /* (D) slice */
	float *count;                   /* (D) */
	float *log_count;               /* (D) */
	float *inverse;                 /* (D) 1 / count, 0 for 0 */
	float *context, *others, *time; /* (D) distances to the slice at hand */
	float *weight;                  /* (D) */
};

static void donors_finish(struct donors *d)
{
	free(d->at);
	free(d->count);
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

static int sort_donors(struct donors *d, const struct ep_samples *s, const double *rates)
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
	const struct ep_samples *s = &g->samples[event];
	const double *rates = g->rates + event * g->n_slices;
	float *memory = malloc(7 * s->n * sizeof(float));

	*d = (struct donors){ .n = s->n, .count = memory };
	d->at = malloc(s->n * sizeof(*d->at));
	if (!memory || !d->at)
		return -ENOMEM;
	d->log_count = memory + s->n;
	d->inverse = memory + 2 * s->n;
	d->context = memory + 3 * s->n;
	d->others = memory + 4 * s->n;
	d->time = memory + 5 * s->n;
	d->weight = memory + 6 * s->n;
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

/* Weights that add up to 1: e^-(cost - least cost). */
static EP_HOT void weigh(struct donors *d, const struct ep_kernel *kernel)
{
	const float context = kernel->context, others = kernel->others, time = kernel->time;
	float least = INFINITY, sum = 0;

	for (size_t i = 0; i < d->n; i++) {
		float cost = context * d->context[i] + others * d->others[i] + time * d->time[i];
		d->weight[i] = cost;
		least = cost < least ? cost : least;
	}
	for (size_t i = 0; i < d->n; i++) {
		d->weight[i] = ep_exp(least - d->weight[i]);
		sum += d->weight[i];
	}
	for (size_t i = 0; i < d->n; i++)
		d->weight[i] /= sum;
}

struct walk {
	float sum, relative_sum; /* of the weights and of weight / count, counts above zero */
};

static struct walk positive_sums(const struct donors *d)
{
	struct walk total = { 0 };

	for (size_t i = d->n_zero; i < d->n; i++) {
		total.sum += d->weight[i];
		total.relative_sum += d->weight[i] * d->inverse[i];
	}
	return total;
}

/* The points of the weighted distribution of counts above zero, walking up the sorted donors. */
static void quantiles(const struct donors *d, float *out)
{
	struct walk total = positive_sums(d), at = { 0 };
	static const struct {
		int stat;
		float share;
	} points[] = { { EP_K_LOW, 0.1f }, { EP_K_MIDDLE, 0.5f }, { EP_K_HIGH, 0.9f } };
	size_t next = 0;
	int relative_done = 0;

	for (size_t i = d->n_zero; i < d->n; i++) {
		at.sum += d->weight[i];
		at.relative_sum += d->weight[i] * d->inverse[i];
		while (next < 3 && at.sum >= points[next].share * total.sum)
			out[points[next++].stat] = d->log_count[i];
		if (!relative_done && at.relative_sum >= 0.5f * total.relative_sum) {
			out[EP_K_RELATIVE] = d->log_count[i];
			relative_done = 1;
		}
		if (next == 3 && relative_done)
			return;
	}
}

static void summarize(const struct donors *d, float *out)
{
	float mean = 0, mean_log = 0, zero = 0;

	memset(out, 0, EP_N_KERNEL_STATS * sizeof(*out));
	for (size_t i = 0; i < d->n; i++) {
		mean += d->weight[i] * d->count[i];
		mean_log += d->weight[i] * d->log_count[i];
	}
	for (size_t i = 0; i < d->n_zero; i++)
		zero += d->weight[i];
	out[EP_K_MEAN_LOG] = mean_log;
	out[EP_K_LOG_MEAN] = log1pf(mean);
	out[EP_K_ZERO] = zero;
	if (d->n_zero < d->n)
		quantiles(d, out);
}

int ep_kernel_stats(const struct ep_grid *g, const struct ep_distances *distances, size_t event,
	float *out, size_t n_stride)
{
	__attribute__((cleanup(donors_finish))) struct donors d = { 0 };

	if (donors_init(&d, g, event))
		return -ENOMEM;
	for (size_t t = 0; t < g->n_slices; t++) {
		gather(&d, distances, t);
		for (size_t k = 0; k < EP_N_KERNELS; k++) {
			weigh(&d, &ep_kernels[k]);
			summarize(&d, out + t * n_stride + k * EP_N_KERNEL_STATS);
		}
	}
	return 0;
}

/* The estimator of its own: the kernel that looks at everything. */
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
