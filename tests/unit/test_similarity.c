// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distances and donors' statistics against the formulas of docs/estimators.md, written out with
 * doubles, one donor at a time.
 */
#include "reporter/estimate/similarity.h"

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "reporter/estimate/estimator.h"
#include "tests/unit/test.h"

enum { T = 24, E = 4, X = 2, Y = 3 };

static const char *const names[E] = { "CYCLES", "INSTR", "X", "Y" };
static const unsigned char always[E] = { 1, 1, 0, 0 };

/* X and Y take turns; X is 0 in some slices. */
static void make(struct ep_grid *out)
{
	static double values[T * E];
	static unsigned char measured[T * E];
	struct ep_series s = { T, E, names, values, measured, always, 0, 1 };

	for (size_t t = 0; t < T; t++) {
		double row[E] = { 1000 + (double)(t * 13 % 7) * 50, 700 + (double)(t * 5 % 11) * 90,
			t % 6 == 0 ? 0 : (double)(t * 29 % 17) + 1,
			40 + (double)(t * 3 % 5) * 100 };
		for (size_t e = 0; e < E; e++) {
			values[t * E + e] = row[e];
			measured[t * E + e] = e < X || t % 2 == e - X;
		}
	}
	CHECK_INT(ep_grid_init(out, &s), 0);
}

static float z[E * T];

static void make_z(void)
{
	for (size_t i = 0; i < E * T; i++)
		z[i] = (float)((double)(i * 31 % 23) / 10 - 1);
}

static double squared(double x)
{
	return x * x;
}

static size_t held(long t)
{
	return t < 0 ? 0 : t >= T ? T - 1 : (size_t)t;
}

/* The log of context row k in slice t, standardized. */
static double standard(const struct ep_grid *g, size_t k, long t)
{
	const float *c = g->context + k * T;
	double mean = 0, variance = 0;

	for (size_t i = 0; i < T; i++)
		mean += c[i] / T;
	for (size_t i = 0; i < T; i++)
		variance += squared(c[i] - mean) / T;
	return (c[held(t)] - mean) / (sqrt(variance) + 0.02);
}

static double context_distance(const struct ep_grid *g, long t, long d)
{
	static const double weights[] = { 0.3, 1, 0.3 };
	double sum = 0;

	for (size_t k = 0; k < EP_N_CONTEXT; k++)
		for (long shift = -1; shift <= 1; shift++)
			sum += weights[shift + 1] *
			       squared(standard(g, k, t + shift) - standard(g, k, d + shift));
	return sum;
}

static double others_distance(const struct ep_grid *g, size_t t, size_t d)
{
	double sum = 0;

	for (size_t e = X; e < E; e++) {
		int n = g->measured[e * T + t] + g->measured[e * T + d];
		sum += (n == 0 ? 0.2 : n == 1 ? 0.7 : 1.2) * squared(z[e * T + t] - z[e * T + d]);
	}
	return sum;
}

static double weight_of(const struct ep_grid *g, const struct ep_similarity *k, size_t t, size_t d)
{
	return exp(-(k->context * context_distance(g, (long)t, (long)d) +
		     k->others * others_distance(g, t, d) +
		     k->time * log1p(fabs((double)t - (double)d) / 2)));
}

/* The least count above zero at which the weights (over counts, if relative) reach a share. */
static double point(const struct ep_grid *g, const struct ep_similarity *k, size_t t, double share,
	bool relative)
{
	double whole = 0, best = INFINITY;
	const double *x = g->rates + X * T;

	for (size_t d = 0; d < T; d += 2)
		whole += x[d] > 0 ? weight_of(g, k, t, d) / (relative ? x[d] : 1) : 0;
	for (size_t d = 0; d < T; d += 2) {
		double below = 0;
		for (size_t i = 0; i < T; i += 2)
			if (x[i] > 0 && x[i] <= x[d])
				below += weight_of(g, k, t, i) / (relative ? x[i] : 1);
		if (x[d] > 0 && below >= share * whole && x[d] < best)
			best = x[d];
	}
	return log1p(best);
}

