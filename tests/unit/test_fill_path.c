// SPDX-License-Identifier: BSD-3-Clause
/* Slices in the same place of the program are filled from each other, with errors that hold. */
#include "tests/unit/test.h"

#include <math.h>

#include "reporter/fill/fill_path.h"
#include "tests/unit/filled_stretch.h"

/* Two places by turns; the event is on in every fourth slice, so that each place measures it. */
TEST(places_are_not_mixed)
{
	float changes[EP_N_REPLICAS];
	double truth;

	begin(400, 2);
	for (uint32_t i = 0; i < 400; i++) {
		uint64_t place = 1 + i / 3 % 2;

		data.places[i] = data.sites[i] = place;
		put(i, 0, 1000, true);
		put(i, 1, place == 1 ? 900 : 100, i % 4 == 0);
	}
	fill();
	CHECK(stretch.has_changes);
	for (uint64_t place = 1; place <= 2; place++) {
		CHECK_CLOSE(sum_of(place, 1, &truth, changes), truth, 1e-9);
		/* a count or so in all that was measured is always possible */
		CHECK(ep_replica_variance(changes) > 0);
		CHECK(ep_replica_variance(changes) < 100);
	}
	CHECK_STR(data.quality[1].estimator, "path");
	CHECK(data.quality[1].holdout_error == 0);
	CHECK(data.quality[0].estimator == NULL); /* measured throughout */
}

TEST(the_rate_follows_the_clock_and_time)
{
	begin(100, 2);
	for (uint32_t i = 0; i < 100; i++) {
		double cycles = i % 2 ? 1000 : 3000;

		data.places[i] = data.sites[i] = 7;
		put(i, 0, cycles, true);
		put(i, 1, cycles * (1 + 0.01 * i), i % 10 == 0 || i == 99);
	}
	fill();
	for (uint32_t i = 0; i < 100; i++)
		CHECK_CLOSE(data.values[2 * i + 1], data.truth[2 * i + 1], 1e-9);
}

/* The moment of a thread's end, which is like nothing else, in its own place or in the work's. */
TEST(a_moments_rate_is_not_a_slices)
{
	for (uint64_t its_place = 7; its_place <= 8; its_place++) {
		float changes[EP_N_REPLICAS];
		double truth;

		begin(41, 2);
		for (uint32_t i = 0; i < 41; i++) {
			bool is_end = i == 40;

			data.places[i] = data.sites[i] = is_end || i == 39 ? its_place : 7;
			put(i, 0, is_end ? 45 : 8000, true);
			put(i, 1, is_end ? 9 : 16000, i % 2 == 0);
		}
		fill();
		CHECK_CLOSE(sum_of(0, 1, &truth, changes), truth, 1e-3);
	}
}

/* Before the first measured slice and behind the last there is only one to go by. */
TEST(a_moments_rate_fills_no_end)
{
	float changes[EP_N_REPLICAS];
	double truth;

	begin(40, 2);
	for (uint32_t i = 0; i < 40; i++) {
		bool is_brief = i == 1 || i == 38;

		data.places[i] = data.sites[i] = 7;
		put(i, 0, is_brief ? 20 : 8000, true);
		put(i, 1, is_brief ? 9 : 1600, i && i < 39 && i % 4 < 3);
	}
	fill();
	CHECK_CLOSE(sum_of(0, 1, &truth, changes), truth, 1e-3);
}

/* Cycles that one group does not count while instructions run, and slices in the kernel alone. */
TEST(a_clock_that_stood_still_is_no_clock)
{
	float changes[EP_N_REPLICAS];
	double truth;

	begin(300, 3);
	for (uint32_t i = 0; i < 300; i++) {
		bool is_kernel = i % 10 == 9;
		double cycles = is_kernel ? 0 : 2000;

		data.places[i] = data.sites[i] = 7;
		put(i, 0, i % 3 == 1 ? 0 : cycles, true);
		put(i, 1, is_kernel ? 0 : 500, true);
		put(i, 2, cycles / 2, i % 3 == 0);
	}
	fill();
	CHECK_CLOSE(sum_of(0, 2, &truth, changes), truth, 1e-9);
	CHECK_CLOSE(data.values[3 * 19 + 2], 0, 0); /* in the kernel nothing counted */
	CHECK_INT(data.state[3 * 19 + 2], EP_VALUE_FILLED);
}

