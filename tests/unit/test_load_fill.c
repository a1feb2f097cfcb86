// SPDX-License-Identifier: BSD-3-Clause
/* The loader's use of estimates: sums of measured and filled counts, and their errors. */
#include "tests/unit/test.h"

#include <math.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/symbolize.h"
#include "tests/unit/two_groups.h"

TEST(unmeasured_slices_are_filled_and_marked)
{
	struct ep_trace *trace;
	struct ep_event_sum *sum;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	put_slices(10, 1, 0, 1000);
	trace = finish_trace();
	sum = &trace->events[1].sum;
	CHECK_INT(trace->events[1].n_slices, 10);
	CHECK_INT(trace->events[1].n_slices_measured, 5);
	CHECK_CLOSE(sum->measured, 100, 0);
	CHECK_CLOSE(sum->filled, 100, 1e-12);
	CHECK_INT(sum->measured_us, 5000);
	CHECK_INT(sum->filled_us, 5000);
	CHECK_INT(sum->missing_us, 0);
	CHECK_CLOSE(trace->events[0].sum.measured, 100, 0);
	CHECK_CLOSE(trace->events[0].sum.filled, 0, 0);
	/* held rates come without an error: not known, and not 0 */
	CHECK_STR(trace->events[1].estimator, "hold");
	CHECK(isnan(trace->events[1].variance));
	CHECK_INT(trace->events[1].holdout_slices, 0);
	CHECK(!trace->events[0].estimator);
	ep_trace_destroy(trace);
}

/* Another user of the PMU had it for half of a slice beside one that took no time at all: the rest
 * before a thread's end can be below a microsecond. */
TEST(a_slice_of_no_time_makes_no_infinite_error)
{
	struct ep_sample rows[] = {
		{ .cpu_us = 1000, .wall_us = 1000, .node_idx = 1, .group = 0 },
		{ .cpu_us = 1000, .wall_us = 1000, .node_idx = 1, .group = 0, .idle_us = 500 },
		{ .cpu_us = 0, .wall_us = 0, .node_idx = 1, .group = 0 },
	};
	uint64_t values[9] = { 10, 20, 0, 5, 10, 0, 1, 1, 0 };
	struct ep_samples samples = { 0, 1, 3, 0, rows, values };
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	trace_put_samples(&writer, &groups, &samples, 0);
	trace = finish_trace();
	CHECK(trace->events[0].is_scaled);
	/* 16 counts in 1500 us, for 500 more */
	CHECK_CLOSE(trace->events[0].sum.filled, 500 * 16.0 / 1500, 1e-12);
	CHECK_MSG(isfinite(trace->events[0].sum.variance), "variance %g",
		trace->events[0].sum.variance);
	ep_trace_destroy(trace);
}

static uint32_t n_stretches, longest_stretch;

static void note_stretch(void *thread, struct ep_stretch *stretch)
{
	n_stretches++;
	if (stretch->n_slices > longest_stretch)
		longest_stretch = stretch->n_slices;
}

