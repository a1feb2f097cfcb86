// SPDX-License-Identifier: BSD-3-Clause
/* The loader on traces written here: what comes out of order, recursion, clocks. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/load/load.h"
#include "reporter/report/internal.h"
#include "reporter/symbolize/symbolize.h"
#include "tests/trace/writer.h"

static char path[64];
static uint8_t two_groups[] = { 1, 2, 0, 1, 0, 2 };
static const struct ep_groups groups = {
	.n_events = 3,
	.n_groups = 2,
	.period_us = 1000,
	.holds = two_groups,
};
static const char meta[] =
	"host\tn\nperiod_ns\t1000000\nclock\ttask-clock:u\n"
	"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\nevent\t2\tb\t-\tcount\n"
	"group\t0\t0,1\ngroup\t1\t0,2\n";

static struct trace_writer writer;

static void start_trace(void)
{
	snprintf(path, sizeof(path), "/tmp/evprof-load-XXXXXX");
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
}

static struct ep_trace *finish_trace(void)
{
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	struct ep_trace *trace = NULL;
	struct ep_error err;

	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

/* n slices in node, from slice number first on; values 10, 20, 30. */
static void put_slices(uint32_t n, uint32_t node, uint64_t first, uint64_t cpu_us)
{
	EP_AUTOFREE struct ep_sample *rows = calloc(n, sizeof(*rows));
	EP_AUTOFREE uint64_t *values = calloc(3 * n, sizeof(*values));
	struct ep_samples samples = { 0, 1, n, first, rows, values };

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = (struct ep_sample){ .cpu_us = cpu_us,
			.wall_us = cpu_us,
			.node_idx = node,
			.group = (first + i) % 2 };
		for (uint32_t e = 0; e < 3; e++)
			values[3 * i + e] = 10 * (e + 1);
	}
	trace_put_samples(&writer, &groups, &samples, first * cpu_us);
}

static void put_nodes(uint32_t first, struct ep_stack_node *nodes, uint32_t n)
{
	struct ep_stacks stacks = { 0, 1, first, n, nodes };

	trace_put_stacks(&writer, &stacks);
}

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
		struct ep_load_options options = { .filler = &filler };
		struct ep_trace *trace = NULL;
		struct ep_error err;

		filler.n_slices = rows[i].n_slices;
		filler.n_slices_most = rows[i].n_most;
		filler.fill = note_stretch;
		n_stretches = longest_stretch = 0;
		start_trace();
		trace_put_meta(&writer, meta);
		put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
		for (uint32_t block = 0; block < 4; block++)
			put_slices(5, 1, 5 * block, 1000);
		trace_put_eof(&writer);
		fclose(writer.out);
		trace_writer_finish(&writer);
		CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
		unlink(path);
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
	struct ep_load_options options = { .filler = filler };
	struct ep_trace *trace = NULL;
	struct ep_error err;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, nodes, 2);
	put_slices(6, 1, 0, 1000);
	put_slices(2, 2, 6, 1000);
	trace_put_eof(&writer);
	fclose(writer.out);
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

static struct ep_report *report_of(
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
	struct ep_report *report;

	filler.fill = fill_with_variance;
	trace = load_two_procedures(&filler);
	CHECK_CLOSE(trace->costs[0].sums.rows[1].variance, 3 * 4, 0);
	symbols = ep_symbols_create(trace, &where);
	report = report_of(trace, symbols, &filler);
	/* without a file both are one nameless procedure, in which every sample is */
	CHECK_INT(report->procedures.n_rows, 1);
	CHECK_CLOSE(report->procedures.rows[0].values[1].value, 4 * 20 + 4 * 7, 0);
	CHECK_CLOSE(report->procedures.rows[0].values[1].error, sqrt(4 * 4), 1e-12);
	CHECK_CLOSE(report->procedures.rows[0].values[0].error, 0, 0);
	CHECK_CLOSE(report->threads[0].values[1].error, sqrt(4 * 4), 1e-12);
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
	struct ep_report *report;

	filler.fill = fill_with_changes;
	filler.uses_places = true;
	filler.n_slices = 4;
	trace = load_two_procedures(&filler);
	symbols = ep_symbols_create(trace, &where);
	report = report_of(trace, symbols, &filler);
	CHECK_CLOSE(trace->events[1].variance, 2, 0);
	CHECK_CLOSE(report->procedures.rows[0].values[1].error, error, 1e-6);
	CHECK_CLOSE(report->events[1].error, error, 1e-6);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

TEST(late_ticks_in_valgrind_are_no_kernel_time)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer,
		"host\tn\nperiod_ns\t1000000\nclock\ttask-clock:u\nsource\tvalgrind\n"
		"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\n"
		"event\t2\tb\t-\tcount\ngroup\t0\t0,1\ngroup\t1\t0,2\n");
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	put_slices(4, 1, 0, 5000);
	trace = finish_trace();
	CHECK_INT(trace->threads[0].cost.cpu_us, 4 * 5000);
	CHECK_INT(trace->threads[0].cost.hidden_us, 0);
	ep_trace_destroy(trace);
}

