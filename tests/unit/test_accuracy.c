// SPDX-License-Identifier: BSD-3-Clause
/* The measures, by hand on a short run. */
#include "reporter/estimate/accuracy.h"

#include "common/cleanup.h"
#include "reporter/estimate/series.h"
#include "tests/unit/test.h"

enum { N = 40 };

static const char *const names[] = { "A" };
static const unsigned char never = 0;

/* A is measured in even slices; its count is 100 in the first half and 50 in the second. */
struct run {
	double truth[N], filled[N], errors[N];
	unsigned char measured[N];
	struct ep_series series;
	struct ep_fit *fit;
};

static void make(struct run *r)
{
	for (int t = 0; t < N; t++) {
		r->truth[t] = t < N / 2 ? 100 : 50;
		r->filled[t] = r->truth[t];
		r->errors[t] = 0;
		r->measured[t] = t % 2 == 0;
	}
	r->series = (struct ep_series){ N, 1, names, r->truth, r->measured, &never, -1, -1 };
	CHECK_INT(
		ep_fit(&r->series, &(struct ep_fit_options){ .estimator = "fixed" }, &r->fit, NULL),
		0);
}

TEST(the_tail_is_2_percent_and_5_slices)
{
	CHECK_INT(ep_tail_slices(0), 5);
	CHECK_INT(ep_tail_slices(40), 5);
	CHECK_INT(ep_tail_slices(500), 15);
}

TEST(relative_accuracy_by_hand)
{
	static struct run r;
	struct ep_accuracy a;

	make(&r);
	/* 35 slices are judged, of which 17 are unmeasured: 10 of 100 and 7 of 50 */
	r.filled[1] = 130;
	r.filled[21] = 0;
	r.filled[2] = 1e9;     /* measured: not judged */
	r.filled[N - 1] = 1e9; /* in the tail: not judged */
	a = ep_accuracy_of(&r.series, r.filled, r.errors, r.fit, 0, 0);
	CHECK_CLOSE(a.ra, 1 - (0.3 + 1) / 17, 1e-12);
	CHECK_CLOSE(a.ra_100, 1 - 0.3 / 10, 1e-12);
	/* 20 unmeasured slices, of which 1, 21 and the last are outside an error of 0 */
	CHECK_CLOSE(a.covered, 17.0 / 20, 1e-12);
	/* fixed holds slice 0 in 1, ...: every odd slice equals the even one before it */
	CHECK_CLOSE(a.total_error, 0, 1e-12);
	ep_fit_destroy(r.fit);
}

TEST(a_hopeless_estimate_counts_0)
{
	static struct run r;

	make(&r);
	for (int t = 0; t < N; t++)
		r.filled[t] *= 10;
	CHECK_CLOSE(ep_accuracy_of(&r.series, r.filled, r.errors, r.fit, 0, 0).ra, 0, 0);
	ep_fit_destroy(r.fit);
}

TEST(zero_counts_and_few_slices_are_not_judged)
{
	static struct run r;
	struct ep_accuracy a;

	make(&r);
	for (int t = 9; t < N; t++)
		r.truth[t] = 0;
	r.filled[1] = 50;
	/* slices 1, 3, 5, 7 have a count above 0: one too few */
	a = ep_accuracy_of(&r.series, r.filled, r.errors, r.fit, 0, 0);
	CHECK(isnan(a.ra) && isnan(a.ra_100));
	r.truth[9] = 100;
	r.filled[9] = 100;
	a = ep_accuracy_of(&r.series, r.filled, r.errors, r.fit, 0, 0);
	CHECK_CLOSE(a.ra, 1 - 0.5 / 5, 1e-12);
	ep_fit_destroy(r.fit);
}

TEST(dtw_is_of_the_logs)
{
	static struct run r;

	make(&r);
	r.filled[5] = 999;
	/* the peak must be matched with some 100 */
	CHECK_CLOSE(ep_accuracy_of(&r.series, r.filled, r.errors, r.fit, 0, 0).dtw,
		log10(1000) - log10(101), 1e-12);
	ep_fit_destroy(r.fit);
}

TEST(outliers_are_beyond_the_outer_fence)
{
	static struct run r;
	const struct {
		double count;
		size_t n_outliers;
	} cases[] = { { 799, 0 }, { 801, 1 }, { 1e15, 1 }, { 0, 0 } };

	make(&r);
	for (int t = 0; t < N; t++)
		r.truth[t] = 100;
	r.truth[7] = 1e9; /* not measured */
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		r.truth[20] = cases[i].count;
		/* 20 are measured; a count of 0 is one too few */
		CHECK_INT(ep_series_outliers(&r.series, 0), cases[i].n_outliers);
	}
	r.truth[20] = 900;
	r.truth[0] = 0;
	CHECK_INT(ep_series_outliers(&r.series, 0), 0);
	ep_fit_destroy(r.fit);
}
