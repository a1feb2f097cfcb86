// SPDX-License-Identifier: BSD-3-Clause
/* Events that are always on, the view of a rotation, values that are no counts, values far above
 * the others. */
#include "reporter/estimate/series.h"

#include <errno.h>

#include "common/cleanup.h"
#include "tests/unit/test.h"

/* The caller's; every cell measured. */
static struct ep_table table_of(size_t n_rows, size_t n_columns, char *const *names)
{
	struct ep_table t;

	CHECK_INT(ep_table_init(&t, n_rows, n_columns, names), 0);
	memset(t.measured, 1, n_rows * n_columns);
	return t;
}

TEST(always_on_by_name)
{
	static char *const names[] = { "A", "ticks", "work", "gaps" };
	static const struct {
		const char *always;
		int clock, work;
		unsigned char flags[4];
		const char *refused;
	} rows[] = {
		{ "ticks,work", 1, 2, { 0, 1, 1, 0 }, NULL },
		{ "work", 2, -1, { 0, 0, 1, 0 }, NULL },
		{ "ticks,,work,A", 1, 2, { 1, 1, 1, 0 }, NULL },
		{ "", -1, -1, { 0 }, NULL },
		{ "ticks,nosuch", 0, 0, { 0 }, "has no event \"nosuch\" (--always)" },
		{ "gaps", 0, 0, { 0 },
			"\"gaps\" is not measured in every slice; leave it out of --always" },
	};
	EP_AUTOTABLE struct ep_table t = table_of(3, 4, names);

	t.measured[2 * 4 + 3] = 0;
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOSERIES struct ep_table_series ts = { 0 };
		struct ep_error err;
		int rc = ep_table_series_init(&ts, &t, "t.csv", rows[i].always, &err);

		CHECK_INT(rc, rows[i].refused ? -EINVAL : 0);
		if (rc) {
			CHECK_STR(err.message, rows[i].refused);
			CHECK_STR(err.where, "t.csv");
			continue;
		}
		CHECK_INT(ts.series.clock, rows[i].clock);
		CHECK_INT(ts.series.work, rows[i].work);
		CHECK(!memcmp(ts.series.always, rows[i].flags, 4));
	}
}

TEST(always_on_by_guess)
{
	static const struct {
		char *names[4];
		int clock, work;
	} rows[] = {
		{ { "x", "INST_RETIRED.ANY", "cpu-time", "CPU_CLK_UNHALTED" }, 3, 1 },
		{ { "cpu-time", "PAPI_TOT_INS", "PAPI_TOT_CYC", "y" }, 2, 1 },
		{ { "cpu-time", "x", "y", "z" }, 0, -1 },
		{ { "x", "y", "z", "instructions:u" }, -1, 3 },
		{ { "cycles:instr", "x", "y", "z" }, 0, -1 }, /* one is not both */
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOTABLE struct ep_table t = table_of(2, 4, rows[i].names);
		EP_AUTOSERIES struct ep_table_series ts = { 0 };

		CHECK_INT(ep_table_series_init(&ts, &t, "t.csv", NULL, NULL), 0);
		CHECK_MSG(
			ts.series.clock == rows[i].clock, "row %zu: clock %d", i, ts.series.clock);
		CHECK_MSG(ts.series.work == rows[i].work, "row %zu: work %d", i, ts.series.work);
	}
}

TEST(what_has_gaps_is_no_clock)
{
	static char *const names[] = { "cycles", "cpu-time" };
	EP_AUTOTABLE struct ep_table t = table_of(4, 2, names);
	EP_AUTOSERIES struct ep_table_series ts = { 0 };

	t.measured[6] = 0;
	CHECK_INT(ep_table_series_init(&ts, &t, "t.csv", NULL, NULL), 0);
	CHECK(!ep_series_is_complete(&ts.series, 0));
	CHECK(ep_series_is_complete(&ts.series, 1));
	CHECK_INT(ts.series.clock, 1);
}

/* Two of five events are on at a time, of which one always. */
TEST(a_rotation_measures_a_group_in_turn)
{
	static const unsigned char always[] = { 0, 1, 0, 0, 0 };
	static const unsigned char expected[] = {
		1, 1, 1, 0, 0, /* */
		0, 1, 0, 1, 1, /* */
		1, 1, 1, 0, 0, /* */
	};
	struct ep_series s = { .n_slices = 3, .n_events = 5, .always = always };
	unsigned char measured[15];

	memset(measured, 7, sizeof(measured));
	CHECK_INT(ep_rotation_mask(&s, &(struct ep_rotation){ 2, 0 }, measured), 2);
	CHECK(!memcmp(measured, expected, sizeof(expected)));
	CHECK_INT(ep_rotation_mask(&s, &(struct ep_rotation){ 3, 0 }, measured), 2);
	CHECK_INT(measured[4], 0);
	CHECK_INT(measured[5 + 4], 1);
	CHECK_INT(ep_rotation_mask(&s, &(struct ep_rotation){ 4, 0 }, measured), 1);
}