TEST(time_that_the_clock_did_not_see_is_apart)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	put_slices(4, 1, 0, 1400);
	put_slices(4, 1, 4, 5000);
	trace = finish_trace();
	CHECK_INT(trace->threads[0].cost.cpu_us, 4 * 1400 + 4 * 1000);
	CHECK_INT(trace->threads[0].cost.hidden_us, 4 * 4000);
	ep_trace_destroy(trace);
}

/* Threads that sleep have the task-clock of a mixed one, whose ticks are up to an eighth of a
 * period early or late. */
TEST(a_mixed_clock_sees_user_mode_only_while_a_thread_sleeps)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\tthread-cputime+task-clock:u\n"
				"event\t0\tcycles\talways\tcount\nevent\t1\ta\t-\tcount\n"
				"event\t2\tb\t-\tcount\ngroup\t0\t0,1\ngroup\t1\t0,2\n");
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	put_slices(4, 1, 0, 1620);
	put_slices(4, 1, 4, 1760);
	trace = finish_trace();
	CHECK_INT(trace->threads[0].cost.cpu_us, 4 * 1620 + 4 * 1000);
	CHECK_INT(trace->threads[0].cost.hidden_us, 4 * 760);
	ep_trace_destroy(trace);
}

static uint64_t kernel_us_below(const struct ep_trace *trace, uint32_t parent_idx)
{
	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path *p = &trace->paths[i];

		if (p->parent_idx == parent_idx && p->module_idx != EP_NONE &&
			!strcmp(trace->modules[p->module_idx].path, "[kernel]"))
			return trace->costs[p->cost_idx].cost.cpu_us;
	}
	return 0;
}

/* Of a long slice nobody knows whether it was in the kernel at its beginning or at its end. */
TEST(time_in_the_kernel_is_shared_by_the_places_around_it)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 }, { 0, 0, 32 } }, 2);
	put_slices(1, 1, 0, 5000); /* the first has no place before it */
	put_slices(1, 2, 1, 9000);
	trace = finish_trace();
	CHECK_INT(kernel_us_below(trace, 2), 4000 + 8000 / 2);
	CHECK_INT(kernel_us_below(trace, 3), 8000 / 2);
	ep_trace_destroy(trace);
}

/* After a fork's or a full table's new beginning, numbers of nodes mean other nodes. */
TEST(a_node_of_another_epoch_is_lost)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	trace_put_stacks(&writer,
		&(struct ep_stacks){ 0, 2, 1, 1, (struct ep_stack_node[]){ { 0, 0, 16 } } });
	put_slices(3, 1, 0, 1000); /* of epoch 1 */
	trace = finish_trace();
	CHECK_INT(trace->loss.n_without_path, 3);
	ep_trace_destroy(trace);
}

/* Code made at run time is each process's own. */
TEST(modules_without_a_file_are_not_shared)
{
	struct ep_module module = { .id = 1, .end = 9, .path = "" };
	struct ep_trace *trace;

	start_trace();
	for (uint32_t i = 0; i < 2; i++) {
		writer.key.pid = 100 + i;
		trace_put_meta(&writer, meta);
		trace_put_modules(&writer, &module, 1);
	}
	trace = finish_trace();
	CHECK_INT(trace->n_modules, 2);
	CHECK_INT(trace->modules[0].pid, 100);
	CHECK_INT(trace->modules[1].pid, 101);
	ep_trace_destroy(trace);
}

TEST(gaps_in_the_numbers_are_counted)
{
	struct ep_totals totals = {
		.tid = 7, .name = "t", .name_size = 1, .n_samples = 10, .n_lost = 3, .final = true
	};
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	put_slices(4, 1, 0, 1000);
	put_slices(2, 1, 11, 1000);
	trace_put_totals(&writer, &totals);
	trace = finish_trace();
	CHECK_INT(trace->loss.n_lost_slices, 3);
	CHECK_INT(trace->loss.n_missing_slices, 4);
	CHECK_INT(trace->loss.n_unfinished_processes, 1);
	ep_trace_destroy(trace);
}

