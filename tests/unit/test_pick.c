// SPDX-License-Identifier: BSD-3-Clause
/* The choice of estimator for an event, for hold-outs made by hand. */
#include "reporter/estimate/pick.h"

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "tests/unit/test.h"

/* Mean errors of fixed, linear, nonlinear, kernel, mlp, gru over so many hidden counts; below 0: no
 * candidate. */
enum { N = 6 };
struct row {
	const char *what;
	size_t n_scored;
	double errors[N];
	const char *expected;
};

static const char *picked(const struct row *row)
{
	struct ep_holdout h;
	unsigned candidates = 0;
	int k;

	CHECK_INT(ep_holdout_init(&h, 2), 0);
	for (size_t i = 0; i < N; i++) {
		candidates |= (row->errors[i] >= 0) << i;
		/* what is no candidate was never asked, whatever stands there */
		*ep_holdout_of(&h, 1, i) = (struct ep_residuals){
			.n = row->n_scored,
			.scored = row->n_scored,
			.relative_sum = row->errors[i] < 0 ? 0 : row->errors[i] * row->n_scored,
		};
	}
	k = ep_estimator_pick(&h, candidates, 1);
	ep_holdout_finish(&h);
	return ep_estimators[k].name;
}

TEST(the_table_is_in_the_order_that_this_test_takes)
{
	static const char *const names[N] = { "fixed", "linear", "nonlinear", "kernel", "mlp",
		"gru" };

	for (size_t i = 0; i < N; i++)
		CHECK_STR(ep_estimators[i].name, names[i]);
	CHECK(!ep_estimators[N].name);
}

TEST(who_fills_an_event)
{
	static const struct row rows[] = {
		{ "a network has a head start of four", 100, { .3, .2, .3, .3, .7, .9 }, "mlp" },
		{ "and no more", 100, { .3, .15, .3, .3, .7, .9 }, "linear" },
		{ "gru has one before mlp", 100, { .9, .9, .9, .9, .40, .42 }, "gru" },
		{ "of a tenth", 100, { .9, .9, .9, .9, .40, .46 }, "mlp" },
		{ "three counts say little", 3, { .3, .01, .3, .3, .3, .3 }, "gru" },
		{ "errors are cut", 100, { .5, .4, .5, .5, 9, 1e6 }, "gru" },
		{ "steady: the best interpolation", 20, { .009, .007, .008, .9, .002, .001 },
			"linear" },
		{ "whoever that is", 20, { .006, .007, .008, .9, .002, .001 }, "fixed" },
		{ "not quite steady", 20, { .011, .011, .011, .9, .009, .009 }, "gru" },
		{ "too few counts to be steady", 4, { .0, .0, .0, .9, .1, .1 }, "gru" },
		{ "five are enough", 5, { .0, .0, .0, .9, .1, .1 }, "fixed" },
		{ "the kernel does not make it so", 100, { .3, .3, .3, .009, .02, .02 }, "gru" },
		{ "candidates only", 100, { .4, -1, .3, -1, -1, -1 }, "nonlinear" },
		{ "nothing was hidden", 0, { .1, .1, .1, .1, .1, .1 }, "linear" },
		{ "nor are there straight lines", 0, { -1, -1, .1, -1, .1, -1 }, "nonlinear" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const char *name = picked(&rows[i]);

		CHECK_MSG(!strcmp(name, rows[i].expected), "%s: %s, expected %s", rows[i].what,
			name, rows[i].expected);
	}
}
