// SPDX-License-Identifier: BSD-3-Clause
/* Rules for every estimator: measured values stay, none is negative, bad series do not crash it. */
#include "reporter/estimate/estimate.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

#include <errno.h>

enum { MOST_SLICES = 400, N_EVENTS = 6 };

/* CYCLES and INSTR always on, A, B | C, D in turns; D is never measured where never_d. */
struct made {
	double values[MOST_SLICES * N_EVENTS];
	unsigned char measured[MOST_SLICES * N_EVENTS];
	struct ep_series series;
};

static const char *const names[N_EVENTS] = { "CYCLES", "INSTR", "A", "B", "C", "D" };
static const unsigned char always[N_EVENTS] = { 1, 1, 0, 0, 0, 0 };

typedef double (*count_fn)(size_t t, size_t e);

static void make(struct made *m, size_t n_slices, count_fn count)
{
	for (size_t t = 0; t < n_slices; t++)
		for (size_t e = 0; e < N_EVENTS; e++) {
			m->values[t * N_EVENTS + e] = count(t, e);
			m->measured[t * N_EVENTS + e] = e < 2 || (e - 2) / 2 == t % 2;
		}
	m->series = (struct ep_series){ n_slices, N_EVENTS, names, m->values, m->measured, always,
		0, 1 };
}

static double ordinary(size_t t, size_t e)
{
	static const double scale[N_EVENTS] = { 0, 0, 100, 3, 1000, 20 };
	double phase = t / 20 % 2 ? 3 : 1;

	if (e < 2)
		return e ? 1000 / phase : 1000;
	return floor(scale[e] * phase * (1 + 0.1 * (t * 7 % 5)));
}

static double zeros(size_t t, size_t e)
{
	return 0;
}

static double huge(size_t t, size_t e)
{
	return e < 2 ? 1e18 : 1e18 * (1 + t % 3);
}

static double constant(size_t t, size_t e)
{
	return e < 2 ? 1000 : 50;
}

struct case_of {
	const char *what;
	count_fn count;
	size_t n_slices;
};
static const struct case_of cases[] = {
	{ "ordinary", ordinary, MOST_SLICES },
	{ "ordinary, short", ordinary, 40 },
	{ "three slices", ordinary, 3 },
	{ "one slice", ordinary, 1 },
	{ "zeros", zeros, 100 },
	{ "huge", huge, 100 },
	{ "constant", constant, 100 },
};

static void check_owed(const struct made *m, const char *what, const char *estimator)
{
	static double values[MOST_SLICES * N_EVENTS], errors[MOST_SLICES * N_EVENTS];
	struct ep_fit_options options = { .estimator = estimator };
	struct ep_fit *fit = NULL;
	size_t n_wrong = 0;

	CHECK_INT(ep_fit(&m->series, &options, &fit, NULL), 0);
	if (!fit)
		return;
	ep_fit_fill(fit, values, errors);
	for (size_t i = 0; i < m->series.n_slices * N_EVENTS; i++) {
		bool missing = !strcmp(ep_fit_event(fit, i % N_EVENTS).estimator, "missing");
		if (missing)
			n_wrong += !isnan(values[i]) || !isnan(errors[i]);
		else if (m->measured[i])
			n_wrong += values[i] != m->values[i] || errors[i] != 0;
		else
			n_wrong += !(values[i] >= 0) || !isfinite(values[i]) || !(errors[i] > 0) ||
				   !isfinite(errors[i]);
	}
	CHECK_MSG(!n_wrong, "%s, %s: %zu cells break what is owed", what, estimator, n_wrong);
	ep_fit_destroy(fit);
}

TEST(every_estimator_keeps_its_promises)
{
	static struct made m;

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		make(&m, cases[i].n_slices, cases[i].count);
		for (const char *const *name = ep_estimator_names(); *name; name++)
			check_owed(&m, cases[i].what, *name);
	}
}

/* A steady loop whose last slice ends with 100 us of its thread's exit. */
enum { LOOP_SLICES = 28 };
static double clock_of_last;
static double loop_and_exit(size_t t, size_t e)
{
	double clock = t + 1 < LOOP_SLICES ? 7000 : clock_of_last;
	double exit = t + 1 < LOOP_SLICES ? 0 : fmin(clock, 100);
	double rate = 0.5 * (1 + 1e-3 * (t * 7 % 5 - 2.));

	return e ? floor((clock - exit) * rate + exit * 0.02) : clock;
}

