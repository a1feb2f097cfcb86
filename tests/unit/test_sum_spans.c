// SPDX-License-Identifier: BSD-3-Clause
/* Sums by row, thread and step stay few, lose nothing, and tell apart as much as they can. */
#include "tests/unit/test.h"

#include "common/containers/index.h"
#include "reporter/page/sum_spans.h"

enum { N_BINS = 120, MOST = 50000 };

struct totals {
	double n, ns, cpu_ns, longest_ns;
};

static struct totals totals_of(const struct ep_sum_spans *spans)
{
	struct totals totals = { 0 };

	for (uint32_t i = 0; i < spans->n_spans; i++) {
		totals.n += spans->spans[i].n;
		totals.ns += spans->spans[i].ns;
		totals.cpu_ns += spans->spans[i].cpu_ns;
		totals.longest_ns = fmax(totals.longest_ns, spans->spans[i].longest_ns);
	}
	return totals;
}

static uint32_t n_rows_of(const struct ep_sum_spans *spans, uint32_t thread)
{
	bool is_seen[256] = { false };
	uint32_t n = 0;

	for (uint32_t i = 0; i < spans->n_spans; i++) {
		uint32_t row = spans->spans[i].row;

		if (spans->spans[i].thread != thread || row == EP_NONE || is_seen[row])
			continue;
		is_seen[row] = true;
		n++;
	}
	return n;
}

static void add(struct ep_sum_spans *spans, struct ep_sum_span where, uint32_t bin, double ns)
{
	const struct ep_sum_span span = { .row = where.row,
		.node = where.node,
		.thread = where.thread,
		.bin = bin,
		.first = bin,
		.last = bin,
		.n = 1,
		.ns = ns,
		.cpu_ns = ns / 2,
		.longest_ns = ns };

	CHECK_INT(ep_sum_spans_add(spans, &span), 0);
}

/* Each thread has each row in each step; rows have 1 ns, 2 ns and so on. */
static void fill(struct ep_sum_spans *spans, uint32_t n_rows, uint32_t n_threads)
{
	for (uint32_t thread = 0; thread < n_threads; thread++)
		for (uint32_t row = 0; row < n_rows; row++)
			for (uint32_t bin = 0; bin < N_BINS; bin++)
				add(spans, (struct ep_sum_span){ row, row + 1, thread }, bin,
					row + 1);
}

static void check_totals(const struct ep_sum_spans *spans, uint32_t n_rows, uint32_t n_threads)
{
	const struct totals totals = totals_of(spans);
	double times = (double)N_BINS * n_threads, ns = n_rows * (n_rows + 1.) / 2;

	CHECK(spans->n_spans <= MOST);
	CHECK_CLOSE(totals.n, times * n_rows, 0);
	CHECK_CLOSE(totals.ns, times * ns, 0);
	CHECK_CLOSE(totals.cpu_ns, times * ns / 2, 0);
	CHECK_CLOSE(totals.longest_ns, n_rows, 0);
}

TEST(what_fits_stays)
{
	const struct ep_sum_bounds bounds = { .most = MOST, .n_rows = 4, .n_threads = 70 };
	struct ep_sum_spans spans = { 0 };

	fill(&spans, 4, 70);
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	CHECK_INT(spans.n_spans, 4 * 70 * N_BINS);
	CHECK_INT(spans.bins_joined, 1);
	CHECK_INT(spans.n_threads, 70);
	CHECK_CLOSE(spans.least_share, 0, 0);
	ep_sum_spans_finish(&spans);
}

/* 168,000 spans of 70 threads: four steps become one, and nothing else does. */
TEST(steps_are_first)
{
	const struct ep_sum_bounds bounds = { .most = MOST, .n_rows = 20, .n_threads = 70 };
	struct ep_sum_spans spans = { 0 };

	fill(&spans, 20, 70);
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	check_totals(&spans, 20, 70);
	CHECK_INT(spans.bins_joined, 4);
	CHECK_INT(spans.n_spans, 20 * 70 * N_BINS / 4);
	CHECK_INT(spans.n_threads, 70);
	CHECK_CLOSE(spans.least_share, 0, 0);
	for (uint32_t i = 0; i < spans.n_spans; i++)
		CHECK(spans.spans[i].first == 4 * spans.spans[i].bin &&
			spans.spans[i].last == 4 * spans.spans[i].bin + 3);
	ep_sum_spans_finish(&spans);
}