/* A seed means the same groups for ever: figures in docs/estimators.md hang on it. */
TEST(a_seed_shuffles_the_groups_and_no_more)
{
	static const unsigned char always[8] = { 1 };
	static const unsigned char first_of_99[] = { 1, 1, 1, 0, 0, 0, 0, 0 };
	struct ep_series s = { .n_slices = 4, .n_events = 8, .always = always };
	unsigned char measured[32];
	unsigned n_on[8] = { 0 };

	CHECK_INT(ep_rotation_mask(&s, &(struct ep_rotation){ 2, 99 }, measured), 4);
	for (size_t i = 0; i < 32; i++)
		n_on[i % 8] += measured[i];
	CHECK_INT(n_on[0], 4);
	for (size_t e = 1; e < 8; e++)
		CHECK_INT(n_on[e], 1);
	for (size_t e = 0; e < 8; e++)
		CHECK_MSG(measured[e] == first_of_99[e], "event %zu: %d", e, measured[e]);
}

TEST(what_is_no_count_is_dropped)
{
	static char *const names[] = { "A" };
	EP_AUTOTABLE struct ep_table t = table_of(6, 1, names);
	static const double values[] = { 0, -1, 9223372036854775808.0, 9223372036854774784.0, NAN,
		-5 };
	static const unsigned char kept[] = { 1, 0, 0, 1, 0, 0 };

	memcpy(t.values, values, sizeof(values));
	t.measured[5] = 0; /* was none before: not counted */
	CHECK_INT(ep_table_drop_bad(&t), 3);
	CHECK(!memcmp(t.measured, kept, sizeof(kept)));
	CHECK_CLOSE(t.values[1], 0, 0);
}

enum { N = 100, MANY = 5000 };

/* Counts of 100 to 199 in slices of 1 tick, and what is put into the last. */
static size_t outliers(double last, double last_ticks, size_t n_slices)
{
	static double values[2 * MANY];
	static unsigned char measured[2 * MANY];
	struct ep_series s = { .n_slices = n_slices,
		.n_events = 2,
		.values = values,
		.measured = measured,
		.clock = 0 };

	for (size_t t = 0; t < n_slices; t++) {
		values[2 * t] = 1;
		values[2 * t + 1] = 100 + (double)(t * 37 % 100);
		measured[2 * t] = measured[2 * t + 1] = 1;
	}
	values[2 * n_slices - 2] = last_ticks;
	values[2 * n_slices - 1] = last;
	return ep_series_outliers(&s, 1);
}

TEST(outliers_are_beyond_the_outer_fence)
{
	/* the quartiles are less than a factor of two apart: the fence is some 175 * 2^3 */
	CHECK_INT(outliers(150, 1, N), 0);
	CHECK_INT(outliers(1390, 1, N), 0);
	CHECK_INT(outliers(1420, 1, N), 1);
	CHECK_INT(outliers(14200, 10, N), 1);
	CHECK_INT(outliers(1420, 2, N), 0); /* a longer slice may count more */
	CHECK_INT(outliers(1e9, 0, N), 0);  /* no time: no rate */
	CHECK_INT(outliers(1e9, 1, 20), 1);
	CHECK_INT(outliers(1e9, 1, 19), 0); /* too few to tell */
}

/* More than the quartiles are taken from: the fence of some of them, every one counted. */
TEST(outliers_of_thousands_are_all_counted)
{
	static double rates[MANY];

	CHECK_INT(outliers(1000, 1, MANY), 0);
	CHECK_INT(outliers(1800, 1, MANY), 1);
	for (size_t i = 0; i < MANY; i++)
		rates[i] = i % 250 == 7 ? 1e6 : 100 + (double)(i * 37 % 100);
	CHECK_INT(ep_rates_outliers(rates, MANY), MANY / 250);
}

/* Every other rate is high, or two of 16: the same ones whatever the number. */
TEST(the_outer_fence_of_a_period)
{
	static double rates[MANY];

	for (size_t n = 1024; n <= 4096; n *= 2) {
		for (size_t i = 0; i < n; i++)
			rates[i] = i % 2 ? 1000 : 10;
		CHECK_INT(ep_rates_outliers(rates, n), 0);
		for (size_t i = 0; i < n; i++)
			rates[i] = i % 16 < 2 ? 1000 : 10;
		CHECK_INT(ep_rates_outliers(rates, n), n / 8);
	}
}

TEST(a_tail_is_2_percent_and_5_slices)
{
	CHECK_INT(ep_tail_slices(0), 5);
	CHECK_INT(ep_tail_slices(199), 8);
	CHECK_INT(ep_tail_slices(200), 9);
}