TEST(a_moments_odd_rate_does_not_turn_a_steady_loop_over_to_the_networks)
{
	static const double clocks[] = { 50, 100, 160, 400, 2000 };
	static struct made m;

	for (size_t i = 0; i < EP_ARRAY_SIZE(clocks); i++) {
		struct ep_fit *fit = NULL;

		clock_of_last = clocks[i];
		make(&m, LOOP_SLICES, loop_and_exit);
		CHECK_INT(ep_fit(&m.series, NULL, &fit, NULL), 0);
		for (size_t e = 2; e < N_EVENTS; e++) {
			double total = ep_fit_event(fit, e).total, truth = 0;

			for (size_t t = 0; t < LOOP_SLICES; t++)
				truth += m.values[t * N_EVENTS + e];
			CHECK_MSG(fabs(total / truth - 1) < 0.003,
				"%s, last slice of %g: %g of %g by %s", names[e], clocks[i], total,
				truth, ep_fit_event(fit, e).estimator);
		}
		ep_fit_destroy(fit);
	}
}

TEST(an_event_without_a_sample_is_missing)
{
	static struct made m;
	struct ep_fit *fit = NULL;

	make(&m, 100, ordinary);
	for (size_t t = 0; t < 100; t++)
		m.measured[t * N_EVENTS + 5] = 0;
	check_owed(&m, "no D", "auto");
	CHECK_INT(ep_fit(&m.series, NULL, &fit, NULL), 0);
	CHECK_STR(ep_fit_event(fit, 5).estimator, "missing");
	CHECK(isnan(ep_fit_event(fit, 5).total));
	CHECK_STR(ep_fit_event(fit, 0).estimator, "measured");
	ep_fit_destroy(fit);
}

TEST(zeros_stay_zeros)
{
	static struct made m;
	static double values[MOST_SLICES * N_EVENTS];
	struct ep_fit *fit = NULL;

	make(&m, 100, zeros);
	CHECK_INT(ep_fit(&m.series, NULL, &fit, NULL), 0);
	ep_fit_fill(fit, values, NULL);
	for (size_t i = 0; i < 100 * N_EVENTS; i++)
		CHECK_CLOSE(values[i], 0, 0);
	ep_fit_destroy(fit);
}

/* The networks learned that programs start in bursts; few samples without one say otherwise. */
TEST(a_short_steady_series_stays_steady)
{
	static struct made m;
	static double values[MOST_SLICES * N_EVENTS];
	struct ep_fit *fit = NULL;

	make(&m, 60, constant);
	CHECK_INT(ep_fit(&m.series, NULL, &fit, NULL), 0);
	ep_fit_fill(fit, values, NULL);
	for (size_t i = 0; i < 60 * N_EVENTS; i++)
		CHECK_CLOSE(values[i], m.values[i], 1e-9);
	ep_fit_destroy(fit);
}

/* Small counts in phases, and work that leaps where they do. */
static double leaps(size_t t, size_t e)
{
	bool leap = t % 37 == 5;

	if (e < 2)
		return e ? (leap ? 2e6 : 5e5 * (1 + 0.2 * (t * 7 % 5))) : 1e6;
	return leap ? 40 : (double)(t * 7 % 11 * (t / 50 % 2 ? 5 : 1));
}

TEST(no_interval_is_many_times_what_was_ever_counted)
{
	static struct made m;
	static double values[MOST_SLICES * N_EVENTS], errors[MOST_SLICES * N_EVENTS];

	make(&m, 150, leaps);
	for (const char *const *name = ep_estimator_names(); *name; name++) {
		struct ep_fit_options options = { .estimator = *name };
		struct ep_fit *fit = NULL;
		double widest = 0;
		CHECK_INT(ep_fit(&m.series, &options, &fit, NULL), 0);
		ep_fit_fill(fit, values, errors);
		for (size_t i = 0; i < 150 * N_EVENTS; i++)
			widest = fmax(widest, 1.96 * errors[i] - fmax(8 * 50, values[i]));
		CHECK_MSG(widest < 1e-6, "%s: %g beyond eight times the largest", *name, widest);
		ep_fit_destroy(fit);
	}
}

