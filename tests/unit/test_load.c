// SPDX-License-Identifier: BSD-3-Clause
/* The loader on traces written here: what comes out of order, recursion, clocks. */
#include "tests/unit/test.h"

#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "tests/unit/two_groups.h"

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
			trace->modules[p->module_idx].is_kernel)
			return trace->costs[p->cost_idx].cost.cpu_us;
	}
	return 0;
}

/* A long slice does not tell whether it was in the kernel at its beginning or at its end. */
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

TEST(minor_versions_of_the_format)
{
	static const struct {
		const char *line;
		uint32_t minor;
	} rows[] = { { "", 0 }, { "format\t1.0\n", 0 }, { "format\t1.12\n", 12 },
		{ "format\t2.3\n", 0 }, { "format\tnew\n", 0 }, { "format\t1\n", 0 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_trace *trace;
		char text[400];

		start_trace();
		snprintf(text, sizeof(text), "%s%s", meta, rows[i].line);
		trace_put_meta(&writer, text);
		trace = finish_trace();
		CHECK_INT(trace->processes[0].minor_version, rows[i].minor);
		ep_trace_destroy(trace);
	}
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

/* A library that was loaded as ./x.so or ../lib/x.so is found from another folder, too. */
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

/* Two threads in one place: each has paths of its own, of its time without a path too. */
TEST(paths_are_kept_by_thread_where_asked_for)
{
	struct ep_load_options options = { .filler = &ep_filler_fixed, .by_thread = true };
	struct ep_stack_node node = { 0, 0, 16 };
	struct ep_stacks stacks = { 1, 1, 1, 1, &node };
	struct ep_sample rows[2] = { { .time_us = 900, .cpu_us = 900, .node_idx = 1 },
		{ .time_us = 1800, .cpu_us = 900, .node_idx = 1 } };
	uint64_t values[6] = { 0 };
	struct ep_samples samples = { 1, 1, 2, 0, rows, values };
	uint64_t us_of_thread[2] = { 0 };
	struct ep_trace *trace;

	start_trace();
	trace_put_meta(&writer, meta);
	put_nodes(1, &node, 1);
	put_slices(3, 1, 0, 1000);
	put_slices(1, 0, 3, 700);
	trace_put_stacks(&writer, &stacks);
	trace_put_samples(&writer, &groups, &samples, 0);
	trace = finish_trace_as(&options);
	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path *p = &trace->paths[i];

		if (p->cost_idx == EP_NONE)
			continue;
		CHECK(p->thread_number == 1 || p->thread_number == 2);
		us_of_thread[p->thread_number - 1] += trace->costs[p->cost_idx].cost.cpu_us;
	}
	CHECK_INT(us_of_thread[0], 3 * 1000 + 700);
	CHECK_INT(us_of_thread[1], 2 * 900);
	CHECK_INT(trace->n_costs, 3);
	ep_trace_destroy(trace);
}
