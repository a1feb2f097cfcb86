// SPDX-License-Identifier: BSD-3-Clause
/* Counters that stop, or start late: what fills the gap, and how far it may be off. */
#include "reporter/estimate/long_gaps.h"

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "tests/unit/test.h"

enum { MOST_SLICES = 4000, N_EVENTS = 4, X = 2 };

/* Cycles and instructions always on, X in every other slice but for a gap, Y in the others. */
static struct {
	double counts[MOST_SLICES * N_EVENTS], values[MOST_SLICES * N_EVENTS];
	double errors[MOST_SLICES * N_EVENTS];
	unsigned char measured[MOST_SLICES * N_EVENTS];
	struct ep_series series;
} made;

static const char *const names[N_EVENTS] = { "CYCLES", "INSTR", "X", "Y" };
static const unsigned char always[N_EVENTS] = { 1, 1, 0, 0 };

struct gap_case {
	const char *what;
	size_t n_slices, begin, end; /* X is not measured in slices begin..end-1 */
	double count, gap_count;     /* of X in a slice, in the gap or not; 2 % of noise */
};

static void make(const struct gap_case *c)
{
	for (size_t t = 0; t < c->n_slices; t++) {
		bool is_gap = t >= c->begin && t < c->end;
		double noise = 1 + 0.02 * ((double)(t * 7 % 11) - 5) / 5;
		double row[N_EVENTS] = { 1e6, 8e5 * noise,
			floor((is_gap ? c->gap_count : c->count) * noise), floor(5e4 * noise) };

		for (size_t e = 0; e < N_EVENTS; e++) {
			made.counts[t * N_EVENTS + e] = row[e];
			made.measured[t * N_EVENTS + e] =
				e < X || (t % 2 == e - X && !(e == X && is_gap));
		}
	}
	made.series = (struct ep_series){ c->n_slices, N_EVENTS, names, made.counts, made.measured,
		always, 0, 1 };
}

static double true_total(size_t n_slices)
{
	double sum = 0;

	for (size_t t = 0; t < n_slices; t++)
		sum += made.counts[t * N_EVENTS + X];
	return sum;
}

static size_t count_certain_estimates(void)
{
	size_t n = 0;

	for (size_t i = 0; i < made.series.n_slices * N_EVENTS; i++)
		n += !made.measured[i] && !(made.errors[i] > 0);
	return n;
}

/* part: of the truth, that the total may be off. */
static void check_case(const struct gap_case *c, const char *estimator, double part)
{
	struct ep_fit_options options = { .estimator = estimator };
	struct ep_fit *fit = NULL;
	struct ep_event_fit x;
	double truth;

	make(c);
	truth = true_total(c->n_slices);
	CHECK_INT(ep_fit(&made.series, &options, &fit, NULL), 0);
	ep_fit_fill(fit, made.values, made.errors);
	x = ep_fit_event(fit, X);
	CHECK_MSG(!count_certain_estimates(), "%s, %s: %zu estimates have no error", c->what,
		estimator, count_certain_estimates());
	CHECK_MSG(fabs(x.total - truth) <= part * truth, "%s, %s: %g instead of %g", c->what,
		estimator, x.total, truth);
	CHECK_MSG(fabs(x.total - truth) <= 1.96 * x.total_error, "%s, %s: %g +- %g holds no %g",
		c->what, estimator, x.total, 1.96 * x.total_error, truth);
	ep_fit_destroy(fit);
}

TEST(long_gaps_take_what_their_neighbours_know)
{
	static const struct gap_case cases[] = {
		{ "3,200 of 4,000 slices", 4000, 500, 3700, 2e5, 2e5 },
		{ "nothing before slice 3,000", 4000, 0, 3000, 1e6, 1e6 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		check_case(&cases[i], "fixed", 0.1);
		check_case(&cases[i], "linear", 0.1);
		check_case(&cases[i], "kernel", 0.1);
	}
}

TEST(every_estimator_goes_on_where_the_counters_stopped)
{
	static const struct gap_case stops = { "nothing after 284 of 1,748 slices", 1748, 284, 1748,
		1e6, 1e6 };

	for (const char *const *name = ep_estimator_names(); *name; name++)
		check_case(&stops, *name, 0.1);
}

/* The error says how far programs go their own way while nobody looks. */
TEST(the_bar_holds_what_changed_in_the_gap)
{
	static const struct gap_case cases[] = {
		{ "half as much again", 4000, 500, 3700, 2e5, 3e5 },
		{ "half of it", 4000, 500, 3700, 2e5, 1e5 },
		{ "twice as much behind the last sample", 1748, 284, 1748, 1e6, 2e6 },
		{ "nothing behind the last sample", 1748, 284, 1748, 1e6, 0 },
		{ "all counts are 0", 4000, 500, 3700, 0, 0 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++)
		check_case(&cases[i], "linear", 10);
}

/* Windows without a sample although no gap is long beside the others. */
TEST(three_samples_in_thousands_of_slices)
{
	static const struct gap_case no_gap = { "three samples", 4000, 0, 0, 1000, 1000 };
	struct ep_fit *fit = NULL;

	make(&no_gap);
	for (size_t t = 0; t < 4000; t++)
		made.measured[t * N_EVENTS + X] = t == 700 || t == 2000 || t == 3990;
	CHECK_INT(
		ep_fit(&made.series, &(struct ep_fit_options){ .estimator = "linear" }, &fit, NULL),
		0);
	ep_fit_fill(fit, made.values, made.errors);
	CHECK_INT(count_certain_estimates(), 0);
	CHECK_CLOSE(ep_fit_event(fit, X).total, true_total(4000), 0.05);
	ep_fit_destroy(fit);
}

/* The errors of a gap's slices add up as they are, those of all others as variances. */
TEST(a_gaps_errors_go_one_way)
{
	static const struct gap_case c = { "a gap", 4000, 500, 3700, 2e5, 2e5 };
	struct ep_fit *fit = NULL;
	struct ep_fit_row row;
	double shared = 0, own = 0;

	make(&c);
	CHECK_INT(
		ep_fit(&made.series, &(struct ep_fit_options){ .estimator = "linear" }, &fit, NULL),
		0);
	row = ep_fit_row(fit, X);
	CHECK(row.shared);
	for (size_t t = 0; row.shared && t < 4000; t++) {
		CHECK_INT(row.shared[t] > 0, t >= 499 && t < 3700);
		shared += row.shared[t];
		own += row.errors[t] * row.errors[t] - row.shared[t] * row.shared[t];
	}
	struct ep_event_fit x = ep_fit_event(fit, X);

	CHECK_CLOSE(x.total_error, sqrt(own * x.inflation + shared * shared), 1e-6);
	ep_fit_destroy(fit);
}

TEST(what_is_a_long_gap)
{
	static const struct {
		size_t n_slices, n_samples;
		double most; /* slices of a gap that is not long */
	} rows[] = {
		{ 4000, 2000, 64 },
		{ 4000, 400, 64 },
		{ 1748, 71, 4 * 1748 / 71. },
		{ 4000, 3, 512 },
		{ 100, 0, 64 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_CLOSE(ep_long_gap_slices(rows[i].n_slices, rows[i].n_samples), rows[i].most,
			1e-9);
}
