// SPDX-License-Identifier: BSD-3-Clause
/* The gate on made runs, whose noise and changes are known. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/gate.h"

#define MS 1000000ull
#define LIMIT 0.03

static uint64_t random_state;

static double draw_uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(void)
{
	return sqrt(-2 * log(draw_uniform())) * cos(2 * M_PI * draw_uniform());
}

enum { N_ROWS = 7, MIX = 1, CHASE = 0, MOST_RUNS = 3 };

static const char *const names[N_ROWS] = { "chase", "mix", "series", "stream", "branches", "smooth",
	"rest" };
static const double times_ms[N_ROWS] = { 200, 200, 180, 150, 120, 100, 50 };

struct noise {
	double rows;    /* relative, of a row of 200 ms; it grows as samples become fewer */
	double speed;   /* of the whole run: clocks and hosts */
	double chase;   /* of the one row that neighbours slow */
	double samples; /* what samples let expect, over rows */
};

struct made_run {
	struct ep_report_row rows[N_ROWS];
	struct ep_report report;
};

struct side {
	struct made_run runs[MOST_RUNS];
	const struct ep_report *reports[MOST_RUNS];
	struct ep_compared_runs all;
};

static void make_run(const struct noise *noise, const double *factors, struct made_run *run)
{
	double speed = exp(noise->speed * draw_normal()), sum_ns = 0;

	for (int i = 0; i < N_ROWS; i++) {
		double error = noise->rows * sqrt(200 / times_ms[i]);
		double more = i == CHASE ? fabs(noise->chase * draw_normal()) : 0;
		double ms = times_ms[i] * factors[i] * speed * (1 + error * draw_normal() + more);

		run->rows[i] = (struct ep_report_row){ .short_name = names[i],
			.module_name = "app",
			.self_ns = (uint64_t)(ms * MS),
			.self_error = noise->samples * error * ms / 1000 };
		sum_ns += ms * MS;
	}
	run->report = (struct ep_report){ .trace_path = "t",
		.command = "app",
		.hosts = "node",
		.cpu = "cpu",
		.duration_s = 1,
		.n_samples = 1,
		.cpu_ns = (uint64_t)sum_ns,
		.sampled_ns = 1000 * MS,
		.procedures = { .rows = run->rows, .n_rows = N_ROWS } };
}

static void make_side(
	const struct noise *noise, const double *factors, uint32_t n_runs, struct side *side)
{
	for (uint32_t r = 0; r < n_runs; r++) {
		make_run(noise, factors, &side->runs[r]);
		side->reports[r] = &side->runs[r].report;
	}
	side->all = (struct ep_compared_runs){ side->reports, n_runs };
}

static const double same[N_ROWS] = { 1, 1, 1, 1, 1, 1, 1 };

struct judged {
	struct side before, after;
	struct ep_comparison comparison;
	struct ep_gate gate;
};

static void judged_finish(struct judged *j)
{
	ep_gate_finish(&j->gate);
	ep_comparison_finish(&j->comparison);
}

static void judge_sides(struct judged *j)
{
	CHECK_INT(ep_compare_runs(&j->before.all, &j->after.all, EP_BY_PROCEDURES, &j->comparison),
		0);
	CHECK_INT(ep_gate_judge(&j->comparison, &j->before.all, &j->after.all, LIMIT, &j->gate), 0);
}

static void judge_made(
	struct judged *j, const struct noise *noise, const double *factors, uint32_t n_runs)
{
	make_side(noise, same, n_runs, &j->before);
	make_side(noise, factors, n_runs, &j->after);
	judge_sides(j);
}

/* name NULL: the whole run */
static const struct ep_gate_item *find_item(const struct ep_gate *gate, const char *name)
{
	for (uint32_t i = 0; i < gate->n_items; i++) {
		const struct ep_compared_row *row = gate->items[i].row;

		if (name ? row && !strcmp(row->name, name) : !row)
			return &gate->items[i];
	}
	return NULL;
}

static bool has_failed(const struct ep_gate *gate, const char *name)
{
	const struct ep_gate_item *item = find_item(gate, name);

	return item && item->has_failed;
}

/* ---- how often ---- */

enum { N_MADE = 400 }; /* of each kind of noise */

/* Noise as bench/gate.py's traces have it, and others. */
static const struct noise kinds_of_noise[] = {
	{ 0.01, 0, 0.2, 3 },
	{ 0.01, 0.05, 0.2, 3 },
	{ 0.01, 0.05, 0, 1 },
	{ 0.01, 0.1, 0.05, 1 },
	{ 0.05, 0.02, 0.1, 1 },
};

