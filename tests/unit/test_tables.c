// SPDX-License-Identifier: BSD-3-Clause
/* Rows of procedures, lines and modules, of samples in this very program. */
#include "tests/unit/test.h"

#include <link.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"
#include "reporter/load/load.h"
#include "reporter/run/run.h"
#include "tests/trace/writer.h"

static uint64_t base;

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	return 1;
}

static __attribute__((noinline)) uint64_t here(void)
{
	__asm__ volatile("" ::: "memory"); /* each call counts */
	return (uint64_t)(uintptr_t)__builtin_return_address(0) - 1;
}

enum { FIRST_LINE = __LINE__ + 3 };
static __attribute__((noinline)) void two_lines(uint64_t out[2])
{
	out[0] = here();
	out[1] = here();
}

/* The trace of one thread with n[i] samples in line i of two_lines, in that order of the lines. */
static struct ep_trace *make_trace(const uint32_t n[2])
{
	static struct trace_writer writer;
	char path[] = "/tmp/evprof-tables-XXXXXX", self[4096] = "";
	struct ep_module module = { .id = 1, .end = UINT64_MAX, .path = self };
	const struct ep_groups groups = { .period_us = 1000 };
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	struct ep_stack_node nodes[2] = { { 0, 1, 0 }, { 0, 1, 0 } };
	struct ep_sample samples[64] = { { .cpu_us = 0 } };
	struct ep_samples block = { 0, 1, n[0] + n[1], 0, samples, NULL };
	struct ep_trace *trace = NULL;
	struct ep_error err;
	uint64_t addresses[2];

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	module.path_size = strlen(self);
	dl_iterate_phdr(take_base, NULL);
	two_lines(addresses);
	for (uint32_t i = 0; i < n[0] + n[1]; i++) {
		samples[i].cpu_us = samples[i].wall_us = 1000;
		samples[i].node_idx = i < n[0] ? 1 : 2;
	}
	for (int i = 0; i < 2; i++)
		nodes[i].address = addresses[i] - base;
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

/* Whichever line came first, the hot one is that with most samples. */
TEST(the_hot_line_is_that_with_most_samples)
{
	static const uint32_t cases[][2] = { { 5, 3 }, { 3, 5 }, { 7, 0 }, { 0, 7 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		const uint32_t *n = cases[i];
		struct ep_trace *trace = make_trace(n);
		struct ep_symbols_options where = { 0 };
		struct ep_symbols *symbols = ep_symbols_create(trace, &where);
		struct ep_report_options options = {
			.n_bins = 4,
			.trace_paths = (const char *const[]){ "trace.gz", NULL },
			.filler = &ep_filler_fixed,
		};
		const struct ep_report *report = ep_report_create(trace, symbols, &options);
		const struct ep_report_table *procedures = &report->procedures;

		CHECK_INT(procedures->n_rows, 1);
		CHECK_STR(procedures->rows[0].name, "two_lines");
		CHECK_INT(procedures->rows[0].n_samples, n[0] + n[1]);
		CHECK_INT(procedures->rows[0].hot_line, FIRST_LINE + (n[1] > n[0]));
		CHECK_INT(report->lines.n_rows, !!n[0] + !!n[1]);
		CHECK_INT(report->lines.rows[0].hot_line, FIRST_LINE + (n[1] > n[0]));
		CHECK_INT(report->modules.n_rows, 1);
		CHECK_CLOSE(report->modules.rows[0].self_share, 1, 0);
		ep_report_destroy(report);
		ep_symbols_destroy(symbols);
		ep_trace_destroy(trace);
	}
}

/* Returns the error where n samples stand for a us each. */
static double error_of(double share, uint64_t n)
{
	struct ep_trace trace = { .exact = NULL };
	struct ep_report report = { .sampled_ns = n * 1000 };
	struct ep_builder builder = { .trace = &trace, .report = &report, .squares = (double)n };
	double error = ep_usual_share_error(&builder, share);

	CHECK_CLOSE(ep_share_error(share, n), error, 1e-15);
	return error;
}

/* The binomial distribution's, sqrt(p (1 - p) / n). */
TEST(error_of_a_share)
{
	CHECK_CLOSE(error_of(0.5, 100), 0.05, 1e-15);
	CHECK_CLOSE(error_of(0.1, 9), 0.1, 1e-15);
	CHECK_CLOSE(error_of(0.5, 0), 0, 0);
}

/* A share of 3 % has none of 100 samples 5 times of 100: 0.97^100 is 0.05. */
TEST(samples_on_one_side_are_not_certain)
{
	CHECK_CLOSE(error_of(1, 100), 0.03 / 1.96, 1e-15);
	CHECK_CLOSE(error_of(1.5, 100), 0.03 / 1.96, 1e-15); /* of rounded times */
	CHECK_CLOSE(error_of(0, 100), 0.03 / 1.96, 1e-15);
	CHECK_CLOSE(error_of(1, 2), 1 / 1.96, 1e-15);
	CHECK_CLOSE(error_of(1, 0), 0, 0);
}
