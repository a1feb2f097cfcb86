// SPDX-License-Identifier: BSD-3-Clause
/*
 * Phases of made series whose borders are known: windows of samples drawn by chance from each phase's mix
 * of procedures, and rates with noise. Seeds are fixed: a run is as the one before.
 */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "reporter/phases/segment.h"

enum { N_SHARES = 6, N_RATES = 2, N_SEEDS = 20, MOST_WINDOWS = 2000, MOST_KINDS = 5 };

/* Where the program runs, in parts of 1, and how quickly. */
struct nature {
	double mix[N_SHARES];
	double rates[N_RATES];
};

static const struct nature natures[MOST_KINDS] = {
	{ { 0.9, 0.1, 0, 0, 0, 0 }, { 1, 2.0 } },
	{ { 0.1, 0.2, 0.7, 0, 0, 0 }, { 1, 0.5 } },
	{ { 0, 0, 0.2, 0.5, 0.3, 0 }, { 1, 1.2 } },
	{ { 0, 0, 0, 0.1, 0.4, 0.5 }, { 2, 0.8 } },
	{ { 0.5, 0.5, 0, 0, 0, 0 }, { 1, 3.0 } },
};

static const double least_scatters[N_RATES] = { 0.5, 0.05 };

struct series {
	struct ep_window_series windows;
	double shares[MOST_WINDOWS * N_SHARES], rates[MOST_WINDOWS * N_RATES];
	uint32_t borders[MOST_WINDOWS], n_borders;
	uint64_t state;
};

static double uniform(struct series *s)
{
	s->state = s->state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(s->state >> 11) * 0x1p-53;
}

static double normal(struct series *s)
{
	return sqrt(-2 * log(1 - uniform(s))) * cos(2 * M_PI * uniform(s));
}

static void add_sample(struct series *s, double *shares, const struct nature *nature)
{
	double at = uniform(s);
	uint32_t i = 0;

	while (i + 1 < N_SHARES && at >= nature->mix[i])
		at -= nature->mix[i++];
	shares[i]++;
}

/* n windows of a few samples each; has_rates: counted, with a tenth of noise. */
static void add_phase(struct series *s, const struct nature *nature, uint32_t n, bool has_rates)
{
	struct ep_window_series *w = &s->windows;

	if (w->n_windows)
		s->borders[s->n_borders++] = w->n_windows;
	for (uint32_t k = 0; k < n; k++, w->n_windows++) {
		for (int i = 0; i < 2; i++)
			add_sample(s, s->shares + (size_t)w->n_windows * N_SHARES, nature);
		for (int i = 0; i < N_RATES; i++)
			s->rates[(size_t)w->n_windows * N_RATES + i] =
				has_rates || i == 0 ? nature->rates[i] * (1 + 0.1 * normal(s))
						    : NAN;
	}
}

static void begin(struct series *s, uint32_t seed)
{
	memset(s, 0, sizeof(*s));
	s->windows = (struct ep_window_series){ 0, N_SHARES, N_RATES, s->shares, s->rates,
		least_scatters };
	s->state = seed * 2654435761u + 12345;
	for (int i = 0; i < 8; i++)
		uniform(s);
}

/* Does each border lie within two windows of its place, and is there none between? */
static bool has_borders(const struct series *s, const struct ep_segmentation *found)
{
	if (found->n_stretches != s->n_borders + 1)
		return false;
	for (uint32_t i = 0; i < s->n_borders; i++)
		if (labs((long)found->stretches[i + 1].from - (long)s->borders[i]) > 2)
			return false;
	return true;
}

struct verdict {
	uint32_t n_numbers, n_borders; /* seeds with the right number of kinds, and of borders */
};

/* n_turns of n_kinds phases of length windows each, in turn. */
static struct verdict judge(uint32_t n_kinds, uint32_t length, uint32_t n_turns, bool has_rates)
{
	static struct series s;
	struct verdict verdict = { 0 };

	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		struct ep_segmentation found = { 0 };

		begin(&s, seed);
		for (uint32_t i = 0; i < n_kinds * n_turns; i++)
			add_phase(&s, &natures[i % n_kinds], length, has_rates);
		CHECK_INT(ep_segment(&s.windows, &found), 0);
		verdict.n_numbers += found.n_kinds == n_kinds;
		verdict.n_borders += has_borders(&s, &found);
		ep_segmentation_finish(&found);
	}
	return verdict;
}

