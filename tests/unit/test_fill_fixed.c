// SPDX-License-Identifier: BSD-3-Clause
/* `hold`: the last rate holds, from stretch to stretch and from thread to thread. */
#include "reporter/load/fill.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

enum { T = 4, E = 2 };

/* Two events; -1: not measured. */
static struct {
	double cpu_us[T], values[T * E], variances[T * E];
	uint8_t state[T * E];
	struct ep_fill_quality quality[E];
} of;

static void fill(void *thread, const double counts[T], const double cpu_us[T])
{
	struct ep_stretch stretch = { .n_slices = T,
		.n_events = E,
		.cpu_us = of.cpu_us,
		.values = of.values,
		.state = of.state,
		.variances = of.variances,
		.quality = of.quality };

	memset(&of, 0, sizeof(of));
	for (int i = 0; i < T; i++) {
		bool is_measured = counts[i] >= 0;

		of.cpu_us[i] = cpu_us ? cpu_us[i] : 1000;
		of.state[i * E] = is_measured ? EP_VALUE_MEASURED : EP_VALUE_MISSING;
		of.values[i * E] = is_measured ? counts[i] : 0;
	}
	ep_filler_fixed.fill(thread, &stretch);
}

/* Checks the sums of the first event; the second was never measured. */
static void check(const double expected[T])
{
	for (int i = 0; i < T; i++) {
		CHECK_MSG(fabs(of.values[i * E] - expected[i]) < 1e-9, "slice %d: %g, expected %g",
			i, of.values[i * E], expected[i]);
		CHECK_INT(of.state[i * E + 1], EP_VALUE_MISSING);
	}
}

static void *process, *first, *second;

static void begin(void)
{
	struct ep_fill_events events = { .n_events = E };

	process = ep_filler_fixed.process_create(&events);
	first = ep_filler_fixed.thread_create(process);
	second = ep_filler_fixed.thread_create(process);
}

static void end(void)
{
	ep_filler_fixed.thread_destroy(first);
	ep_filler_fixed.thread_destroy(second);
	ep_filler_fixed.process_destroy(process);
}

TEST(the_last_rate_holds)
{
	begin();
	fill(first, (double[]){ 10, -1, 30, -1 }, (double[]){ 1000, 2000, 1000, 500 });
	check((double[]){ 10, 20, 30, 15 });
	CHECK_INT(of.state[0], EP_VALUE_MEASURED);
	CHECK_INT(of.state[E], EP_VALUE_FILLED);
	CHECK(of.variances[0] == 0 && isnan(of.variances[E])); /* nobody knows how well */
	CHECK_STR(of.quality[0].estimator, "hold");
	CHECK(isnan(of.quality[0].variance) && isnan(of.quality[0].holdout_error));
	CHECK(!of.quality[1].estimator);
	end();
}

TEST(before_the_first_rate_the_first_is_taken)
{
	begin();
	fill(first, (double[]){ -1, -1, 30, -1 }, NULL);
	check((double[]){ 30, 30, 30, 30 });
	end();
}

TEST(a_stretch_begins_where_the_last_one_ended)
{
	begin();
	fill(first, (double[]){ 10, -1, -1, 40 }, NULL);
	fill(first, (double[]){ -1, -1, 50, -1 }, NULL);
	check((double[]){ 40, 40, 50, 50 });
	end();
}

/* The mean of all that was measured, 100 counts in 4000 us. */
TEST(a_thread_that_never_measured_has_its_process_s_rate)
{
	begin();
	fill(second, (double[]){ -1, -1, -1, -1 }, NULL);
	CHECK_INT(of.state[0], EP_VALUE_MISSING); /* not yet */
	CHECK(!of.quality[0].estimator);
	fill(first, (double[]){ 10, 20, -1, 70 }, (double[]){ 1000, 1000, 1000, 2000 });
	fill(second, (double[]){ -1, -1, -1, -1 }, NULL);
	check((double[]){ 25, 25, 25, 25 });
	/* that is not a rate of its own: the process's goes on */
	fill(first, (double[]){ 100, -1, -1, -1 }, NULL);
	fill(second, (double[]){ -1, -1, -1, -1 }, NULL);
	check((double[]){ 40, 40, 40, 40 });
	end();
}

TEST(a_slice_of_no_time_has_no_rate)
{
	begin();
	fill(first, (double[]){ 10, 7, -1, -1 }, (double[]){ 1000, 0, 1000, 0 });
	check((double[]){ 10, 7, 10, 0 });
	fill(second, (double[]){ 7, -1, 20, -1 }, (double[]){ 0, 1000, 1000, 1000 });
	check((double[]){ 7, 20, 20, 20 });
	end();
}

/* 9 counts in 10 us would be 900 in a whole slice. */
TEST(a_moments_rate_fills_no_long_gap)
{
	begin();
	fill(first, (double[]){ 100, -1, 9, -1 }, (double[]){ 1000, 1000, 10, 1000 });
	CHECK_CLOSE(of.values[1 * E], 100, 1e-9);
	CHECK_CLOSE(of.values[2 * E], 9, 0);
	CHECK(of.values[3 * E] > 100 && of.values[3 * E] < 200);
	fill(first, (double[]){ -1, 100, -1, -1 }, NULL);
	CHECK_CLOSE(of.values[3 * E], 100, 1e-9); /* and it is gone with the next slice */
	end();
}

/* Fills the gaps of two threads behind stretches that have none, which say so or not. */
static void fill_behind_whole(const double cpu_us[T], bool says_so, double out_values[2 * T])
{
	static const double counts[T] = { 100, 300, 9, 70 };
	struct ep_stretch stretch = { .n_slices = T,
		.n_events = 1,
		.cpu_us = cpu_us,
		.values = of.values,
		.state = of.state,
		.is_whole = says_so };
	struct ep_fill_events events = { .n_events = 1 };
	void *whole = ep_filler_fixed.process_create(&events);
	void *threads[2] = { ep_filler_fixed.thread_create(whole),
		ep_filler_fixed.thread_create(whole) };

	for (int round = 0; round < 2; round++) {
		memset(of.state, EP_VALUE_MEASURED, sizeof(of.state));
		memcpy(of.values, counts, sizeof(counts));
		ep_filler_fixed.fill(threads[0], &stretch);
	}
	stretch.is_whole = false;
	stretch.cpu_us = (double[T]){ 1000, 1000, 1000, 1000 };
	stretch.variances = of.variances;
	stretch.quality = of.quality;
	for (int k = 0; k < 2; k++) {
		memset(of.state, EP_VALUE_MISSING, sizeof(of.state));
		ep_filler_fixed.fill(threads[k], &stretch);
		memcpy(out_values + k * T, of.values, T * sizeof(*out_values));
		ep_filler_fixed.thread_destroy(threads[k]);
	}
	ep_filler_fixed.process_destroy(whole);
}

TEST(a_stretch_without_gaps_leaves_the_rate_that_its_slices_do)
{
	static const double clocks[][T] = { { 1000, 1000, 1000, 1000 }, { 1000, 1000, 1000, 10 },
		{ 1000, 10, 20, 0 }, { 10, 0, 10, 1000 }, { 0, 0, 0, 0 }, { 0, 0, 0, 7 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(clocks); i++) {
		double expected[2 * T], values[2 * T];

		fill_behind_whole(clocks[i], false, expected);
		fill_behind_whole(clocks[i], true, values);
		for (int k = 0; k < 2 * T; k++)
			CHECK_CLOSE(values[k], expected[k], 0);
	}
}
