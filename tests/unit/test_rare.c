// SPDX-License-Identifier: BSD-3-Clause
/* Totals of events with few counts: bursts are believed where a program starts. */
#include "reporter/estimate/rare.h"

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "tests/unit/test.h"

enum { N_SLICES = 240, N_EVENTS = 6, FIRST_ROTATED = 2 };

static const char *const names[N_EVENTS] = { "CYCLES", "INSTR", "L1I_MISS", "LLI_MISS", "L1D_LOADS",
	"BR_COND" };
static const unsigned char always[N_EVENTS] = { 1, 1, 0, 0, 0, 0 };

static struct {
	double counts[N_SLICES * N_EVENTS];
	unsigned char measured[N_SLICES * N_EVENTS];
	struct ep_series series;
} made;

/* As good as random, 16 bits. */
static uint32_t chance_of(size_t t)
{
	return (uint32_t)(t * 2654435761u >> 16 & 0xffff);
}

/* One to five misses in one of twenty slices. */
static double misses_of(size_t t)
{
	return chance_of(t) % 20 == 3 ? 1 + chance_of(t) / 20 % 5 : 0;
}

/* A steady program with few misses of instructions. first_work: instructions of the first slice, in
 * which a start loads and relocates. The misses take turns with loads and branches, which have the
 * first slice. */
static void make(double first_work)
{
	for (size_t t = 0; t < N_SLICES; t++) {
		double work = t ? 9e5 + 1e3 * (double)(t * 7 % 11) : first_work;
		double loads = 2e5 + chance_of(t) % 50000, misses = misses_of(t);
		double row[N_EVENTS] = { 1e6, work, misses, misses, loads, floor(loads / 2) };

		for (size_t e = 0; e < N_EVENTS; e++) {
			made.counts[t * N_EVENTS + e] = row[e];
			made.measured[t * N_EVENTS + e] = always[e] || (e < 4) == (t % 2 == 1);
		}
	}
	made.series = (struct ep_series){ N_SLICES, N_EVENTS, names, made.counts, made.measured,
		always, 0, 1 };
}

static bool sees_start(double first_work)
{
	struct ep_grid grid = { 0 };
	bool does;

	make(first_work);
	CHECK_INT(ep_grid_init(&grid, &made.series), 0);
	does = ep_start_is_in_sight(&grid);
	ep_grid_finish(&grid);
	return does;
}

TEST(a_start_shows_in_how_little_work_is_done)
{
	CHECK(sees_start(3e5));
	CHECK(!sees_start(9e5));
	CHECK(!sees_start(8e5)); /* a little less is the program's own */
}

TEST(without_a_clock_nothing_tells)
{
	struct ep_grid grid = { 0 };

	make(9e5);
	made.series.work = -1;
	CHECK_INT(ep_grid_init(&grid, &made.series), 0);
	CHECK(ep_start_is_in_sight(&grid));
	ep_grid_finish(&grid);
	CHECK_INT(ep_grid_init_rates(&grid, &made.series), 0);
	CHECK(ep_start_is_in_sight(&grid));
	ep_grid_finish(&grid);
}

TEST(what_is_rare)
{
	struct ep_grid grid = { 0 };

	make(9e5);
	CHECK_INT(ep_grid_init(&grid, &made.series), 0);
	CHECK(ep_event_is_rare(&grid, FIRST_ROTATED));
	CHECK(!ep_event_is_rare(&grid, N_EVENTS - 1));
	ep_grid_finish(&grid);
}

static struct ep_event_fit fit_of(size_t event, const char *estimator)
{
	struct ep_fit_options options = { .estimator = estimator };
	struct ep_fit *fit = NULL;
	struct ep_event_fit out;

	CHECK_INT(ep_fit(&made.series, &options, &fit, NULL), 0);
	out = ep_fit_event(fit, event);
	ep_fit_destroy(fit);
	return out;
}

/* Some 40 misses; the networks made 890 of them, since they saw a part of a run begin. */
TEST(no_burst_is_made_up_in_a_part_of_a_run)
{
	double truth = 0;

	make(9e5);
	for (size_t t = 0; t < N_SLICES; t++)
		truth += misses_of(t);
	for (size_t e = FIRST_ROTATED; e < 4; e++) {
		struct ep_event_fit by_auto = fit_of(e, "auto"), by_linear = fit_of(e, "linear");

		CHECK_STR(by_auto.estimator, "linear");
		CHECK_CLOSE(by_auto.total, by_linear.total, 1e-9);
		CHECK_MSG(
			by_auto.total < 2 * truth, "%s: %g for %g", names[e], by_auto.total, truth);
		CHECK(fabs(by_auto.total - truth) <= 1.96 * by_auto.total_error);
		CHECK(by_auto.total_error > by_linear.total_error);
	}
}

/* A network's knowledge of starts stays, where the first slice of a program was not measured. */
TEST(a_burst_is_put_where_a_program_starts)
{
	make(3e5);
	CHECK(strcmp(fit_of(FIRST_ROTATED, "auto").estimator, "linear"));
}
