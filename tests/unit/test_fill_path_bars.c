// SPDX-License-Identifier: BSD-3-Clause
/* Intervals of `path`'s estimates: simulated programs, rotated over counters. */
#include "tests/unit/test.h"

#include <math.h>

#include "reporter/fill/fill_path.h"
#include "tests/unit/filled_stretch.h"

static uint64_t random_state;

static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

enum { N_PLACES = 5, N_GROUPS = 5, N_COUNTED = 11 };

/* Phases of the places by turns, of lengths that share no period with the rotation; each place has
 * rates of its own, which drift and scatter, and scatter together within a slice. */
static void simulate(uint64_t seed, uint32_t n_slices)
{
	double level[N_PLACES][N_COUNTED], drift[N_PLACES] = { 0 };
	uint32_t left = 0, place = 0;

	random_state = seed * 88172645463325252ull + 1;
	begin(n_slices, N_COUNTED);
	for (int p = 0; p < N_PLACES; p++)
		for (int e = 1; e < N_COUNTED; e++)
			level[p][e] = exp(1.5 * normal());
	for (uint32_t i = 0; i < n_slices; i++) {
		if (!left--) {
			place = (place + 1) % N_PLACES;
			left = (uint32_t)((place + 1) * 4 * (0.5 + uniform()));
		}
		data.places[i] = place + 1;
		data.sites[i] = place + 1;
		drift[place] = 0.9 * drift[place] + 0.06 * normal();
		put(i, 0, 1000 * exp(0.02 * normal()), true);
		double common = 0.15 * normal() + drift[place];

		for (uint32_t e = 1; e < N_COUNTED; e++)
			put(i, e,
				data.values[(size_t)i * N_COUNTED] * level[place][e] *
					exp(common + 0.05 * normal()),
				(e - 1) / 2 == i % N_GROUPS);
	}
}

struct tally {
	uint32_t n, n_inside;
	double bars, errors; /* sums, relative to the truth */
};

static void judge(struct tally *tally, double estimate, double truth, const float *changes)
{
	double bar = 2 * sqrt(ep_replica_variance(changes));

	tally->n++;
	tally->n_inside += fabs(estimate - truth) <= bar;
	tally->bars += bar / fabs(truth);
	tally->errors += fabs(estimate - truth) / fabs(truth);
}

/* Counts, and the ratio of two events of one group. */
static void judge_place(uint64_t place, struct tally *counts, struct tally *ratios)
{
	for (uint32_t e = 1; e < N_COUNTED; e += 2) {
		float a[EP_N_REPLICAS], b[EP_N_REPLICAS], ratio[EP_N_REPLICAS];
		double truth_a, truth_b, sum_a = sum_of(place, e, &truth_a, a),
					 sum_b = sum_of(place, e + 1, &truth_b, b);

		judge(counts, sum_a, truth_a, a);
		for (int j = 0; j < EP_N_REPLICAS; j++)
			ratio[j] = (float)((sum_a + a[j]) / (sum_b + b[j]) - sum_a / sum_b);
		judge(ratios, sum_a / sum_b, truth_a / truth_b, ratio);
	}
}

static void print_tally(const char *of, const struct tally *t)
{
	printf("# %s: %.1f %% of %u bars hold; bar %.1f %%, error %.1f %%\n", of,
		100.0 * t->n_inside / t->n, t->n, 100 * t->bars / t->n, 100 * t->errors / t->n);
}

static bool holds_often(const char *of, const struct tally *t)
{
	print_tally(of, t);
	return t->n_inside >= 0.93 * t->n && t->n_inside <= 0.995 * t->n;
}

TEST(intervals_hold_95_times_of_100)
{
	struct tally whole = { 0 }, places = { 0 }, whole_ratios = { 0 }, place_ratios = { 0 };

	for (uint64_t seed = 1; seed <= 80; seed++) {
		simulate(seed, 300 + 7 * (uint32_t)seed);
		fill();
		judge_place(0, &whole, &whole_ratios);
		for (uint64_t place = 1; place <= N_PLACES; place++)
			judge_place(place, &places, &place_ratios);
	}
	CHECK(holds_often("counts of the run", &whole));
	CHECK(holds_often("counts of a place", &places));
	CHECK(holds_often("ratios of the run", &whole_ratios));
	CHECK(holds_often("ratios of a place", &place_ratios));
	/* Measured in the same slices: the bars know it. */
	CHECK(place_ratios.bars < 0.6 * places.bars);
}

/* Slices from on, as a stretch of their own. */
static struct ep_stretch piece_of(uint32_t from, uint32_t n_slices)
{
	size_t at = (size_t)from * stretch.n_events;

	return (struct ep_stretch){ n_slices, stretch.n_events, data.cpu_us + from,
		data.values + at, data.state + at, data.variances + at, data.quality,
		data.places + from, data.sites + from, data.changes + at, false };
}

/* Some slices at a time, each place measured once or twice in them: alone, or with all that the
 * process measured. */
static struct tally fill_in_pieces(uint64_t seed, bool together)
{
	enum { SLICES = 60 };
	struct ep_fill_events events = {
		.n_events = N_COUNTED, .names = (const char **)names, .always = always
	};
	void *process = ep_filler_path.process_create(&events);
	struct tally counts = { 0 }, ratios = { 0 };

	simulate(seed, 50 * SLICES);
	for (uint32_t from = 0; together && from < stretch.n_slices; from += SLICES) {
		struct ep_stretch piece = piece_of(from, SLICES);

		ep_filler_path.learn(process, &piece);
	}
	for (uint32_t from = 0; from < stretch.n_slices; from += SLICES) {
		struct ep_stretch piece = piece_of(from, SLICES);

		if (!together) {
			ep_filler_path.process_destroy(process);
			process = ep_filler_path.process_create(&events);
		}
		piece.n_learnt = together ? SLICES : 0;
		ep_filler_path.fill(process, &piece);
	}
	ep_filler_path.process_destroy(process);
	for (uint64_t place = 1; place <= N_PLACES; place++)
		judge_place(place, &counts, &ratios);
	return counts;
}

static void add_tally(struct tally *sum, const struct tally *tally)
{
	sum->n += tally->n;
	sum->n_inside += tally->n_inside;
	sum->bars += tally->bars;
	sum->errors += tally->errors;
}

TEST(stretches_of_a_process_know_of_each_other)
{
	struct tally alone = { 0 }, together = { 0 };

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct tally a = fill_in_pieces(seed, false), t = fill_in_pieces(seed, true);

		add_tally(&alone, &a);
		add_tally(&together, &t);
	}
	print_tally("alone", &alone);
	print_tally("together", &together);
	CHECK(together.n_inside >= 0.93 * together.n);
	CHECK(together.errors < alone.errors / 3);
	CHECK(together.bars < alone.bars / 3);
}
