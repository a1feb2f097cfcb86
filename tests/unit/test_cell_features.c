// SPDX-License-Identifier: BSD-3-Clause
/* Features of a short series, worked out by hand from what docs/estimators.md says of them. */
#include "reporter/estimate/cell_features.h"

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "reporter/estimate/interpolate.h"
#include "reporter/estimate/similarity.h"
#include "tests/unit/test.h"

enum { T = 20, E = 5, X = 2, Y = 3, NEVER = 4 };

static const char *const names[E] = { "CYCLES", "INSTR", "X", "Y", "NEVER" };
static const unsigned char always[E] = { 1, 1, 0, 0, 0 };
static double values[T * E];
static unsigned char measured[T * E];

static struct ep_grid grid;
static struct ep_features features;

/* X is measured in slices 0, 3, 6, ..., Y in all others; a clock of 1000. */
static void make(int clock)
{
	struct ep_series s = { T, E, names, values, measured, always, clock, clock < 0 ? -1 : 1 };

	for (size_t t = 0; t < T; t++) {
		double row[E] = { 1000, 400 + 100 * (double)(t * 7 % 5), (double)(t * t % 50),
			(double)(20 + t * 11 % 13), 9 };
		for (size_t e = 0; e < E; e++) {
			values[t * E + e] = row[e];
			measured[t * E + e] =
				e < X || (e == X && t % 3 == 0) || (e == Y && t % 3 != 0);
		}
	}
	CHECK_INT(ep_grid_init(&grid, &s), 0);
	CHECK_INT(ep_features_init(&features, &grid), 0);
}

static void unmake(void)
{
	ep_features_finish(&features);
	ep_grid_finish(&grid);
}

static const float *cell(size_t e, size_t t, size_t column)
{
	return features.x + (e * T + t) * EP_N_FEATURES + column;
}

static double x_at(size_t t)
{
	return values[t * E + X];
}

/* The log of the line between the samples before and after, 18 the last. */
static double base_at(size_t t)
{
	size_t a = t - t % 3;

	return log1p(a >= 18 ? x_at(18) : x_at(a) + (double)(t - a) / 3 * (x_at(a + 3) - x_at(a)));
}

TEST(the_base_is_the_log_of_the_line)
{
	make(0);
	for (size_t t = 0; t < T; t++)
		CHECK_CLOSE(features.base[X * T + t], base_at(t), 1e-12);
	unmake();
}

TEST(what_is_not_filled_has_no_features)
{
	make(0);
	for (size_t i = 0; i < T * EP_N_FEATURES; i++)
		CHECK(!*cell(0, 0, i) && !*cell(1, 0, i) && !*cell(NEVER, 0, i));
	unmake();
}

TEST(neighbours_are_two_samples_on_either_side)
{
	static const struct {
		size_t t, samples[4];
	} rows[] = { { 0, { 0, 0, 3, 6 } }, { 7, { 3, 6, 9, 12 } }, { 9, { 6, 9, 12, 15 } },
		{ 19, { 15, 18, 18, 18 } } };

	make(0);
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		size_t t = rows[i].t;

		for (size_t k = 0; k < 4; k++) {
			const float *x = cell(X, t, EP_F_NEIGHBOURS + 2 * k);
			size_t at = rows[i].samples[k];

			CHECK_CLOSE(x[0], log1p(x_at(at)) - base_at(t), 1e-5);
			CHECK_CLOSE(x[1], fabs((double)at - (double)t) / 3, 1e-6);
		}
	}
	unmake();
}

TEST(distances_are_cut)
{
	make(0);
	ep_features_finish(&features);
	grid.samples[X].n = 2; /* 0 and 3 */
	CHECK_INT(ep_features_init(&features, &grid), 0);
	CHECK_CLOSE(*cell(X, 14, EP_F_NEIGHBOURS + 3), 11 / 3.0, 1e-6);
	CHECK_CLOSE(*cell(X, 19, EP_F_NEIGHBOURS + 3), 4, 0);
	unmake();
}

TEST(a_curve_and_a_line_between_logs)
{
	double curve[T];

	make(0);
	CHECK_CLOSE(*cell(X, 7, EP_F_INTERPOLANTS + 1),
		log1p(x_at(6)) + (log1p(x_at(9)) - log1p(x_at(6))) / 3 - base_at(7), 1e-5);
	CHECK_CLOSE(*cell(X, 6, EP_F_INTERPOLANTS), 0, 1e-6); /* every line meets the samples */
	ep_interpolate_pchip(&grid.samples[X], grid.rates + X * T, T, curve);
	CHECK(fabs(*cell(X, 7, EP_F_INTERPOLANTS)) > 1e-3);
	CHECK_CLOSE(*cell(X, 7, EP_F_INTERPOLANTS), log1p(curve[7]) - base_at(7), 1e-5);
	unmake();
}

TEST(the_level_is_of_the_samples)
{
	double mean = 0, squares = 0;

	make(0);
	for (size_t t = 0; t < T; t += 3) {
		mean += log1p(x_at(t)) / 7;
		squares += log1p(x_at(t)) * log1p(x_at(t)) / 7;
	}
	const float *x = cell(X, 7, EP_F_LEVEL);
	CHECK_CLOSE(x[0], base_at(7) / 5 - 1, 1e-6);
	CHECK_CLOSE(x[1], base_at(7) - mean, 1e-5);
	CHECK_CLOSE(x[2], sqrt(squares - mean * mean), 1e-5);
	CHECK_CLOSE(x[3], 1 / 7.0, 1e-6); /* slice 0 alone */
	CHECK_CLOSE(x[4], mean / 5 - 1, 1e-5);
	CHECK_CLOSE(x[5], log2(3) - 2, 1e-6);
	unmake();
}