TEST(false_alarms_are_as_few_as_said)
{
	int n_alarms = 0;

	random_state = 88172645463325252ull;
	for (size_t i = 0; i < EP_ARRAY_SIZE(kinds_of_noise) * N_MADE; i++) {
		__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

		judge_made(&j, &kinds_of_noise[i / N_MADE], same, 3);
		n_alarms += j.gate.n_failed > 0;
	}
	CHECK_MSG(n_alarms <= EP_GATE_FALSE_ALARMS * EP_ARRAY_SIZE(kinds_of_noise) * N_MADE,
		"%d alarms", n_alarms);
}

/* The fifth kind of noise is too large for 5 %, which the gate must say. */
TEST(five_per_cent_of_a_fifth_are_found)
{
	static const double slower[N_ROWS] = { 1, 1.05, 1, 1, 1, 1, 1 };

	for (size_t k = 0; k < EP_ARRAY_SIZE(kinds_of_noise); k++) {
		int n_found = 0, n_others = 0, n_undecided = 0;

		random_state = 88172645463325252ull;
		for (int i = 0; i < N_MADE; i++) {
			__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

			judge_made(&j, &kinds_of_noise[k], slower, 3);
			n_found += has_failed(&j.gate, "mix");
			n_others += j.gate.n_failed > has_failed(&j.gate, "mix");
			n_undecided += j.gate.verdict == EP_GATE_UNDECIDED;
		}
		CHECK_MSG(k == 4 ? n_undecided > 0.9 * N_MADE : n_found >= 0.85 * N_MADE,
			"noise %zu: found %d, undecided %d of %d", k, n_found, n_undecided, N_MADE);
		CHECK_MSG(n_others <= EP_GATE_FALSE_ALARMS * N_MADE, "noise %zu: others %d", k,
			n_others);
	}
}

/* ---- single cases ---- */

static const struct noise quiet = { 0.002, 0.001, 0, 1 };

TEST(a_run_that_is_slower_all_over_fails_as_a_whole)
{
	static const double factors[N_ROWS] = { 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1 };
	__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

	random_state = 1;
	judge_made(&j, &quiet, factors, 3);
	CHECK(has_failed(&j.gate, NULL));
	CHECK_CLOSE(find_item(&j.gate, NULL)->change, 0.1, 0.1);
}

TEST(what_became_quicker_does_not_make_the_rest_slower)
{
	static const double half[N_ROWS] = { 0.5, 0.5, 0.5, 0.5, 1, 1, 1 };
	static const double one[N_ROWS] = { 1, 0.5, 1, 1, 1, 1, 1 };
	const double *const cases[] = { half, one };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

		random_state = 1;
		judge_made(&j, &quiet, cases[i], 3);
		CHECK_INT(j.gate.n_failed, 0);
		CHECK_INT(j.gate.verdict, EP_GATE_PASSED);
		CHECK(fabs(find_item(&j.gate, "smooth")->change) < 0.01);
	}
}

TEST(within_the_limit_is_sure_and_passes)
{
	static const double factors[N_ROWS] = { 1, 1.02, 1, 1, 1, 1, 1 };
	__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

	random_state = 1;
	judge_made(&j, &quiet, factors, 3);
	CHECK(find_item(&j.gate, "mix")->is_sure);
	CHECK_INT(j.gate.verdict, EP_GATE_PASSED);
}

/* Two runs with as many samples each may hold the same number by chance. */
TEST(few_samples_are_not_sure_because_they_agree)
{
	static const struct noise none = { 0 };
	static const double factors[N_ROWS] = { 1, 1.25, 1, 1, 1, 1, 1 };
	__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

	make_side(&none, same, 2, &j.before);
	make_side(&none, factors, 2, &j.after);
	for (int i = 0; i < 4; i++) {
		struct side *side = i / 2 ? &j.after : &j.before;

		for (int k = 0; k < N_ROWS; k++) /* a sample each 50 ms */
			side->runs[i % 2].rows[k].self_error = sqrt(50 * times_ms[k]) / 1000;
	}
	judge_sides(&j);
	CHECK(!has_failed(&j.gate, "mix"));
	CHECK_INT(has_failed(&j.gate, NULL), true);
}

TEST(exact_runs_need_no_second)
{
	static const struct noise none = { 0 };
	static const double factors[N_ROWS] = { 1, 1.031, 1.029, 1, 1, 1, 1 };
	__attribute__((cleanup(judged_finish))) struct judged j = { 0 };

	make_side(&none, same, 1, &j.before);
	make_side(&none, factors, 1, &j.after);
	CHECK(!ep_gate_can_judge(&j.before.all, &j.after.all));
	j.before.runs[0].report.is_exact = j.after.runs[0].report.is_exact = true;
	CHECK(ep_gate_can_judge(&j.before.all, &j.after.all));
	judge_sides(&j);
	CHECK(has_failed(&j.gate, "mix"));
	CHECK(!has_failed(&j.gate, "series"));
	CHECK(!find_item(&j.gate, "mix")->is_of_rest);
}
