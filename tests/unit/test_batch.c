// SPDX-License-Identifier: BSD-3-Clause
/* The slices of a thread that a filler sees, and where its results go. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/pieces.h"

/* ---- the filler ---- */

static struct {
	uint32_t n_slices;
	double cpu_us[MOST], values[MOST * E], variances[MOST * E];
	uint8_t state[MOST * E];
	uint64_t places[MOST], sites[MOST];
	bool has_places;
} seen;

static void fill(void *thread, struct ep_stretch *s)
{
	size_t n = (size_t)s->n_slices * E;

	seen.n_slices = s->n_slices;
	memcpy(seen.cpu_us, s->cpu_us, s->n_slices * sizeof(*s->cpu_us));
	memcpy(seen.values, s->values, n * sizeof(*s->values));
	memcpy(seen.variances, s->variances, n * sizeof(*s->variances));
	memcpy(seen.state, s->state, n);
	seen.has_places = s->places != NULL;
	if (!seen.has_places)
		return;
	memcpy(seen.places, s->places, s->n_slices * sizeof(*s->places));
	memcpy(seen.sites, s->sites, s->n_slices * sizeof(*s->sites));
}

/* The gaps of a: 7 each, and of two replicas; those of b stay. */
static void fill_a(void *thread, struct ep_stretch *s)
{
	fill(thread, s);
	for (uint32_t i = 0; i < s->n_slices; i++) {
		size_t at = (size_t)i * E + 1;

		if (s->state[at] != EP_VALUE_MISSING)
			continue;
		s->state[at] = EP_VALUE_FILLED;
		s->values[at] = 7;
		s->variances[at] = 4;
		s->changes[at] = (struct ep_value_change){ { 1, -2, 0.5f }, { 3, 16, 3 } };
	}
	s->has_changes = true;
	s->quality[1] = (struct ep_fill_quality){ "own", 0.25 * s->n_slices, 9, 2 };
}

static struct ep_filler_ops filler_of(void (*function)(void *, struct ep_stretch *), bool places)
{
	struct ep_filler_ops filler = ep_filler_fixed;

	filler.fill = function;
	filler.uses_places = places;
	return filler;
}

static struct ep_trace *load(const struct ep_filler_ops *filler, uint32_t n)
{
	struct ep_trace *trace = NULL;

	CHECK_INT(load_pieces(filler, &(struct piece){ 100, 0, n, false }, 1, &trace), 0);
	return trace;
}

TEST(a_slice_shows_what_its_group_measured)
{
	static const double expected[2 * E] = { 10, 20, 0, 10, 0, 30 };
	static const uint8_t states[2 * E] = { 1, 1, 0, 1, 0, 1 };
	struct ep_filler_ops filler = filler_of(fill, false);

	make(2);
	rows[1].cpu_us = 500;
	ep_trace_destroy(load(&filler, 2));
	CHECK_INT(seen.n_slices, 2);
	CHECK_CLOSE(seen.cpu_us[0], 1000, 0);
	CHECK_CLOSE(seen.cpu_us[1], 500, 0);
	for (size_t at = 0; at < 2 * E; at++) {
		CHECK_CLOSE(seen.values[at], expected[at], 0);
		CHECK_INT(seen.state[at] == EP_VALUE_MEASURED, states[at]);
	}
	CHECK(!seen.has_places);
}

TEST(what_did_not_count_is_missing)
{
	struct ep_filler_ops filler = filler_of(fill, false);
	struct ep_trace *trace;

	make(6);
	rows[0].flags = EP_SAMPLE_NOT_RUN;
	rows[1].idle_us = 1000;         /* somebody else had the PMU all the time */
	values[2 * E + 1] = 1ull << 63; /* no count */
	values[3 * E + 2] = UINT64_MAX;
	values[4 * E + 2] = UINT64_MAX; /* of the other group: nobody looks */
	trace = load(&filler, 6);
	for (size_t at = 0; at < 2 * E; at++)
		CHECK_INT(seen.state[at], EP_VALUE_MISSING);
	CHECK_INT(seen.state[2 * E], EP_VALUE_MEASURED);
	CHECK_INT(seen.state[2 * E + 1], EP_VALUE_MISSING);
	CHECK_INT(seen.state[3 * E + 2], EP_VALUE_MISSING);
	CHECK_INT(seen.state[4 * E + 1], EP_VALUE_MEASURED);
	CHECK_INT(trace->loss.n_bad_counts, 2);
	CHECK_INT(trace->loss.n_not_run, 2);
	CHECK_INT(trace->loss.idle_us, 1000);
	ep_trace_destroy(trace);
}

/* Another user had the PMU for a part, which takes the rate of the slices around, by their time
 * together. */
TEST(what_was_not_counted_is_added_at_the_rate_around)
{
	struct ep_filler_ops filler = filler_of(fill, false);
	struct ep_trace *trace;
	double rate, squares;

	make(5);
	rows[2].idle_us = 400;
	values[0] = 40;
	values[4 * E] = 1ull << 63; /* no count, no rate */
	trace = load(&filler, 5);
	rate = (40 + 3 * 10) / 3600.0;
	squares = (40 * 40 / 1000.0 + 2 * 100 / 1000.0 + 100 / 600.0) / 3600;
	CHECK_CLOSE(seen.values[2 * E], 10 + 400 * rate, 1e-12);
	CHECK_CLOSE(seen.variances[2 * E], 400 * 400 * (squares - rate * rate), 1e-9);
	CHECK_CLOSE(seen.values[2 * E + 1], 20 + 400 * 60 / 2600.0, 1e-12);
	CHECK_CLOSE(seen.values[E], 10, 0);
	CHECK(trace->events[0].is_scaled);
	CHECK(!trace->events[2].is_scaled);
	CHECK_CLOSE(trace->events[0].variance, seen.variances[2 * E], 1e-12);
	CHECK_CLOSE(trace->events[0].sum.measured, 70, 0);
	CHECK_CLOSE(trace->events[0].sum.filled, 400 * rate, 1e-9);
	ep_trace_destroy(trace);
}