/* Log rate of work; the line between the event's samples 6 and 9. */
TEST(the_context_stands_against_its_line)
{
	make(0);
	const float *c = grid.context + T, *x = cell(X, 7, EP_F_CONTEXT + 4);
	double line = c[6] + (c[9] - c[6]) / 3;

	CHECK_CLOSE(x[0], c[6] - line, 1e-5);
	CHECK_CLOSE(x[1], c[7] - line, 1e-5);
	CHECK_CLOSE(x[2], c[8] - line, 1e-5);
	CHECK_CLOSE(x[3], line, 1e-5);
	CHECK_CLOSE(*cell(X, 7, EP_F_CONTEXT + 9), 1, 0);
	unmake();
}

/* How the event's log bends with those of the context: least squares with 0.01 on the diagonal. */
TEST(bends_of_the_context_are_those_of_the_event)
{
	double aa = 0.01, ab = 0, bb = 0.01, ay = 0, by = 0;

	make(0);
	const float *c = grid.context;
	for (size_t t = 3; t + 3 < T; t += 3) {
		double a = c[t] - (c[t - 3] + c[t + 3]) / 2;
		double b = c[T + t] - (c[T + t - 3] + c[T + t + 3]) / 2;
		double y = log1p(x_at(t)) - (log1p(x_at(t - 3)) + log1p(x_at(t + 3))) / 2;
		aa += a * a;
		ab += a * b;
		bb += b * b;
		ay += a * y;
		by += b * y;
	}
	double det = aa * bb - ab * ab, p = (ay * bb - by * ab) / det,
	       q = (by * aa - ay * ab) / det;
	double expected = p * *cell(X, 7, EP_F_CONTEXT + 1) + q * *cell(X, 7, EP_F_CONTEXT + 5);
	CHECK_CLOSE(*cell(X, 7, EP_F_CONTEXT + 8), fmax(-4, fmin(expected, 4)), 1e-3);
	unmake();
}

TEST(without_a_clock_there_is_no_context)
{
	make(-1);
	for (size_t i = 0; i < 10; i++)
		CHECK_CLOSE(*cell(X, 7, EP_F_CONTEXT + i), 0, 0);
	CHECK_CLOSE(*cell(X, 7, EP_F_POSITION), 0, 0);
	unmake();
}

TEST(the_position_is_the_distance_to_the_ends)
{
	make(0);
	const float *x = cell(X, 7, EP_F_POSITION);
	CHECK_CLOSE(x[0], grid.idle[7] - base_at(7), 1e-5);
	CHECK_CLOSE(x[1], log(8) - 3, 1e-6);
	CHECK_CLOSE(x[2], log(13) - 3, 1e-6);
	unmake();
}

/* Kernels' statistics but the share of zeros are relative to the base. */
TEST(statistics_stand_against_the_base)
{
	static float z[E * T], stats[T][EP_N_KERNELS * EP_N_KERNEL_STATS];
	struct ep_distances distances;

	make(0);
	CHECK_INT(ep_distances_init(&distances, &grid, z), 0);
	CHECK_INT(ep_similarity_stats(
			  &grid, &distances, X, stats[0], EP_N_KERNELS * EP_N_KERNEL_STATS),
		0);
	/* the first kernels do not look at the others, of which z speaks */
	for (size_t i = 0; i < 3 * EP_N_KERNEL_STATS; i++) {
		bool is_zeros = i % EP_N_KERNEL_STATS == EP_K_ZERO;

		CHECK_CLOSE(*cell(X, 7, EP_F_KERNELS + i),
			stats[7][i] - (is_zeros ? 0 : base_at(7)), 1e-4);
	}
	ep_distances_finish(&distances);
	unmake();
}

/* Where Y was measured: its standardized base, alone and by the correlation of both. */
static double z_of(size_t e, size_t t)
{
	double mean = 0, variance = 0;
	const double *base = features.base + e * T;

	for (size_t i = 0; i < T; i++)
		mean += base[i] / T;
	for (size_t i = 0; i < T; i++)
		variance += (base[i] - mean) * (base[i] - mean) / T;
	return (base[t] - mean) / (sqrt(variance) + 0.1);
}

TEST(a_surge_is_what_the_other_events_say)
{
	double r = 0;

	make(0);
	for (size_t t = 0; t < T; t++)
		r += z_of(X, t) * z_of(Y, t) / T;
	for (size_t t = 7; t < 9; t++) {
		const float *x = cell(X, t, EP_F_SURGE);
		double z = z_of(Y, t), weighted = r * fabs(r) * z / (r * r + 0.1);

		CHECK_CLOSE(x[2], weighted, 1e-4);
		CHECK_CLOSE(x[3], z, 1e-4);
		CHECK_CLOSE(x[6], z, 1e-4);
		CHECK_CLOSE(x[7], z, 1e-4);
		CHECK_CLOSE(x[8], r * r, 1e-4);
		CHECK_CLOSE(*cell(X, t + 1, EP_F_SURGE), weighted, 1e-4);
		CHECK_CLOSE(*cell(X, t - 1, EP_F_SURGE + 5), z, 1e-4);
	}
	/* Y is not measured in 9 */
	CHECK_CLOSE(*cell(X, 9, EP_F_SURGE + 8), 0, 0);
	unmake();
}
