// SPDX-License-Identifier: BSD-3-Clause
/* The trace's bins to the report's: no time is lost, and each part lies where it was. */
#include "tests/unit/test.h"

#include "reporter/facts/builder.h"

enum { N_BINS = 4, MS = 1000 /* microseconds */ };

static struct ep_report report;
static const struct ep_report_options options = { .n_bins = N_BINS };
static struct ep_builder builder;
static double out[N_BINS];

/* A run from 0 to end_us, or what is shown of it from from_us on. */
static void start(uint64_t from_us, uint64_t end_us)
{
	report = (struct ep_report){ .from_s = (double)from_us / 1e6 };
	builder = (struct ep_builder){ .options = &options,
		.report = &report,
		.birth_ns = 5000000000,
		.from_us = from_us,
		.end_us = end_us };
	ep_build_bins(&builder);
	memset(out, 0, sizeof(out));
}

/* Bins of width_us from start_us after the run's begin (may be before it). */
static void add(int64_t start_us, uint64_t width_us, double *cpu_us, uint32_t n)
{
	const struct ep_timeline timeline = {
		.start_us = (uint64_t)(5000000 + start_us),
		.width_us = width_us,
		.cpu_us = cpu_us,
		.n_bins = n,
	};

	ep_resample(&builder, &timeline, 1, out);
}

static void check(const double expected[N_BINS])
{
	for (int i = 0; i < N_BINS; i++)
		CHECK_MSG(fabs(out[i] - expected[i]) < 1e-9, "bin %d is %g, expected %g", i, out[i],
			expected[i]);
}

TEST(bins_cut_the_run_into_equal_parts)
{
	start(0, 8 * MS - 1);
	CHECK_INT(report.n_bins, N_BINS);
	CHECK_CLOSE(report.bin_s, 0.002, 1e-12);
	start(4 * MS, 8 * MS - 1);
	CHECK_CLOSE(report.bin_s, 0.001, 1e-12);
	start(0, 0); /* nothing has an end: no run to cut */
	CHECK_INT(report.n_bins, 0);
}

TEST(time_is_shared_by_the_bins_it_lies_in)
{
	start(0, 8 * MS - 1);
	add(0, 4 * MS, (double[]){ 100, 60 }, 2);
	check((double[]){ 50, 50, 30, 30 });
	start(0, 8 * MS - 1);
	add(1 * MS, 2 * MS, (double[]){ 8, 6, 4 }, 3); /* each over the border of two */
	check((double[]){ 4, 4 + 3, 3 + 2, 2 });
}

/* Bins begin at round times: those at the run's ends reach beyond it. */
TEST(what_lies_beyond_the_run_belongs_into_it)
{
	start(0, 8 * MS - 1);
	add(-1 * MS, 2 * MS, (double[]){ 10 }, 1);
	check((double[]){ 10, 0, 0, 0 });
	start(0, 8 * MS - 1);
	add(7 * MS, 4 * MS, (double[]){ 10 }, 1);
	check((double[]){ 0, 0, 0, 10 });
	start(0, 8 * MS - 1);
	add(9 * MS, 1 * MS, (double[]){ 10 }, 1);
	check((double[]){ 0, 0, 0, 10 });
}

/* A report of a part of the run does not show what came before. */
TEST(what_lies_before_the_part_is_left_out)
{
	start(4 * MS, 8 * MS - 1);
	add(0, 2 * MS, (double[]){ 100, 100 }, 2);
	check((double[]){ 0, 0, 0, 0 });
	start(4 * MS, 8 * MS - 1);
	add(3 * MS, 2 * MS, (double[]){ 10, 4 }, 2);
	check((double[]){ 5, 2, 2, 0 });
}

/* Floating-point instructions inside valgrind are counted for the whole run alone, after the events of the timeline. */
TEST(an_event_without_timeline_has_no_rate)
{
	double cpu_us[] = { 4 * MS, 4 * MS }, counts[] = { 30, 50 };
	struct ep_report_event events[2] = { { .name = "cycles" }, { .name = "fp" } };
	struct ep_trace trace = { .timeline = { .start_us = 5000000,
					  .width_us = 4 * MS,
					  .n_bins = 2,
					  .n_events = 1,
					  .cpu_us = cpu_us,
					  .counts = counts } };

	start(0, 8 * MS - 1);
	report.events = events;
	report.n_events = 2;
	builder.trace = &trace;
	ep_build_timeline(&builder);
	CHECK(events[0].rate && !events[1].rate);
	CHECK_CLOSE(events[0].rate ? events[0].rate[0] * report.bin_s : 0, 15, 1e-9);
	free(events[0].rate);
	free(events[1].rate);
	free(report.cpus_busy);
}