TEST(places_are_call_sites_with_a_piece_of_code)
{
	static const uint32_t leaves[] = { 2, 3, 4, 6, 6, 2, 2 };
	struct ep_filler_ops filler = filler_of(fill, true);

	make(7);
	for (size_t i = 0; i < EP_ARRAY_SIZE(leaves); i++)
		rows[i].node_idx = leaves[i];
	ep_trace_destroy(load(&filler, 7));
	CHECK(seen.has_places);
	CHECK(seen.sites[0] == seen.sites[1] && seen.sites[0] == seen.sites[2]);
	CHECK(seen.sites[3] == seen.sites[4] && seen.sites[3] != seen.sites[0]);
	CHECK(seen.places[0] == seen.places[1]); /* 0x2000 and 0x20f0 */
	CHECK(seen.places[0] != seen.places[2]); /* 0x2100 */
	CHECK(seen.places[4] != seen.places[0]); /* the same code from another site */
	/* began elsewhere: a place of its own, the same there and back, for both have counts of
	 * both */
	CHECK(seen.places[3] != seen.places[4] && seen.places[5] != seen.places[6]);
	CHECK(seen.places[3] == seen.places[5]);
	CHECK(seen.places[6] == seen.places[0]);
}

TEST(what_the_filler_says_is_added_up)
{
	struct ep_filler_ops filler = filler_of(fill_a, true);
	struct ep_trace *trace;
	const struct ep_event_info *a, *b;
	const struct ep_sums *of_path;

	make(5);
	rows[3].node_idx = 6;
	trace = load(&filler, 5); /* a in slices 0, 2, 4 */
	a = &trace->events[1];
	b = &trace->events[2];
	CHECK_INT(a->n_slices, 5);
	CHECK_INT(a->n_slices_measured, 3);
	CHECK_CLOSE(a->sum.measured, 60, 0);
	CHECK_CLOSE(a->sum.filled, 14, 0);
	CHECK_CLOSE(a->sum.variance, 8, 0);
	CHECK_CLOSE(a->sum.squares, 3 * 400 + 2 * 49, 0);
	CHECK_INT(a->sum.measured_us, 3000);
	CHECK_INT(a->sum.filled_us, 2000);
	CHECK_CLOSE(a->changes[3], 3, 0);
	CHECK_CLOSE(a->changes[16], -4, 0);
	CHECK_CLOSE(a->changes[0], 0, 0);
	CHECK(a->has_changes);
	CHECK_STR(a->estimator, "own");
	CHECK_CLOSE(a->holdout_error / (double)a->holdout_slices, 0.25 * 5, 1e-12);
	CHECK_CLOSE(a->variance, 9, 0);
	CHECK_INT(a->n_outliers, 2);
	CHECK(!b->estimator);
	CHECK_INT(b->sum.missing_us, 3000);
	CHECK_INT(b->sum.filled_us, 0);
	of_path = &trace->costs[1].sums; /* slice 3's */
	CHECK_CLOSE(of_path->rows[1].filled, 7, 0);
	CHECK_CLOSE(of_path->replicas[EP_N_REPLICAS + 3], 1.5, 0);
	CHECK_CLOSE(of_path->replicas[EP_N_REPLICAS + 16], -2, 0);
	CHECK_CLOSE(of_path->rows[2].measured, 30, 0);
	ep_trace_destroy(trace);
}

/* A slice that the scheduler ended has the kernel's time where it was spent. */
TEST(late_slices_at_the_schedulers_ticks_are_whole)
{
	struct ep_filler_ops filler = filler_of(fill, false);
	struct ep_trace *trace;

	make(4);
	rows[1].flags = EP_SAMPLE_AT_SCHEDULERS_TICK;
	rows[1].cpu_us = rows[3].cpu_us = 3000;
	rows[1].wall_us = rows[3].wall_us = 3000;
	trace = load(&filler, 4);
	CHECK_INT(trace->n_at_schedulers_ticks, 1);
	CHECK_INT(trace->threads[0].cost.cpu_us, 6000);
	CHECK_INT(trace->threads[0].cost.hidden_us, 2000);
	ep_trace_destroy(trace);
}

TEST(time_and_flags_are_counted)
{
	struct ep_filler_ops filler = filler_of(fill, false);
	struct ep_trace *trace;

	make(4);
	rows[1].flags = EP_SAMPLE_DEEP | EP_SAMPLE_INCOMPLETE;
	rows[2].flags = EP_SAMPLE_BROKEN;
	rows[3].cpu_us = 3000; /* three periods of a clock that sees user mode only */
	rows[3].wall_us = 5000;
	trace = load(&filler, 4);
	CHECK_INT(trace->loss.n_cut_stacks, 1);
	CHECK_INT(trace->loss.n_incomplete, 1);
	CHECK_INT(trace->loss.n_broken_stacks, 1);
	CHECK_INT(trace->loss.n_not_run, 0);
	CHECK_INT(trace->threads[0].cost.n_samples, 4);
	CHECK_INT(trace->threads[0].cost.cpu_us, 4000);
	CHECK_INT(trace->threads[0].cost.hidden_us, 2000);
	CHECK_INT(trace->threads[0].wall_us, 8000);
	CHECK_INT(trace->costs[0].cost.cpu_us, 4000);
	CHECK_INT(trace->costs[0].cost.hidden_us, 0);
	ep_trace_destroy(trace);
}
