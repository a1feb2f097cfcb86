// SPDX-License-Identifier: BSD-3-Clause
/* Standard errors of shares, of samples that stand for more time or for less. */
#include "tests/unit/test.h"

#include <string.h>
#include <unistd.h>

#include "reporter/facts/builder.h"
#include "reporter/run/run.h"
#include "tests/trace/writer.h"

enum { N_LARGE = 16, N_SMALL = 400, N = N_LARGE + N_SMALL, LARGE_US = 900, SMALL_US = 10 };

/* A script's processes: most are over before a tick, their last pieces are small. Of the few ticks half are in
 * one procedure, which calls the other. */
static struct ep_trace *make_trace(uint64_t large_us, uint32_t flags)
{
	static struct trace_writer writer;
	char path[] = "/tmp/evprof-share-error-XXXXXX";
	struct ep_module module = {
		.id = 1, .end = UINT64_MAX, .path = "/no/such/app", .path_size = 12
	};
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	struct ep_stack_node nodes[] = { { 0, 1, 0x1000 }, { 1, 1, 0x2000 } };
	struct ep_sample samples[N] = { { .cpu_us = 0 } };
	struct ep_samples block = { 0, 1, N, 0, samples, NULL };
	struct ep_trace *trace = NULL;
	struct ep_error err;

	for (uint32_t i = 0; i < N; i++) {
		samples[i].cpu_us = samples[i].wall_us = i < N_LARGE ? large_us : SMALL_US;
		samples[i].node_idx = 1 + (i % 2);
		samples[i].flags = flags;
	}
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n");
	trace_put_modules(&writer, &module, 1);
	trace_put_stacks(&writer, &(struct ep_stacks){ 0, 1, 1, 2, nodes });
	trace_put_samples(&writer, &groups, &block, 0);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

/* The definition: sqrt(sum w^2 (x - p)^2) / sum w. */
static double expected_error(uint64_t large_us, double p)
{
	double squares = 0, all = 0;

	for (uint32_t i = 0; i < N; i++) {
		double w = i < N_LARGE ? (double)large_us : SMALL_US, x = i % 2;

		squares += w * w * (x - p) * (x - p);
		all += w;
	}
	return sqrt(squares) / all;
}

/* The rule of three, of as many samples as would tell as much if they weighed alike. */
static double one_sided_error(uint64_t large_us)
{
	double large = (double)large_us, all = N_LARGE * large + N_SMALL * SMALL_US;
	double squares = N_LARGE * large * large + (double)N_SMALL * SMALL_US * SMALL_US;

	return 3 * squares / (all * all) / 1.96;
}

static void check_rows(uint64_t large_us, uint32_t flags, double expected)
{
	static const char *const paths[] = { "trace.gz", NULL };
	const struct ep_report_options options = {
		.n_bins = 4, .trace_paths = paths, .filler = &ep_filler_fixed
	};
	struct ep_symbols_options where = { .sysroot = "/nonexistent" };
	struct ep_trace *trace = make_trace(large_us, flags);
	struct ep_symbols *symbols = ep_symbols_create(trace, &where);
	const struct ep_report *report = ep_report_create(trace, symbols, &options);

	CHECK(report && report->modules.n_rows == 1 && report->lines.n_rows);
	if (report && report->lines.n_rows == 1) /* all code of a file that is not here is one */
		CHECK_CLOSE(report->lines.rows[0].self_error, expected, 1e-9);
	CHECK_CLOSE(report ? report->modules.rows[0].self_error : 0, expected, 1e-9);
	CHECK_CLOSE(report ? report->modules.rows[0].total_error : 0, expected, 1e-9);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

/* The sums that the paths have. */
static double error_of_leaf(uint64_t large_us)
{
	struct ep_trace *trace = make_trace(large_us, 0);
	struct ep_report report = { 0 };
	struct ep_builder builder = { .trace = trace, .report = &report };
	double squares = 0, us = 0, error;

	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path_cost *cost;

		if (trace->paths[i].cost_idx == EP_NONE)
			continue;
		cost = &trace->costs[trace->paths[i].cost_idx];
		builder.squares += cost->squares;
		report.sampled_ns += cost->cost.cpu_us * 1000;
		if (trace->paths[i].address == 0x2000) {
			squares = cost->squares;
			us = (double)cost->cost.cpu_us;
		}
	}
	error = ep_weighted_share_error(&builder, us * 1000 / (double)report.sampled_ns, squares);
	CHECK_CLOSE(ep_usual_share_error(&builder, 0.5), error, 1e-9);
	ep_trace_destroy(trace);
	return error;
}

TEST(weights_of_samples)
{
	CHECK_CLOSE(error_of_leaf(LARGE_US), expected_error(LARGE_US, 0.5), 1e-9);
	CHECK(expected_error(LARGE_US, 0.5) > 3.5 * sqrt(0.25 / N)); /* as if all weighed alike */
}

TEST(samples_that_weigh_alike)
{
	CHECK_CLOSE(error_of_leaf(SMALL_US), sqrt(0.25 / N), 1e-9);
}

TEST(what_has_all_is_not_certain)
{
	check_rows(LARGE_US, 0, one_sided_error(LARGE_US));
	check_rows(SMALL_US, 0, one_sided_error(SMALL_US));
	CHECK_CLOSE(one_sided_error(SMALL_US), 3. / N / 1.96, 1e-12);
	CHECK(one_sided_error(LARGE_US) >
		15 * one_sided_error(SMALL_US)); /* 26 samples tell as much */
}

/* A thread's end cuts a slice short: it has time and is no sample. */
TEST(nothing_that_was_drawn_has_no_error)
{
	check_rows(LARGE_US, EP_SAMPLE_CUT, 0);
}
