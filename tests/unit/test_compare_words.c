// SPDX-License-Identifier: BSD-3-Clause
/* The sentences about two runs. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/unit/compared.h"

static bool has(const char *const *texts, uint32_t n, const char *part)
{
	for (uint32_t i = 0; i < n; i++)
		if (strstr(texts[i], part))
			return true;
	return false;
}

TEST(times)
{
	static const struct {
		double duration_s;
		uint64_t cpu_ms;
		const char *clock, *cpu;
	} rows[] = {
		{ 1.004, 995, "took as long as before (1.00 s, then 1.00 s)",
			"CPU time is as much as before (1.00 s, then 995 ms)" },
		{ 0.8, 1200, "took 20 % less time than before (800 ms instead of 1.00 s)",
			"CPU time is 20 % more than before (1.20 s instead of 1.00 s)" },
		{ 1.5, 700, "took 50 % longer than before (1.50 s instead of 1.00 s)",
			"CPU time is 30 % less than before (700 ms instead of 1.00 s)" },
		{ 3, 2500, "took 3.0 times as long as before (3.00 s instead of 1.00 s)",
			"CPU time is 2.5 times as much as before (2.50 s instead of 1.00 s)" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report before = plain(), after = plain();
		struct ep_comparison c;

		after.duration_s = rows[i].duration_s;
		after.cpu_ns = rows[i].cpu_ms * MS;
		CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
		CHECK(has(c.in_short, c.n_in_short, rows[i].clock));
		CHECK(has(c.in_short, c.n_in_short, rows[i].cpu));
		CHECK(has(c.in_short, c.n_in_short, "No part of it changed"));
		ep_comparison_finish(&c);
	}
}

/* A change that may be chance is not named, however large; new and missing procedures are named as
 * such. */
TEST(changes)
{
	struct ep_report_row old_rows[] = {
		{ .short_name = "noise",
			.module_name = "",
			.self_ns = 300 * MS,
			.self_error = 0.1 },
		{ .short_name = "gone",
			.module_name = "",
			.self_ns = 100 * MS,
			.self_error = 0.01 },
	};
	struct ep_report_row new_rows[] = {
		{ .short_name = "noise",
			.module_name = "",
			.self_ns = 600 * MS,
			.self_error = 0.1 },
		{ .short_name = "new", .module_name = "", .self_ns = 200 * MS, .self_error = 0.01 },
	};
	struct ep_report before = plain(), after = plain();
	struct ep_comparison c;

	before.procedures = (struct ep_report_table){ .rows = old_rows, .n_rows = 2 };
	after.procedures = (struct ep_report_table){ .rows = new_rows, .n_rows = 2 };
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(has(c.in_short, c.n_in_short,
		"The largest changes: new 200 ms more (not there before), gone 100 ms less (no "
		"longer there)."));
	ep_comparison_finish(&c);
}

TEST(balance)
{
	struct ep_report before = plain(), after = plain();
	struct ep_comparison c;

	before.rank_own_mean_s = after.rank_own_mean_s = 2;
	before.rank_own_most_s = 3;
	after.rank_own_most_s = 2.2;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(has(c.in_short, c.n_in_short,
		"spread more evenly over the MPI ranks: the one that computes longest takes 1.1 "
		"times "
		"their mean, 1.5 times before."));
	ep_comparison_finish(&c);
	after.rank_own_most_s = 2.9;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(!has(c.in_short, c.n_in_short, "evenly"));
	ep_comparison_finish(&c);
}

TEST(busiest_thread)
{
	struct ep_report before = plain(), after = plain();
	struct ep_comparison c;

	before.n_threads = after.n_threads = 3;
	before.busiest_ns = 900 * MS;
	after.busiest_ns = 500 * MS;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(has(c.in_short, c.n_in_short,
		"Work is spread more evenly over the threads: the busiest has 50 % of the CPU time, 90 % "
		"before."));
	ep_comparison_finish(&c);
	after.n_threads = 8; /* each has less for that */
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(!has(c.in_short, c.n_in_short, "evenly"));
	ep_comparison_finish(&c);
	after.n_threads = 3;
	after.busiest_ns = 850 * MS;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(!has(c.in_short, c.n_in_short, "evenly"));
	ep_comparison_finish(&c);
}

TEST(locks)
{
	struct ep_report before = plain(), after = plain();
	struct ep_comparison c;

	before.has_noted_waits = after.has_noted_waits = true;
	before.waits.all_ns = 1000 * MS;
	before.lock_ns = 800 * MS;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(has(c.in_short, c.n_in_short,
		"Its threads waited 0 s for locks, all together, 800 ms before."));
	ep_comparison_finish(&c);
	after.has_noted_waits = false;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(!has(c.in_short, c.n_in_short, "locks"));
	ep_comparison_finish(&c);
	after.has_noted_waits = true;
	after.lock_ns = 750 * MS;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(!has(c.in_short, c.n_in_short, "locks"));
	ep_comparison_finish(&c);
}

TEST(what_is_not_alike)
{
	struct ep_report before = plain(), after = plain();
	struct ep_comparison c;

	after.cpu = "Another CPU";
	after.n_ranks = 8;
	after.is_simulated = true;
	after.n_lost = 10;
	after.lost_share = 0.25;
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(has(c.notes, c.n_notes, "machines are not alike"));
	CHECK(has(c.notes, c.n_notes, "MPI ranks: 0 before, 8 after"));
	CHECK(has(c.notes, c.n_notes, "Only the run after was simulated"));
	CHECK(!has(c.in_short, c.n_in_short, "The run took"));
	CHECK(!has(c.in_short, c.n_in_short, "part of it changed"));
	CHECK(has(c.notes, c.n_notes, "0.0 % before and 25.0 % after"));
	ep_comparison_finish(&c);

	after = plain();
	after.load = ep_quantity_exact(4);
	before.load = ep_quantity_exact(0);
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK(has(c.notes, c.n_notes, "busy when the second run began"));
	CHECK(!has(c.notes, c.n_notes, "machines are not alike"));
	ep_comparison_finish(&c);
}

/* Known of both, and not alike. */
TEST(lack_of_cpus)
{
	static const struct {
		uint64_t was_ms, is_ms;
		bool is_unknown;
		const char *said; /* NULL: nothing */
	} rows[] = {
		{ 800, 100, false, "had no CPU 5 % of their time, 40 % before." },
		{ 0, 1000, false, "had no CPU 50 % of their time, 0 % before." },
		{ 300, 240, false, NULL },
		{ 0, 1000, true, NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report before = plain(), after = plain();
		struct ep_report_thread was = { .cpu_ns = 1000 * MS,
			.waits = { .all_ns = 1000 * MS,
				.ready_ns = rows[i].was_ms * MS,
				.has_unknown = rows[i].is_unknown } };
		struct ep_report_thread is = { .cpu_ns = 1000 * MS,
			.waits = { .all_ns = 1000 * MS, .ready_ns = rows[i].is_ms * MS } };
		struct ep_comparison c;

		before.threads = &was;
		after.threads = &is;
		CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
		CHECK_MSG(has(c.in_short, c.n_in_short, rows[i].said ? rows[i].said : "no CPU") ==
				  (rows[i].said != NULL),
			"row %zu", i);
		ep_comparison_finish(&c);
	}
}