TEST(epochs_and_processes_share_call_paths)
{
	static struct ep_stack_node nodes[] = { { 0, 0, 16 }, { 1, 0, 32 } };
	static struct ep_module module = { 1, 0, 9, 0, 0, "/bin/x", 6, (const uint8_t *)"ab", 2 };
	struct ep_trace *trace;

	start_trace();
	nodes[0].module_id = nodes[1].module_id = 1;
	for (int i = 0; i < 3; i++) {
		writer.key.birth_ns += 1000;
		trace_put_meta(&writer, meta);
		trace_put_modules(&writer, &module, 1);
		put_nodes(1, nodes, 2);
		put_slices(2, 2, 0, 1000);
	}
	trace = finish_trace();
	CHECK_INT(trace->n_processes, 3);
	CHECK_INT(trace->n_modules, 1);
	CHECK_INT(trace->n_paths, 2 + 2);
	CHECK_INT(trace->n_costs, 1);
	CHECK_INT(trace->costs[0].cost.n_samples, 6);
	ep_trace_destroy(trace);
}

/* What the loader was given as ./x.so or ../lib/x.so is found from another folder, too. */
TEST(relative_paths_begin_where_the_program_did)
{
	static const char *const rows[][2] = {
		/* as given, as found */
		{ "./x.so", "/srv/here/x.so" },
		{ "../lib/x.so", "/srv/here/../lib/x.so" },
		{ "/usr/lib/x.so", "/usr/lib/x.so" },
		{ "linux-vdso.so.1", EP_VDSO },
	};
	struct ep_trace *trace;

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_module module = {
			.id = 1, .end = 9, .path = rows[i][0], .path_size = strlen(rows[i][0])
		};

		start_trace();
		trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\ncwd\t/srv/here\n");
		trace_put_modules(&writer, &module, 1);
		trace = finish_trace();
		CHECK_INT(trace->n_modules, 1);
		CHECK_STR(trace->modules[0].path, rows[i][1]);
		ep_trace_destroy(trace);
	}
}

TEST(unknown_nodes_and_the_root_are_told_apart)
{
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(5, (struct ep_stack_node[]){ { 3, 0, 16 } }, 1);
	put_slices(2, 0, 0, 1000);
	put_slices(3, 5, 2, 1000);
	put_slices(4, 99, 5, 1000);
	trace = finish_trace();
	CHECK_INT(trace->loss.n_without_path, 7);
	CHECK_INT(trace->costs[trace->paths[EP_PATH_ROOT].cost_idx].cost.n_samples, 2);
	CHECK_INT(trace->costs[trace->paths[EP_PATH_LOST].cost_idx].cost.n_samples, 7);
	ep_trace_destroy(trace);
}

/* main > f > g > f > g: each counts once in total. */
TEST(recursion_counts_once)
{
	static struct ep_stack_node nodes[] = {
		{ 0, 0, 0x1010 },
		{ 1, 0, 0x2010 },
		{ 2, 0, 0x3010 },
		{ 3, 0, 0x2010 },
		{ 4, 0, 0x3010 },
	};
	struct ep_symbols_options options = { .sysroot = "/nonexistent" };
	struct ep_attribution by_line;
	struct ep_trace *trace;
	struct ep_symbols *symbols;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, nodes, 5);
	put_slices(6, 5, 0, 1000);
	put_slices(1, 2, 6, 1000);
	trace = finish_trace();
	symbols = ep_symbols_create(trace, &options);
	CHECK_INT(ep_attribute(trace, symbols, EP_BY_SYMBOL, &by_line), 0);
	CHECK_INT(by_line.n_tallies, 1);
	CHECK_INT(by_line.tallies[0].self_us, 7000);
	CHECK_INT(by_line.tallies[0].total_us, 7000);
	CHECK_INT(by_line.n_edges, 1);
	CHECK_INT(by_line.edges[0].us, 7000);
	ep_attribution_finish(&by_line);
	ep_symbols_destroy(symbols);
	ep_trace_destroy(trace);
}

TEST(the_timeline_keeps_all_time_in_bounded_bins)
{
	struct ep_trace *trace;
	double sum = 0;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, (struct ep_stack_node[]){ { 0, 0, 16 } }, 1);
	for (uint64_t i = 0; i < 200; i++)
		put_slices(10, 1, 10 * i, 700 + i);
	trace = finish_trace();
	CHECK(trace->timeline.n_bins <= EP_TIMELINE_BINS);
	CHECK(trace->timeline.n_bins > EP_TIMELINE_BINS / 4);
	for (uint32_t i = 0; i < trace->timeline.n_bins; i++)
		sum += trace->timeline.cpu_us[i];
	CHECK_CLOSE(sum, 10 * (200 * 700 + 199 * 100), 1e-9);
	ep_trace_destroy(trace);
}