/* Never measured where it is 40, often where it is 100: the other place says something. */
TEST(a_place_that_never_measured_leans_on_others_and_says_so)
{
	float changes[EP_N_REPLICAS];
	double truth;

	begin(60, 2);
	for (uint32_t i = 0; i < 60; i++) {
		data.places[i] = i >= 50 ? 2 : 1;
		data.sites[i] = 1;
		put(i, 0, 1000, true);
		put(i, 1, i >= 50 ? 40 : 100, i % 2 == 0 && i < 50);
	}
	fill();
	double sum = sum_of(2, 1, &truth, changes);

	CHECK_CLOSE(sum, 1000, 1e-9);
	CHECK_CLOSE(truth, 400, 1e-9);
	CHECK(sum - 2 * sqrt(ep_replica_variance(changes)) < truth);
	CHECK(sqrt(ep_replica_variance(changes)) < sum);
}

TEST(what_nobody_measured_stays_missing)
{
	begin(20, 3);
	for (uint32_t i = 0; i < 20; i++) {
		data.places[i] = data.sites[i] = 1;
		put(i, 0, 1000, true);
		put(i, 1, 10, i % 2);
		put(i, 2, 10, false);
	}
	fill();
	CHECK_INT(data.state[2], EP_VALUE_MISSING);
	CHECK_INT(data.state[1], EP_VALUE_FILLED);
	CHECK(data.quality[2].estimator == NULL);
}

static const struct ep_value_change *change_of(uint32_t slice)
{
	return &data.changes[slice * stretch.n_events + 1];
}

/* 10, 30 and 60 were measured in slices 0, 2 and 5 of six; replicas are by turns from 5 on. */
TEST(one_place_by_hand)
{
	const double scale = sqrt(0.5) * 2.2; /* half was measured; Student's t for three */

	begin(6, 2);
	for (uint32_t i = 0; i < 6; i++) {
		data.places[i] = data.sites[i] = 17 + 5;
		put(i, 0, 1000, true);
		put(i, 1, 10 * (i + 1), i == 0 || i == 2 || i == 5);
	}
	fill();
	for (uint32_t i = 0; i < 6; i++)
		CHECK_CLOSE(data.values[2 * i + 1], 10 * (i + 1), 1e-12);
	CHECK_INT(change_of(1)->replica[0], 5);
	CHECK_CLOSE(change_of(1)->by[0], 10 * scale, 1e-6); /* without slice 0: 30 */
	CHECK_INT(change_of(1)->replica[1], 7);
	CHECK_CLOSE(change_of(1)->by[1] + 1, 1, 1e-6); /* without slice 2: 20, too */
	CHECK_INT(change_of(4)->replica[1], 10);
	CHECK_CLOSE(change_of(4)->by[1], -20 * scale, 1e-6);
	CHECK_CLOSE(change_of(0)->by[0], 20 * scale, 1e-6);
	CHECK_CLOSE(change_of(5)->by[0], -30 * scale, 1e-6);
	CHECK_CLOSE(change_of(4)->by[2], 0, 0); /* the place knew itself */
	/* by replica 30 and -60 */
	CHECK_CLOSE(data.quality[1].variance, (900 + 3600) * scale * scale * 16 / 17, 1e-6);
	/* hidden: 30 for 10, 30 for 30, 30 for 60 */
	CHECK_CLOSE(data.quality[1].holdout_error, (1 + log(2) + 0.5) / 3, 1e-12);
}

/* Not each of thousands is hidden: their mean shows all the same. */
TEST(some_of_thousands_tell_the_error)
{
	double sum = 0;

	begin(MAX_SLICES, 2);
	for (uint32_t i = 0; i < MAX_SLICES; i++) {
		uint64_t chance = ep_hash_mix(1, i) >> 11;

		data.places[i] = data.sites[i] = 17;
		put(i, 0, 1000, true);
		put(i, 1, 1000 + (double)(chance % 1000), i % 2 == 0);
	}
	fill();
	for (uint32_t i = 2; i < MAX_SLICES - 2; i += 2) {
		const double *at = data.values + 2 * (size_t)i + 1;

		sum += fabs((at[-4] + at[4]) / 2 - *at) / *at;
	}
	CHECK_CLOSE(data.quality[1].holdout_error, sum / (MAX_SLICES / 2.0 - 2), 0.1);
	CHECK(data.quality[1].holdout_error > 0.15);
}

/* Counts that are rare are hidden all: each error is 1, whatever the slice's number. */
TEST(rare_counts_tell_the_error)
{
	for (uint32_t n = 1000; n <= MAX_SLICES; n += 250) {
		begin(n, 2);
		for (uint32_t i = 0; i < n; i++) {
			data.places[i] = data.sites[i] = 17;
			put(i, 0, 1000, true);
			put(i, 1, i % 400 == 202 ? 50 : 0, i % 2 == 0);
		}
		fill();
		CHECK_CLOSE(data.quality[1].holdout_error, 1, 1e-9);
	}
}