/* 52 rows of 70 threads: the eight with less than 0.64 % are one, and all threads are told apart. */
TEST(rows_with_little_are_next)
{
	const struct ep_sum_bounds bounds = { .most = MOST, .n_rows = 52, .n_threads = 70 };
	struct ep_sum_spans spans = { 0 };

	fill(&spans, 52, 70);
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	check_totals(&spans, 52, 70);
	CHECK_INT(spans.bins_joined, 8);
	CHECK_CLOSE(spans.least_share, 0.0064, 1e-9);
	CHECK_INT(spans.n_threads, 70);
	CHECK_INT(n_rows_of(&spans, 69), 52 - 8);
	for (uint32_t i = 0; i < spans.n_spans; i++)
		CHECK((spans.spans[i].row == EP_NONE) == (spans.spans[i].node == 0));
	ep_sum_spans_finish(&spans);
}

/* 2,000 threads with two rows: 15 steps of 1,000 threads and the rest fit. */
TEST(threads_follow)
{
	const struct ep_sum_bounds bounds = { .most = MOST, .n_rows = 2, .n_threads = 2000 };
	struct ep_sum_spans spans = { 0 };

	fill(&spans, 2, 2000);
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	check_totals(&spans, 2, 2000);
	CHECK_CLOSE(spans.least_share, 0, 0);
	CHECK_INT(spans.n_threads, 1000);
	CHECK_INT(spans.n_spans, 2 * 1001 * 15);
	CHECK_INT(n_rows_of(&spans, 999), 2);
	CHECK_INT(n_rows_of(&spans, EP_NONE), 2);
	ep_sum_spans_finish(&spans);
}

/* Each thread has rows of its own, so that neither rows nor threads alone make spans fewer. */
TEST(rows_of_one_thread_each)
{
	const struct ep_sum_bounds bounds = { .most = 1000, .n_rows = 200, .n_threads = 200 };
	struct ep_sum_spans spans = { 0 };

	for (uint32_t thread = 0; thread < 200; thread++)
		for (uint32_t bin = 0; bin < N_BINS; bin++)
			add(&spans, (struct ep_sum_span){ thread, 1, thread }, bin, 1);
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	CHECK_INT(spans.n_threads, 50);
	CHECK_INT(spans.n_spans, (50 + 1) * N_BINS / 8);
	CHECK_INT(n_rows_of(&spans, 49), 1);
	CHECK_INT(n_rows_of(&spans, EP_NONE), 0);
	ep_sum_spans_finish(&spans);
}

TEST(one_thread_stays)
{
	const struct ep_sum_bounds bounds = { .most = 100, .n_rows = 100, .n_threads = 1 };
	struct ep_sum_spans spans = { 0 };

	fill(&spans, 100, 1);
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	CHECK(spans.n_spans <= 100);
	CHECK_INT(spans.n_threads, 1);
	for (uint32_t i = 0; i < spans.n_spans; i++)
		CHECK_INT(spans.spans[i].thread, 0);
	ep_sum_spans_finish(&spans);
}

/* A region with little leaves its CPU time to the one around it, whose number and time have it already. */
TEST(regions_leave_their_cpu_time)
{
	const uint32_t around[] = { EP_NONE, 0, 1 };
	const struct ep_sum_bounds bounds = {
		.most = 16, .n_rows = 3, .n_threads = 1, .around = around
	};
	struct ep_sum_spans spans = { 0 };

	for (uint32_t bin = 0; bin < N_BINS; bin++) {
		add(&spans, (struct ep_sum_span){ .row = 0 }, bin, 1e6);
		add(&spans, (struct ep_sum_span){ .row = 1 }, bin, 8);
		add(&spans, (struct ep_sum_span){ .row = 2 }, bin, 4);
	}
	CHECK_INT(ep_sum_spans_bound(&spans, &bounds), 0);
	CHECK_INT(spans.n_spans, N_BINS / 8);
	CHECK_INT(n_rows_of(&spans, 0), 1);
	CHECK_CLOSE(totals_of(&spans).n, N_BINS, 0);
	CHECK_CLOSE(totals_of(&spans).ns, N_BINS * 1e6, 0);
	CHECK_CLOSE(totals_of(&spans).cpu_ns, N_BINS * (1e6 + 12) / 2, 0);
	ep_sum_spans_finish(&spans);
}