TEST(slices_wait_for_a_stretch_that_the_filler_likes)
{
	static const struct {
		uint32_t n_slices, n_most, n_stretches, longest;
	} rows[] = { { 0, 0, 4, 5 }, { 7, 7, 2, 10 }, { 7, 0, 2, 10 }, { 7, 12, 2, 15 },
		{ 7, 1000, 1, 20 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_filler_ops filler = ep_filler_fixed;
		struct ep_trace *trace;

		filler.n_slices = rows[i].n_slices;
		filler.n_slices_most = rows[i].n_most;
		filler.fill = note_stretch;
		n_stretches = longest_stretch = 0;
		start_trace();
		trace_put_meta(&writer, meta);
		put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
		for (uint32_t block = 0; block < 4; block++)
			put_slices(5, 1, 5 * block, 1000);
		trace = finish_trace_with(&filler);
		CHECK_INT(n_stretches, rows[i].n_stretches);
		CHECK_INT(longest_stretch, rows[i].longest);
		ep_trace_destroy(trace);
	}
}

TEST(sums_know_how_sure_they_are)
{
	struct ep_trace *trace;
	const struct ep_event_sum *sum;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	put_slices(10, 1, 0, 1000);
	trace = finish_trace();
	sum = &trace->costs[0].sums.rows[0]; /* of the one path: 10 in each slice, measured */
	CHECK_CLOSE(sum->variance, 0, 0);
	CHECK_CLOSE(sum->squares, 10 * 10 * 10, 0);
	sum = &trace->costs[0].sums.rows[1]; /* 20, held over five gaps: nobody knows how well */
	CHECK(isnan(sum->variance));
	CHECK_CLOSE(sum->squares, 10 * 20 * 20, 1e-12);
	ep_trace_destroy(trace);
}

static void fill_with_variance(void *thread, struct ep_stretch *stretch)
{
	for (size_t at = 0; at < (size_t)stretch->n_slices * stretch->n_events; at++) {
		if (stretch->state[at] != EP_VALUE_MISSING)
			continue;
		stretch->state[at] = EP_VALUE_FILLED;
		stretch->values[at] = 7;
		stretch->variances[at] = 4;
	}
}

/* 6 slices in one procedure, 2 in another, half of them filled: a is measured in slices 0, 2, 4, 6.
 */
static struct ep_trace *load_two_procedures(const struct ep_filler_ops *filler)
{
	static struct ep_stack_node nodes[] = { { 0, 0, 16 }, { 0, 0, 32 } };

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, nodes, 2);
	put_slices(6, 1, 0, 1000);
	put_slices(2, 2, 6, 1000);
	return finish_trace_with(filler);
}

static const struct ep_report *report_of(
	struct ep_trace *trace, struct ep_symbols *symbols, const struct ep_filler_ops *filler)
{
	const char *const paths[] = { "trace.gz", NULL };
	struct ep_report_options options = { .filler = filler, .trace_paths = paths };

	return ep_report_create(trace, symbols, &options);
}

/* Filled with 7, variance 4. */
TEST(errors_of_procedures_are_of_estimates_and_of_the_draw)
{
	struct ep_filler_ops filler = ep_filler_fixed;
	struct ep_symbols_options where = { 0 };
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;

	filler.fill = fill_with_variance;
	trace = load_two_procedures(&filler);
	CHECK_CLOSE(trace->costs[0].sums.rows[1].variance, 3 * 4, 0);
	symbols = ep_symbols_create(trace, &where);
	report = report_of(trace, symbols, &filler);
	/* without a file both are one nameless procedure, in which every sample is */
	CHECK_INT(report->procedures.n_rows, 1);
	CHECK_CLOSE(report->procedures.rows[0].values[1].count.value, 4 * 20 + 4 * 7, 0);
	CHECK_CLOSE(report->procedures.rows[0].values[1].count.error, sqrt(4 * 4), 1e-12);
	CHECK_CLOSE(report->procedures.rows[0].values[0].count.error, 0, 0);
	CHECK_CLOSE(report->threads[0].values[1].count.error, sqrt(4 * 4), 1e-12);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* Every gap is 3 off in the same replica; each stretch says that it is 1 off in all. */
static void fill_with_changes(void *thread, struct ep_stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		size_t at = (size_t)i * stretch->n_events + 1;

		if (stretch->state[at] != EP_VALUE_MISSING)
			continue;
		stretch->state[at] = EP_VALUE_FILLED;
		stretch->values[at] = 7;
		stretch->changes[at] = (struct ep_value_change){ { 3 }, { 2 } };
	}
	stretch->has_changes = true;
	stretch->quality[1] = (struct ep_fill_quality){ "own", 0.1, 1, 0 };
}

/* Two stretches: in the run they are wrong together, as in the procedure that is all of it. */
TEST(what_stretches_have_in_common_is_in_the_runs_error)
{
	const double error = 4 * 3 * sqrt(16.0 / 17);
	struct ep_filler_ops filler = ep_filler_fixed;
	struct ep_symbols_options where = { 0 };
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	const struct ep_report *report;

	filler.fill = fill_with_changes;
	filler.uses_places = true;
	filler.n_slices = 4;
	trace = load_two_procedures(&filler);
	symbols = ep_symbols_create(trace, &where);
	report = report_of(trace, symbols, &filler);
	CHECK_CLOSE(trace->events[1].variance, 2, 0);
	CHECK_CLOSE(report->procedures.rows[0].values[1].count.error, error, 1e-6);
	CHECK_CLOSE(report->events[1].error.value, error, 1e-6);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}