static void expect(const struct ep_grid *g, const struct ep_similarity *k, size_t t, double *out)
{
	double all = 0, zero = 0, mean = 0, mean_log = 0;

	for (size_t d = 0; d < T; d += 2) {
		double weight = weight_of(g, k, t, d), x = g->rates[X * T + d];
		all += weight;
		zero += x > 0 ? 0 : weight;
		mean += weight * x;
		mean_log += weight * log1p(x);
	}
	out[EP_K_RELATIVE] = point(g, k, t, 0.5, true);
	out[EP_K_MEAN_LOG] = mean_log / all;
	out[EP_K_LOG_MEAN] = log1p(mean / all);
	out[EP_K_LOW] = point(g, k, t, 0.1, false);
	out[EP_K_MIDDLE] = point(g, k, t, 0.5, false);
	out[EP_K_HIGH] = point(g, k, t, 0.9, false);
	out[EP_K_ZERO] = zero / all;
}

TEST(statistics_are_the_formulas)
{
	static float stats[T][EP_N_KERNELS * EP_N_KERNEL_STATS];
	EP_AUTOGRID struct ep_grid g = { 0 };
	struct ep_distances distances;

	make(&g);
	make_z();
	CHECK_INT(ep_distances_init(&distances, &g, z), 0);
	CHECK_INT(ep_similarity_stats(&g, &distances, X, stats[0], EP_ARRAY_SIZE(stats[0])), 0);
	for (size_t t = 1; t < T; t += 2)
		for (size_t k = 0; k < EP_N_KERNELS; k++) {
			double expected[EP_N_KERNEL_STATS];

			expect(&g, &ep_kernels[k], t, expected);
			for (size_t i = 0; i < EP_N_KERNEL_STATS; i++)
				CHECK_MSG(fabs(stats[t][k * EP_N_KERNEL_STATS + i] - expected[i]) <
						  1e-4,
					"slice %zu, kernel %zu, statistic %zu: %g, expected %g", t,
					k, i, stats[t][k * EP_N_KERNEL_STATS + i], expected[i]);
		}
	for (size_t i = 0; i < EP_ARRAY_SIZE(stats[0]); i++)
		CHECK_CLOSE(stats[2][i], 0, 0); /* measured: not asked for */
	ep_distances_finish(&distances);
}

TEST(all_zeros_have_no_points)
{
	static float stats[T][EP_N_KERNELS * EP_N_KERNEL_STATS];
	EP_AUTOGRID struct ep_grid g = { 0 };
	struct ep_distances distances;

	make(&g);
	make_z();
	memset(g.rates + X * T, 0, T * sizeof(*g.rates));
	CHECK_INT(ep_distances_init(&distances, &g, z), 0);
	CHECK_INT(ep_similarity_stats(&g, &distances, X, stats[0], EP_ARRAY_SIZE(stats[0])), 0);
	CHECK_CLOSE(stats[1][EP_K_HIGH], 0, 0);
	CHECK_CLOSE(stats[1][EP_K_LOG_MEAN], 0, 0);
	CHECK_CLOSE(stats[1][EP_K_ZERO], 1, 1e-6);
	ep_distances_finish(&distances);
}

/* Statistics are relative to the base; the estimator is the kernel of docs/estimators.md. */
TEST(the_estimator_is_the_kernel_of_time_context_and_others)
{
	static float x[E * T * EP_N_FEATURES];
	static double base[E * T];
	EP_AUTOGRID struct ep_grid g = { 0 };
	struct ep_features features = { T, E, x, base };
	struct ep_fill_task task = { .grid = &g, .features = &features };
	double cells[3][E * T] = { { 0 } };
	struct ep_estimate out = { cells[0], cells[1], cells[2] };
	size_t k = 0, cell = X * T + 1;

	make(&g);
	while (k < EP_N_KERNELS && !(ep_kernels[k].context == 3 && ep_kernels[k].time == 2 &&
					   ep_kernels[k].others == 0.5f))
		k++;
	CHECK(k < EP_N_KERNELS);
	float *stats = x + cell * EP_N_FEATURES + EP_F_KERNELS + k * EP_N_KERNEL_STATS;
	base[cell] = 2;
	stats[EP_K_RELATIVE] = 1;
	stats[EP_K_LOG_MEAN] = 2;
	stats[EP_K_LOW] = -5; /* below a count of 0 */
	stats[EP_K_HIGH] = 3;
	CHECK_INT(ep_fill_kernel(&task, &out), 0);
	CHECK_CLOSE(out.value[cell], expm1(3), 1e-9);
	CHECK_CLOSE(out.mean[cell], expm1(4), 1e-9);
	CHECK_CLOSE(out.spread[cell], 0.5 + 0.02 * expm1(3) + expm1(5) / 2, 1e-9);
	CHECK_CLOSE(out.spread[cell + 1], 0, 0); /* measured */
	CHECK_CLOSE(out.spread[1], 0, 0);        /* always on */
}
