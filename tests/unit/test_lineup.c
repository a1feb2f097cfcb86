// SPDX-License-Identifier: BSD-3-Clause
/* Three programs as a series: rows find each other, and what a series loses is what was put there. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/lineup.h"

#define MS 1000000ull

enum { N_COLUMNS = 3, MOST_ROWS = 3 };

struct made {
	struct ep_report_row rows[MOST_ROWS];
	struct ep_report report;
	const struct ep_report *reports[1];
};

static struct ep_report_row row(const char *name, const char *module, uint64_t ms)
{
	return (struct ep_report_row){
		.short_name = name, .module_name = module, .self_ns = ms * MS, .self_error = 0.001
	};
}

static struct ep_compared_runs make(
	struct made *made, uint32_t n_rows, uint32_t n_threads, double clock_s, uint64_t cpu_ms)
{
	made->report = (struct ep_report){
		.trace_path = "t",
		.command = "app",
		.hosts = "node",
		.cpu = "cpu",
		.n_threads = n_threads,
		.duration_s = clock_s,
		.cpu_ns = cpu_ms * MS,
		.sampled_ns = cpu_ms * MS,
		.n_samples = 1000,
		.procedures = { .rows = made->rows, .n_rows = n_rows },
	};
	made->reports[0] = &made->report;
	return (struct ep_compared_runs){ made->reports, 1 };
}

static const struct ep_lineup_row *find(const struct ep_lineup *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_rows; i++)
		if (!strcmp(s->rows[i].name, name))
			return &s->rows[i];
	return NULL;
}

static bool says(const struct ep_lineup *s, const char *text)
{
	for (uint32_t i = 0; i < s->n_in_short; i++)
		if (strstr(s->in_short[i], text))
			return true;
	return false;
}

/* One thread takes 4 s, two 2 s each, and four 1.5 s each: perfect would be 1 s, so that of 6 s
 * of threads 2 are lost, half of them in exchange, half in waiting. The program was built anew. */
TEST(a_scaling_series_says_where_efficiency_is_lost)
{
	struct made made[N_COLUMNS] = {
		{ .rows = { row("solve", "app.1", 4000) } },
		{ .rows = { row("solve", "app.2", 4000) } },
		{ .rows = { row("exchange", "app.3", 1000), row("solve", "app.3", 4000) } },
	};
	struct ep_compared_runs runs[] = { make(&made[0], 1, 1, 4, 4000),
		make(&made[1], 1, 2, 2, 4000), make(&made[2], 2, 4, 1.5, 5000) };
	__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup s = { 0 };

	CHECK_INT(ep_lineup_create(runs, N_COLUMNS, EP_BY_PROCEDURES, &s), 0);
	CHECK(s.is_scaling && !s.has_ranks);
	CHECK_CLOSE(s.columns[1].speedup, 2, 1e-12);
	CHECK_CLOSE(s.columns[1].efficiency, 1, 1e-12);
	CHECK_CLOSE(s.columns[2].efficiency, 4 / (4 * 1.5), 1e-12);
	CHECK_INT(s.n_rows, 2);
	CHECK_STR(s.rows[0].name, "exchange");
	CHECK_CLOSE(s.rows[0].ns[2], 1000. * MS, 1e-12);
	CHECK_CLOSE(s.rows[0].ns[0] + s.rows[0].ns[1], 0, 0);
	for (int k = 0; k < N_COLUMNS; k++)
		CHECK_CLOSE(find(&s, "solve")->ns[k], 4000. * MS, 1e-12);
	CHECK(says(&s,
		"From 1 threads to 4 the run became 2.67 times as fast: an efficiency of 67 %."));
	CHECK(says(&s, "took 2.00 s more: 1.00 s of it they did not compute; more CPU time went to "
		       "exchange 1.00 s."));
}

TEST(ranks_are_counted_where_columns_differ_in_them)
{
	struct made made[N_COLUMNS] = { 0 };
	struct ep_compared_runs runs[] = { make(&made[0], 0, 8, 4, 16000),
		make(&made[1], 0, 8, 2, 16000), make(&made[2], 0, 8, 1, 16000) };
	__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup s = { 0 };

	for (uint32_t k = 0; k < N_COLUMNS; k++)
		made[k].report.n_ranks = 2u << k;
	CHECK_INT(ep_lineup_create(runs, N_COLUMNS, EP_BY_PROCEDURES, &s), 0);
	CHECK(s.has_ranks && s.is_scaling);
	CHECK_INT(s.columns[2].n_workers, 8);
	CHECK_CLOSE(s.columns[2].efficiency, 1, 1e-12);
	CHECK(says(&s, "From 2 ranks to 8 the run became 4.00 times as fast"));
	CHECK_INT(s.n_in_short, 1);
}