/* Every other measured slice counts five times as much: hidden ones are of both kinds. */
TEST(a_period_tells_the_error)
{
	begin(MAX_SLICES, 2);
	for (uint32_t i = 0; i < MAX_SLICES; i++) {
		data.places[i] = data.sites[i] = 17;
		put(i, 0, 1000, true);
		put(i, 1, i % 4 ? 500 : 100, i % 2 == 0);
	}
	fill();
	/* 500 for 100 and 100 for 500 */
	CHECK_CLOSE(data.quality[1].holdout_error, (1 + log(4) + 0.8) / 2, 0.1);
}

/* A place that measured twice is filled from its call site's slices. */
TEST(fewer_than_three_are_too_few)
{
	begin(12, 2);
	for (uint32_t i = 0; i < 12; i++) {
		data.places[i] = i < 4 ? 18 : 2;
		data.sites[i] = 1;
		put(i, 0, 1000, true);
		put(i, 1, i < 4 ? 10 : 100, i % 2 == 0);
	}
	fill();
	CHECK_CLOSE(data.values[2 * 3 + 1], 55, 1e-12); /* 10 in slice 2, 100 in slice 4 */
	CHECK_CLOSE(data.values[2 * 5 + 1], 100, 1e-12);
	/* half of the mean of all, 70, which is more than the 10 that is put there */
	CHECK_CLOSE(change_of(1)->by[2], 35, 1e-6);
	CHECK_INT(change_of(1)->replica[2], 1);
	CHECK_CLOSE(change_of(3)->by[2], 35, 1e-6);
	/* 100 in all four: one count and a half in the four of them */
	CHECK_CLOSE(change_of(5)->by[2], 1.5 / 4, 1e-6);
}

/* A rule of three: what 100 of 400 slices did not show may be there 3 times in 100 slices. */
TEST(what_was_never_seen_may_be_there)
{
	float changes[EP_N_REPLICAS];
	double truth;

	begin(400, 2);
	for (uint32_t i = 0; i < 400; i++) {
		data.places[i] = data.sites[i] = 1;
		put(i, 0, 1000, true);
		put(i, 1, 0, i % 4 == 0);
	}
	fill();
	CHECK_CLOSE(sum_of(1, 1, &truth, changes), 0, 0);
	CHECK_CLOSE(1.96 * sqrt(ep_replica_variance(changes)), 3. / 100 * 300, 0.06);
	CHECK(data.quality[1].variance > 0);
}

/* Counters that stopped after 284 of 1,748 slices: the places go on, and may do something else. */
TEST(a_time_that_nobody_measured_is_less_certain)
{
	for (double later = 50; later <= 150; later += 50) {
		float changes[EP_N_REPLICAS];
		double truth;

		begin(1748, 2);
		for (uint32_t i = 0; i < 1748; i++) {
			data.places[i] = data.sites[i] = 1;
			put(i, 0, 1000, true);
			put(i, 1, (i < 284 ? 100 : later) + i * 7 % 5, i % 2 == 0 && i < 284);
		}
		fill();
		double sum = sum_of(0, 1, &truth, changes);
		double bar = 1.96 * sqrt(ep_replica_variance(changes));

		CHECK_CLOSE(sum, 1748 * 102, 0.05);
		CHECK(fabs(sum - truth) < bar);
		CHECK(bar < 1.5 * sum);
		CHECK(data.quality[1].variance > bar * bar / 8);
	}
}

/* Place 2 by nine slices of another stretch: 40, 50 and 60 by turns; and none measured at hand. */
static void *know_place_2(struct ep_fill_events *events, uint32_t without_cycles)
{
	void *process = ep_filler_path.process_create(events);

	begin(18, 2);
	for (uint32_t i = 0; i < 18; i++) {
		data.places[i] = data.sites[i] = 2;
		put(i, 0, 1000, i != without_cycles);
		put(i, 1, 40 + i / 2 % 3 * 10, i % 2);
	}
	ep_filler_path.learn(process, &stretch);
	begin(20, 2);
	for (uint32_t i = 0; i < 20; i++) {
		data.places[i] = data.sites[i] = i < 10 ? 1 : 2;
		put(i, 0, i < 15 ? 1000 : 2000, true);
		put(i, 1, i < 10 ? 100 : 50, i < 10 && i % 2);
	}
	return process;
}

