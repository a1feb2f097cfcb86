// SPDX-License-Identifier: BSD-3-Clause
/* Rows of loops, of samples in this very program. */
#include "tests/unit/test.h"

#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "loop_nests.h"
#include "reporter/facts/report.h"
#include "reporter/loops/loops.h"
#include "reporter/run/run.h"
#include "reporter/symbolize/namer.h"
#include "reporter/view/view.h"
#include "tests/trace/writer.h"

static uint64_t base;
static uint64_t last_at[LOOP_NESTS_MAX_PLACES];

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

__attribute__((noinline)) static int here(int place)
{
	last_at[place] = (uint64_t)(uintptr_t)__builtin_return_address(0) - base;
	return 0;
}

/* Samples of three_deep: call paths, and in here() called from the innermost loop. */
enum { OUTSIDE, IN_I, IN_J, IN_K, CALLED_IN_K, N_PATHS };
static const uint32_t n_samples_of[N_PATHS] = { 1, 2, 3, 10, 4 };

static void put_samples(struct trace_writer *writer, uint64_t (*at)[2])
{
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_stack_node nodes[N_PATHS + 1];
	struct ep_sample samples[64] = { { .cpu_us = 0 } };
	struct ep_samples block = { 0, 1, 0, 0, samples, NULL };

	for (uint32_t i = 0; i < N_PATHS; i++) {
		nodes[i] = (struct ep_stack_node){ 0, 1, at[i][0] };
		for (uint32_t k = 0; k < n_samples_of[i]; k++)
			samples[block.n_samples++] = (struct ep_sample){
				.cpu_us = 1000, .wall_us = 1000, .node_idx = i + 1
			};
	}
	/* the caller's frame is the return address, the callee's is inside here() */
	nodes[N_PATHS] = (struct ep_stack_node){ CALLED_IN_K + 1, 1, at[CALLED_IN_K][1] };
	for (uint32_t k = 0; k < n_samples_of[CALLED_IN_K]; k++)
		samples[block.n_samples - 1 - k].node_idx = N_PATHS + 1;
	trace_put_stacks(writer, &(struct ep_stacks){ 0, 1, 1, N_PATHS + 1, nodes });
	trace_put_samples(writer, &groups, &block, 0);
}

static struct ep_trace *make_trace(struct ep_namer *namer)
{
	static struct trace_writer writer;
	char path[] = "/tmp/evprof-loops-XXXXXX", self[4096] = "";
	struct ep_module module = { .id = 1, .end = UINT64_MAX, .path = self };
	struct ep_load_options options = {
		.filler = &ep_filler_fixed, .name_places = ep_namer_name_places, .namer = namer
	};
	struct ep_trace *trace = NULL;
	struct ep_error err;
	uint64_t at[N_PATHS][2];

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	module.path_size = strlen(self);
	dl_iterate_phdr(take_base, NULL);
	loop_nests_O2[0].run(3, here);
	for (int i = 0; i < CALLED_IN_K; i++)
		at[i][0] = last_at[i] - 1;
	at[CALLED_IN_K][0] = last_at[3];
	at[CALLED_IN_K][1] = (uint64_t)(uintptr_t)here - base;
	trace_writer_init(&writer, fdopen(mkstemp(path), "wb"));
	writer.key = (struct ep_process_key){ 100, 5000000000 };
	trace_put_meta(&writer, "host\tn\nperiod_ns\t1000000\nclock\ttask-clock\n");
	trace_put_modules(&writer, &module, 1);
	put_samples(&writer, at);
	trace_put_eof(&writer);
	fclose(writer.out);
	writer.out = NULL;
	trace_writer_finish(&writer);
	CHECK_INT(ep_trace_load(path, &options, &trace, &err), 0);
	unlink(path);
	return trace;
}

static const struct ep_report_row *find_row(const struct ep_report *report, const char *name)
{
	for (uint32_t i = 0; i < report->loops.n_rows; i++)
		if (!strcmp(report->loops.rows[i].name, name))
			return &report->loops.rows[i];
	printf("# there is no row %s\n", name);
	return NULL;
}

/* The innermost loop has self, all around it have total; what it calls is in total alone. */
static void check_rows(const struct ep_report *report)
{
	static const uint64_t self[] = { 1, 2, 3, 10 }, total[] = { 1, 19, 17, 14 };
	const int *lines = loop_nests_O2[0].lines;
	char name[128], nest[128];

	for (int i = 0; i < CALLED_IN_K; i++) {
		const struct ep_report_row *row;

		snprintf(name, sizeof(name), "loop at loop_nests.c:%d in three_deep", lines[i]);
		row = find_row(report, i ? name : "three_deep, outside loops");
		CHECK(row);
		if (!row)
			continue;
		CHECK_INT(row->self_ns, self[i] * 1000000);
		CHECK_INT(row->total_ns, total[i] * 1000000);
		CHECK_INT(row->n_samples, self[i]);
		CHECK_INT(row->depth, i);
		snprintf(nest, sizeof(nest), "loop_nests.c:%d > %d > %d", lines[1], lines[2],
			lines[3]);
		if (i == IN_K)
			CHECK_STR(row->nest, nest);
		snprintf(name, sizeof(name), "loop at loop_nests.c:%d in three_deep",
			lines[i - (i > 0)]);
		if (i > 1)
			CHECK_STR(row->around, name);
	}
	CHECK(find_row(report, "here, outside loops"));
	CHECK_INT(report->loops.n_rows, 5);
	snprintf(nest, sizeof(nest), "loop_nests.c:%d", lines[3]);
	CHECK_STR(report->procedures.rows[0].name, "three_deep");
	CHECK_STR(report->procedures.rows[0].loop, nest);
	CHECK_CLOSE(report->procedures.rows[0].loop_share, 10 / 16.0, 1e-12);
	CHECK_INT(report->loops.rows[0].depth, 3);
}

static void check_text(
	const struct ep_report *report, const struct ep_report_view *view, const char *expected)
{
	struct ep_view_options options = { .by = EP_BY_LOOPS, .width = 120 };
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(view->print(out, report, &options), 0);
	fclose(out);
	CHECK_MSG(strstr(text, expected), "%s is not in:\n%s", expected, text);
}

TEST(self_and_total_of_a_nest)
{
	struct ep_namer namer = { .names_loops = true };
	struct ep_trace *trace;
	struct ep_report_options options = {
		.n_bins = 4,
		.loops = true,
		.trace_paths = (const char *const[]){ "trace.gz", NULL },
		.filler = &ep_filler_fixed,
	};
	const struct ep_report *report;
	char nest[64];

	if (!EP_HAS_CAPSTONE)
		SKIP("built without capstone");
	trace = make_trace(&namer);
	report = ep_report_create(trace, ep_namer_symbols(&namer, trace), &options);
	check_rows(report);
	snprintf(nest, sizeof(nest), "loop_nests.c:%d > %d > %d\n", loop_nests_O2[0].lines[1],
		loop_nests_O2[0].lines[2], loop_nests_O2[0].lines[3]);
	check_text(report, &ep_report_view_text, nest);
	check_text(report, &ep_report_view_text, "   total    self   procedure or loop\n");
	check_text(report, &ep_report_view_csv, "\nloop at loop_nests.c:");
	check_text(report, &ep_report_view_json, "\"depth\": 3");
	ep_report_destroy(report);
	ep_symbols_destroy(namer.symbols);
	ep_trace_destroy(trace);
}
