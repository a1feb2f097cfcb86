// SPDX-License-Identifier: BSD-3-Clause
/* Sums for the noise filter. Each sum is split into four partial sums, since the latency of a single chain of
 * additions would limit the speed; -ffast-math would do that too, but is not wanted for the rest of the
 * file. */
#include "kernels/derive/noise.h"

#include <math.h>
#include <string.h>

typedef double vec2 __attribute__((vector_size(16)));

static inline vec2 load2(const double *values)
{
	vec2 v;

	memcpy(&v, values, sizeof(v));
	return v;
}

static double sum_values(const double *values, size_t n)
{
	vec2 even = { 0 }, odd = { 0 };
	double rest = 0;
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		even += load2(values + i);
		odd += load2(values + i + 2);
	}
	for (; i < n; i++)
		rest += values[i];
	even += odd;
	return even[0] + even[1] + rest;
}

static double sum_squared_differences(const double *a, const double *b, size_t n)
{
	vec2 even = { 0 }, odd = { 0 };
	double rest = 0;
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		vec2 first = load2(a + i) - load2(b + i),
		     second = load2(a + i + 2) - load2(b + i + 2);

		even += first * first;
		odd += second * second;
	}
	for (; i < n; i++)
		rest += (a[i] - b[i]) * (a[i] - b[i]);
	even += odd;
	return even[0] + even[1] + rest;
}

bool ep_noise_all_zero(const double *values, size_t n_values)
{
	for (size_t i = 0; i < n_values; i++)
		if (values[i] != 0)
			return false;
	return true;
}

static double pair_rnmse(double squares, double sum_a, double sum_b, size_t n_points)
{
	/* P mean_a mean_b = sum_a sum_b / P */
	double product = sum_a * sum_b / (double)n_points;

	if (squares == 0)
		return 0;
	return product > 0 ? sqrt(squares / product) : 1;
}

double ep_noise_max_rnmse(const double *values, size_t n_reps, size_t n_points, double *sums)
{
	double worst = 0;

	for (size_t i = 0; i < n_reps; i++)
		sums[i] = sum_values(values + i * n_points, n_points);
	for (size_t i = 0; i < n_reps; i++)
		for (size_t j = i + 1; j < n_reps; j++) {
			double squares = sum_squared_differences(
				values + i * n_points, values + j * n_points, n_points);

			worst = fmax(worst, pair_rnmse(squares, sums[i], sums[j], n_points));
		}
	return worst;
}

static void take_mean(const double *values, size_t n_reps, size_t n_points, double *out)
{
	memcpy(out, values, n_points * sizeof(*out));
	for (size_t r = 1; r < n_reps; r++)
		for (size_t p = 0; p < n_points; p++)
			out[p] += values[r * n_points + p];
	for (size_t p = 0; p < n_points; p++)
		out[p] /= (double)n_reps;
}

static void take_minimum(const double *values, size_t n_reps, size_t n_points, double *out)
{
	memcpy(out, values, n_points * sizeof(*out));
	for (size_t r = 1; r < n_reps; r++)
		for (size_t p = 0; p < n_points; p++)
			out[p] = fmin(out[p], values[r * n_points + p]);
}

/* Returns the median. Counts for each value the smaller and the equal ones, instead of sorting, since there are few
 * repetitions. */
static double median_of(const double *column, size_t n_reps, size_t stride)
{
	double low = 0, high = 0;

	for (size_t r = 0; r < n_reps; r++) {
		double value = column[r * stride];
		size_t n_below = 0, n_equal = 0;

		for (size_t i = 0; i < n_reps; i++) {
			n_below += column[i * stride] < value;
			n_equal += column[i * stride] == value;
		}
		if (n_below <= (n_reps - 1) / 2 && (n_reps - 1) / 2 < n_below + n_equal)
			low = value;
		if (n_below <= n_reps / 2 && n_reps / 2 < n_below + n_equal)
			high = value;
	}
	return (low + high) / 2;
}

static void take_median(const double *values, size_t n_reps, size_t n_points, double *out)
{
	for (size_t p = 0; p < n_points; p++)
		out[p] = median_of(values + p, n_reps, n_points);
}

void ep_noise_combine(
	const double *values, size_t n_reps, size_t n_points, enum ep_combine how, double *out)
{
	static void (*const takers[EP_COMBINE_N])(const double *, size_t, size_t, double *) = {
		[EP_COMBINE_MEAN] = take_mean,
		[EP_COMBINE_MEDIAN] = take_median,
		[EP_COMBINE_MINIMUM] = take_minimum,
	};

	takers[how](values, n_reps, n_points, out);
}