/* Windows of 4 to 20 ms: phases of 50 ms to 8 s and more, once and in turn. */
TEST(known_phases_are_found)
{
	static const struct {
		uint32_t n_kinds, length, n_turns;
	} rows[] = {
		{ 1, 20, 1 },
		{ 1, 200, 1 },
		{ 1, 800, 1 },
		{ 2, 12, 1 },
		{ 2, 100, 1 },
		{ 2, 400, 1 },
		{ 2, 12, 20 },
		{ 2, 60, 10 },
		{ 3, 12, 1 },
		{ 3, 100, 1 },
		{ 3, 300, 1 },
		{ 3, 12, 20 },
		{ 3, 30, 10 },
		{ 5, 12, 1 },
		{ 5, 50, 1 },
		{ 5, 150, 1 },
		{ 5, 12, 10 },
		{ 5, 30, 6 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct verdict v = judge(rows[i].n_kinds, rows[i].length, rows[i].n_turns, true);

		printf("# %u phases of %u windows, %u times: number right in %u, borders in %u of %d\n",
			rows[i].n_kinds, rows[i].length, rows[i].n_turns, v.n_numbers, v.n_borders,
			N_SEEDS);
		CHECK_MSG(v.n_numbers >= 19, "row %zu: number right in %u of %d", i, v.n_numbers,
			N_SEEDS);
		CHECK_MSG(v.n_borders >= 19, "row %zu: borders right in %u of %d", i, v.n_borders,
			N_SEEDS);
	}
}

/* Without counts, and with irregular lengths: which phase comes next, and for how long, is drawn. */
TEST(irregular_phases_are_found_without_counts)
{
	static struct series s;
	uint32_t n_right = 0;

	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		struct ep_segmentation found = { 0 };
		uint32_t last = 3;

		begin(&s, seed);
		for (int i = 0; i < 12; i++) {
			uint32_t next = i < 3 ? (uint32_t)i : (uint32_t)(3 * uniform(&s));

			next = next == last ? (next + 1) % 3 : next;
			last = next;
			add_phase(&s, &natures[next], 15 + (uint32_t)(150 * uniform(&s)), false);
		}
		CHECK_INT(ep_segment(&s.windows, &found), 0);
		n_right += found.n_kinds == 3 && has_borders(&s, &found);
		ep_segmentation_finish(&found);
	}
	CHECK_MSG(n_right >= 19, "%u of %d", n_right, N_SEEDS);
}

/* Procedures take turns of some windows at random: all of it is one phase, with samples in runs. */
TEST(turns_without_order_are_no_phases)
{
	static const struct nature pure[3] = { { { 1 }, { 1, 1 } }, { { 0, 1 }, { 1, 1 } },
		{ { 0, 0, 1 }, { 1, 1 } } };
	static struct series s;
	uint32_t n_right = 0;

	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		struct ep_segmentation found = { 0 };

		begin(&s, seed);
		while (s.windows.n_windows < 800)
			add_phase(&s, &pure[(int)(3 * uniform(&s))], 1, true);
		CHECK_INT(ep_segment(&s.windows, &found), 0);
		n_right += found.n_kinds == 1 && found.n_stretches == 1;
		ep_segmentation_finish(&found);
	}
	CHECK_MSG(n_right >= 19, "%u of %d", n_right, N_SEEDS);
}

TEST(what_is_too_short_or_empty)
{
	static struct series s;
	struct ep_segmentation found = { 0 };

	for (uint32_t n = 0; n < 8; n++) {
		begin(&s, 1);
		add_phase(&s, &natures[0], n, true);
		CHECK_INT(ep_segment(&s.windows, &found), 0);
		CHECK_INT(found.n_stretches, n > 0);
		CHECK_INT(found.n_kinds, n > 0);
		ep_segmentation_finish(&found);
	}
	begin(&s, 1);
	s.windows.n_windows = 500; /* no sample, and rates of 0 */
	CHECK_INT(ep_segment(&s.windows, &found), 0);
	CHECK_INT(found.n_kinds, 1);
	ep_segmentation_finish(&found);
}

static uint32_t repeats_of(const char *kinds, struct ep_repeat *out)
{
	struct ep_stretch_of_windows stretches[64];
	struct ep_segmentation of = { stretches, 0, 0 };

	for (; kinds[of.n_stretches]; of.n_stretches++)
		stretches[of.n_stretches].kind = (uint32_t)(kinds[of.n_stretches] - 'A');
	return ep_repeats_find(&of, out);
}

TEST(iterations_are_folded)
{
	static const struct {
		const char *kinds;
		uint32_t n, lengths[4], turns[4];
	} rows[] = {
		{ "", 0, { 0 }, { 0 } },
		{ "A", 1, { 1 }, { 1 } },
		{ "ABAB", 4, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } },
		{ "ABABAB", 1, { 2 }, { 3 } },
		{ "ABCBCBCBCD", 3, { 1, 2, 1 }, { 1, 4, 1 } },
		{ "ABCABCABCAB", 3, { 3, 1, 1 }, { 3, 1, 1 } },
		{ "ABABABCDCDCDC", 3, { 2, 2, 1 }, { 3, 3, 1 } },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_repeat found[64];
		uint32_t n = repeats_of(rows[i].kinds, found), next = 0;

		CHECK_MSG(n == rows[i].n, "%s: %u", rows[i].kinds, n);
		for (uint32_t k = 0; k < n; k++) {
			CHECK_INT(found[k].first, next);
			CHECK_INT(found[k].length, rows[i].lengths[k]);
			CHECK_INT(found[k].n_turns, rows[i].turns[k]);
			next += found[k].length * found[k].n_turns;
		}
	}
}