/* Names that stand for several procedures stay apart by their files. */
TEST(without_more_threads_the_quickest_is_named)
{
	struct made made[N_COLUMNS] = {
		{ .rows = { row("init", "liba", 100), row("init", "libb", 300) } },
		{ .rows = { row("init", "libb", 200) } },
		{ .rows = { row("init", "liba", 150), row("init", "libb", 350) } },
	};
	struct ep_compared_runs runs[] = { make(&made[0], 2, 1, 0.4, 400),
		make(&made[1], 1, 1, 0.2, 200), make(&made[2], 2, 1, 0.5, 500) };
	__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup s = { 0 };

	CHECK_INT(ep_lineup_create(runs, N_COLUMNS, EP_BY_PROCEDURES, &s), 0);
	CHECK(!s.is_scaling);
	CHECK(isnan(s.columns[2].efficiency));
	CHECK_INT(s.n_rows, 2);
	for (uint32_t i = 0; i < s.n_rows; i++) {
		bool is_a = !strcmp(s.rows[i].module_name, "liba");

		CHECK_CLOSE(s.rows[i].ns[0], (is_a ? 100. : 300.) * MS, 1e-12);
		CHECK_CLOSE(s.rows[i].ns[1], (is_a ? 0. : 200.) * MS, 1e-12);
		CHECK_CLOSE(s.rows[i].ns[2], (is_a ? 150. : 350.) * MS, 1e-12);
	}
	CHECK_INT(s.n_in_short, 1);
	CHECK(says(&s, "Number 2 was the quickest: 200 ms, 2.00 times as fast as the first."));
}

/* A procedure has another name in each column, by the one that it calls; the last one lacks it. */
TEST(a_renamed_procedure_says_what_it_was_in_the_first_column)
{
	static struct ep_report_caller of_old = { "old", 50 * MS, 1 };
	static struct ep_report_caller of_new = { "fresh", 50 * MS, 1 };
	struct made made[N_COLUMNS] = {
		{ .rows = { row("old", "app.3", 300), row("leaf", "app.3", 50) } },
		{ .rows = { row("fresh", "app.2", 200), row("leaf", "app.2", 50) } },
		{ .rows = { row("leaf", "app.1", 50) } },
	};
	struct ep_compared_runs runs[] = { make(&made[0], 2, 1, 0.4, 350),
		make(&made[1], 2, 1, 0.3, 250), make(&made[2], 1, 1, 0.1, 50) };
	__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup s = { 0 };
	const struct ep_lineup_row *fresh;

	made[0].rows[1].callers = &of_old;
	made[1].rows[1].callers = &of_new;
	for (uint32_t k = 0; k < 2; k++) {
		made[k].rows[1].n_callers = 1;
		made[k].rows[1].total_ns = 50 * MS;
	}
	CHECK_INT(ep_lineup_create(runs, N_COLUMNS, EP_BY_PROCEDURES, &s), 0);
	CHECK_INT(s.n_rows, 2);
	fresh = find(&s, "fresh");
	CHECK_STR(fresh ? fresh->was : "none", "old");
	CHECK_CLOSE(fresh ? fresh->ns[0] : 0, 300. * MS, 1e-12);
	CHECK_CLOSE(fresh ? fresh->ns[1] : 0, 200. * MS, 1e-12);
	CHECK_CLOSE(fresh ? fresh->ns[2] : 1, 0, 0);
}

/* A clock that valgrind slows tells nothing: what callgrind estimates is compared, where all columns have it. */
TEST(simulated_clocks_are_not_judged)
{
	static const struct {
		bool is_simulated[N_COLUMNS], is_exact[N_COLUMNS];
		const char *says;
		bool has_speedup; /* of the last */
	} cases[] = {
		{ { true, true, true }, { true, true, true },
			"By callgrind's estimate of cycles, a cycle for a nanosecond, number 3 takes least: 100 ms of CPU time, 0.25 of what the first takes.",
			false },
		{ { true, true, true }, { true, false, true },
			"valgrind simulated the runs: ", false },
		{ { false, true, false }, { false, true, false },
			"valgrind simulated number 2 and not the others", true },
		{ { true, false, false }, { true, false, false },
			"valgrind simulated number 1 and not the others", false },
		{ { false, false, false }, { false, false, false }, "Number 2 was the quickest",
			true },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct made made[N_COLUMNS] = { 0 };
		struct ep_compared_runs runs[] = { make(&made[0], 0, 1, 4, 400),
			make(&made[1], 0, 2, 1, 200), make(&made[2], 0, 1, 5, 100) };
		__attribute__((cleanup(ep_lineup_finish))) struct ep_lineup s = { 0 };

		for (uint32_t k = 0; k < N_COLUMNS; k++) {
			made[k].report.is_simulated = cases[i].is_simulated[k];
			made[k].report.is_exact = cases[i].is_exact[k];
		}
		CHECK_INT(ep_lineup_create(runs, N_COLUMNS, EP_BY_PROCEDURES, &s), 0);
		CHECK_MSG(says(&s, cases[i].says), "case %zu: %s", i, s.in_short[0]);
		CHECK_MSG(isfinite(s.columns[2].speedup) == cases[i].has_speedup, "case %zu", i);
	}
}