TEST(a_place_is_known_from_other_stretches)
{
	struct ep_fill_events events = {
		.n_events = 2, .names = (const char **)names, .always = always
	};
	void *process = know_place_2(&events, 99);
	const double scatter = sqrt(200.0 / 3), mean_error = scatter / 3 * 1.18;

	ep_filler_path.fill(process, &stretch);
	CHECK_CLOSE(data.values[2 * 12 + 1], 50, 1e-12);
	CHECK_CLOSE(data.values[2 * 17 + 1], 100, 1e-12); /* twice the cycles */
	CHECK_CLOSE(data.values[2 * 2 + 1], 100, 1e-12);
	CHECK_CLOSE(fabs(change_of(12)->by[0]), scatter, 1e-4);
	CHECK_CLOSE(change_of(12)->by[1], mean_error, 1e-4);
	CHECK_CLOSE(change_of(17)->by[1], 2 * mean_error, 1e-4);
	CHECK_INT(change_of(17)->replica[1], 2);
	ep_filler_path.process_destroy(process);
}

/* Slice 1 of them, that measured 40, is left out. */
TEST(a_slice_that_did_not_run_tells_nothing)
{
	struct ep_fill_events events = {
		.n_events = 2, .names = (const char **)names, .always = always
	};
	void *process = know_place_2(&events, 1);

	ep_filler_path.fill(process, &stretch);
	CHECK_CLOSE(data.values[2 * 12 + 1], (450 - 40) / 8.0, 1e-12);
	ep_filler_path.process_destroy(process);
}

/* Rates per cycle are no rates per microsecond, which a stretch has that lacks a slice's cycles. */
TEST(what_another_clock_measured_is_left_alone)
{
	struct ep_fill_events events = {
		.n_events = 2, .names = (const char **)names, .always = always
	};
	void *process = know_place_2(&events, 99);

	put(0, 0, 1000, false);
	ep_filler_path.fill(process, &stretch);
	CHECK_CLOSE(data.values[2 * 12 + 1], 100, 1e-12); /* as the other place */
	ep_filler_path.process_destroy(process);
}

/* A short stretch of another group: what it never measured. */
TEST(what_a_stretch_never_measured_others_may_know)
{
	struct ep_fill_events events = {
		.n_events = 2, .names = (const char **)names, .always = always
	};
	void *process = know_place_2(&events, 99);

	for (uint32_t i = 0; i < 10; i++)
		put(i, 1, 0, false);
	ep_filler_path.fill(process, &stretch);
	CHECK_CLOSE(data.values[2 * 12 + 1], 50, 1e-12);
	CHECK_INT(data.state[2 * 2 + 1], EP_VALUE_MISSING); /* nobody knows place 1 */
	CHECK_STR(data.quality[1].estimator, "path");
	ep_filler_path.process_destroy(process);
}

/* Two of ten were measured: what each would have been without it. */
TEST(what_is_known_is_tried_on_what_was_measured)
{
	struct ep_fill_events events = {
		.n_events = 2, .names = (const char **)names, .always = always
	};
	void *process = know_place_2(&events, 99);

	for (uint32_t i = 0; i < 10; i++) /* no other place */
		put(i, 1, 0, false);
	put(12, 1, 80, true);
	put(13, 1, 20, true);
	ep_filler_path.fill(process, &stretch);
	CHECK_CLOSE(data.values[2 * 12 + 1], 80, 0);
	CHECK_CLOSE(data.values[2 * 14 + 1], 50, 1e-12);
	/* 47 for 80, 53 for 20 */
	CHECK_CLOSE(data.quality[1].holdout_error, (33.0 / 80 + 1 + log(33.0 / 20)) / 2, 1e-12);
	ep_filler_path.process_destroy(process);
}

/* When in slice 3 the place changed nobody knows. */
TEST(a_turn_is_half_of_each)
{
	begin(7, 2);
	for (uint32_t i = 0; i < 7; i++) {
		data.sites[i] = i < 3 ? 1 : 2;
		data.places[i] = i == 3 ? 99 : data.sites[i];
		put(i, 0, i == 3 ? 2000 : 1000, true);
		put(i, 1, i < 3 ? 10 : 40, i != 3);
	}
	fill();
	CHECK_CLOSE(data.values[2 * 3 + 1], 2 * 25, 1e-12);
	CHECK_CLOSE(fabs(change_of(3)->by[0]), 2 * 30 / sqrt(12), 1e-6);
	CHECK_INT(change_of(3)->replica[0], 3);
	CHECK_CLOSE(data.quality[1].variance, 3600 / 12.0 * 16 / 17, 1e-6);
}

TEST(outliers_are_counted)
{
	begin(60, 2);
	for (uint32_t i = 0; i < 60; i++) {
		data.places[i] = data.sites[i] = 1;
		put(i, 0, 1000, true);
		put(i, 1, i == 30 ? 1e6 : 100, i % 2 == 0);
	}
	fill();
	CHECK_INT(data.quality[1].n_outliers, 1);
}