TEST(an_unknown_estimator_is_named)
{
	static struct made m;
	struct ep_fit *fit = NULL;
	struct ep_error err;

	make(&m, 10, ordinary);
	CHECK_INT(ep_fit(&m.series, &(struct ep_fit_options){ .estimator = "guess" }, &fit, &err),
		-EINVAL);
	CHECK(strstr(err.message, "\"guess\""));
}

TEST(sums_add_up)
{
	static struct made m;
	static double values[MOST_SLICES * N_EVENTS], errors[MOST_SLICES * N_EVENTS];
	struct ep_fit *fit = NULL;
	struct ep_event_fit event;
	double sum = 0, variance = 0;

	make(&m, MOST_SLICES, ordinary);
	CHECK_INT(ep_fit(&m.series, NULL, &fit, NULL), 0);
	ep_fit_fill(fit, values, errors);
	for (size_t t = 0; t < MOST_SLICES; t++) {
		sum += values[t * N_EVENTS + 2];
		variance += errors[t * N_EVENTS + 2] * errors[t * N_EVENTS + 2];
	}
	event = ep_fit_event(fit, 2);
	CHECK_CLOSE(event.total, sum, 1e-9);
	CHECK(event.inflation >= 1);
	CHECK_CLOSE(event.total_error, sqrt(variance * event.inflation), 1e-9);
	CHECK_CLOSE(ep_fit_event(fit, 0).total_error, 0, 0);
	ep_fit_destroy(fit);
}

/* Windows: a long series keeps its promises, and is filled to its end. */
TEST(long_series_go_window_by_window)
{
	enum { N = 5000 };
	struct ep_fit *fit = NULL;
	double *values = malloc(N * N_EVENTS * sizeof(*values));
	double *filled = malloc(N * N_EVENTS * sizeof(*filled));
	unsigned char *measured = malloc(N * N_EVENTS);
	struct ep_series s = { N, N_EVENTS, names, values, measured, always, 0, 1 };
	double worst = 0;

	for (size_t t = 0; t < N; t++)
		for (size_t e = 0; e < N_EVENTS; e++) {
			values[t * N_EVENTS + e] = constant(t, e);
			measured[t * N_EVENTS + e] = e < 2 || (e - 2) / 2 == t % 2;
		}
	CHECK_INT(ep_fit(&s, &(struct ep_fit_options){ .estimator = "kernel" }, &fit, NULL), 0);
	ep_fit_fill(fit, filled, NULL);
	for (size_t i = 0; i < N * N_EVENTS; i++)
		worst = fmax(worst, fabs(filled[i] - values[i]));
	/* logs are kept as 32-bit floats: 1e-3 relative is far from their rounding */
	CHECK_MSG(worst < 50 * 1e-3, "a constant is off by %g", worst);
	ep_fit_destroy(fit);
	free(values);
	free(filled);
	free(measured);
}

/* 16 windows of 1024 slices; every odd one of the eight that a hold-out may look at is noisy. */
static double noisy_in_odd_windows(size_t t, size_t e)
{
	return e < 2 || t / 2048 % 2 == 0 ? constant(t, e) : constant(t, e) * (1 + t * 7 % 5);
}

static double holdout_error_of(size_t one_in)
{
	enum { N = 16384 };
	EP_AUTOFREE double *values = malloc(N * N_EVENTS * sizeof(*values));
	EP_AUTOFREE unsigned char *measured = malloc(N * N_EVENTS);
	struct ep_series s = { N, N_EVENTS, names, values, measured, always, 0, 1 };
	struct ep_fit *fit = NULL;
	double error;

	for (size_t t = 0; t < N; t++)
		for (size_t e = 0; e < N_EVENTS; e++) {
			values[t * N_EVENTS + e] = noisy_in_odd_windows(t, e);
			measured[t * N_EVENTS + e] = e < 2 || t % one_in == 0;
		}
	CHECK_INT(ep_fit(&s, &(struct ep_fit_options){ .estimator = "linear" }, &fit, NULL), 0);
	error = ep_fit_event(fit, 2).holdout_error;
	ep_fit_destroy(fit);
	return error;
}

TEST(a_hold_out_looks_at_more_windows_where_samples_are_few)
{
	double first_four = holdout_error_of(2), all_eight = holdout_error_of(16);

	/* 2300 samples in four of them, whose margins reach into the noise; 290 */
	CHECK_MSG(first_four < 0.03, "%g", first_four);
	CHECK_MSG(all_eight > 0.15, "%g", all_eight);
}
