// SPDX-License-Identifier: BSD-3-Clause
/* Counts of places on two sides: means, errors, what surely differs and what explains a change. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/counts.h"
#include "tests/unit/compared.h"

#define EXACT(v)                                                                                   \
	{                                                                                          \
		.count = { .value = (v), .state = EP_QUANTITY_KNOWN }, .measured_share = 1         \
	}
#define ABOUT(v, e)                                                                                \
	{                                                                                          \
		.count = { .value = (v), .error = (e), .state = EP_QUANTITY_KNOWN },               \
		.measured_share = 1                                                                \
	}

enum { N_EVENTS = 4, MOST_RUNS = 6 };

static struct ep_report_event events[N_EVENTS] = { { .name = "cycles" }, { .name = "misses" },
	{ .name = "instructions" }, { .name = "faults" } };

/* A run of one procedure. */
struct made {
	struct ep_report_value values[N_EVENTS];
	struct ep_report_row row;
	struct ep_report report;
};

static void make(struct made *made, uint64_t ms)
{
	made->row = (struct ep_report_row){ .name = "solve",
		.short_name = "solve",
		.module_name = "app",
		.self_ns = ms * MS,
		.self_error = 0.0001,
		.values = made->values };
	made->report = plain();
	made->report.events = events;
	made->report.n_events = N_EVENTS;
	made->report.procedures = (struct ep_report_table){ .rows = &made->row, .n_rows = 1 };
}

struct counted {
	struct ep_comparison comparison;
	struct ep_compared_counts counts;
};

static void counted_finish(struct counted *c)
{
	ep_compared_counts_finish(&c->counts);
	ep_comparison_finish(&c->comparison);
}

/* made: (2 * n_side) those before first */
static void count(struct made *made, uint32_t n_side, const char *cpuid, struct counted *out)
{
	const struct ep_report *reports[MOST_RUNS];
	const struct ep_compared_runs before = { reports, n_side },
				      after = { reports + n_side, n_side };
	enum ep_count_wish wishes[4] = { EP_COUNT_EXPLAIN };
	const struct ep_count_question question = { &out->comparison, &before, &after, cpuid,
		wishes };

	for (uint32_t r = 0; r < 2 * n_side; r++)
		reports[r] = &made[r].report;
	CHECK_INT(ep_compare_runs(&before, &after, EP_BY_PROCEDURES, &out->comparison), 0);
	CHECK_INT(ep_compare_count(&question, &out->counts), 0);
}

static const struct ep_compared_value *value_of(const struct counted *c, const char *name)
{
	const struct ep_place_counts *place = &c->counts.places[0];

	for (uint32_t v = 0; place->values && v < c->counts.n_values; v++)
		if (!strcmp(place->values[v].name, name))
			return &place->values[v];
	return NULL;
}

/* "misses instructions" */
static const char *explaining(const struct counted *c)
{
	static char text[256];
	const struct ep_place_counts *place = &c->counts.places[0];

	*text = '\0';
	for (uint32_t i = 0; i < place->n_explaining; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			place->values[place->explaining[i]].name);
	return text;
}

/* Any difference of exact counts is one. Cycles are the time itself; 3 faults are too few for 100 ms. */
TEST(exact_counts_explain_by_their_shares)
{
	struct made made[] = {
		{ .values = { EXACT(1e9), EXACT(1e7), EXACT(1e9), EXACT(1) } },
		{ .values = { EXACT(2e9), EXACT(4e7), EXACT(1.1e9), EXACT(4) } },
	};
	__attribute__((cleanup(counted_finish))) struct counted c = { 0 };

	make(&made[0], 100);
	make(&made[1], 200);
	count(made, 1, NULL, &c);
	CHECK_STR(explaining(&c), "misses instructions");
	CHECK_INT(c.counts.places[0].n_sure, 4);
	CHECK_CLOSE(value_of(&c, "misses")->weight, 0.75, 1e-12);
	CHECK_CLOSE(value_of(&c, "misses")->change_error, 0, 0);
}

static void check_text(const struct counted *c, bool all_counts, const char *const *lines)
{
	const struct ep_compare_page page = { .comparison = &c->comparison,
		.counts = &c->counts,
		.all_counts = all_counts,
		.options = { .width = 100 },
		.top = 20 };
	EP_AUTOFREE char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(ep_compare_print_text(&page, out), 0);
	fclose(out);
	for (; *lines; lines++)
		CHECK_MSG(strstr(text, *lines) != NULL, "no line %s in %s", *lines, text);
}

/* The same as people read it. */
TEST(a_page_says_what_explains_a_change)
{
	static const char *const explaining[] = { "What explains it", "  solve, 100 ms more\n",
		"       10 M       40 M      +30 M            +300.0 %     misses\n", NULL };
	static const char *const all[] = { "What was counted",
		"        1 G        2 G       +1 G   +-400 M  +100.0 %     cycles\n",
		"          1          4         +3            +300.0 %     faults\n",
		"      mixed      mixed                                    instructions\n", NULL };
	struct made made[] = {
		{ .values = { ABOUT(1e9, 2e8), EXACT(1e7), EXACT(1e9), EXACT(1) } },
		{ .values = { ABOUT(2e9, 4e7), EXACT(4e7), EXACT(1.1e9), EXACT(4) } },
	};
	__attribute__((cleanup(counted_finish))) struct counted c = { 0 };

	make(&made[0], 100);
	make(&made[1], 200);
	made[0].values[2].is_mixed = true;
	count(made, 1, NULL, &c);
	check_text(&c, false, explaining);
	check_text(&c, true, all);
}

/* Fewer misses do not make it slower. */
TEST(what_changed_the_other_way_explains_nothing)
{
	struct made made[] = {
		{ .values = { EXACT(1e9), EXACT(4e7), EXACT(1e9), EXACT(0) } },
		{ .values = { EXACT(2e9), EXACT(1e7), EXACT(2e9), EXACT(0) } },
	};
	__attribute__((cleanup(counted_finish))) struct counted c = { 0 };

	make(&made[0], 100);
	make(&made[1], 200);
	count(made, 1, NULL, &c);
	CHECK_STR(explaining(&c), "instructions");
}

TEST(nothing_follows_from_mixed_and_unsure_counts)
{
	struct made made[] = {
		{ .values = { EXACT(1e9), EXACT(1e7), ABOUT(1e9, 3e8), EXACT(0) } },
		{ .values = { EXACT(2e9), EXACT(4e7), ABOUT(2e9, 3e8), EXACT(0) } },
	};
	__attribute__((cleanup(counted_finish))) struct counted c = { 0 };

	make(&made[0], 100);
	make(&made[1], 200);
	made[1].values[1].is_mixed = true;
	count(made, 1, NULL, &c);
	CHECK_STR(explaining(&c), "");
	CHECK(value_of(&c, "misses")->is_mixed && !value_of(&c, "misses")->is_sure);
	CHECK(isnan(value_of(&c, "misses")->change_error));
	CHECK_INT(c.counts.places[0].n_mixed, 1);
	/* sqrt(2) * 3e8 is the error of a change of 1e9 */
	CHECK(!value_of(&c, "instructions")->is_sure);
	CHECK_CLOSE(value_of(&c, "instructions")->change_error, sqrt(2) * 3e8, 1e-6);
	/* Without an error of its own one run a side tells nothing. */
	made[1].values[2].count.state = EP_QUANTITY_ROUGH;
	counted_finish(&c);
	count(made, 1, NULL, &c);
	CHECK(isnan(value_of(&c, "instructions")->change_error));
	CHECK(!value_of(&c, "instructions")->is_sure);
}

/* Counts that one of the runs does not have, or whose errors are not known, are not alike. */
TEST(a_page_says_why_nothing_surely_differs)
{
	static const struct {
		enum ep_quantity_state state;
		const char *lines[2];
	} rows[] = {
		{ EP_QUANTITY_KNOWN, { "  Nothing that was counted surely differs in solve\n" } },
		{ EP_QUANTITY_ROUGH,
			{ "  The errors of the counts are not known, so no difference is certain in solve\n" } },
		{ EP_QUANTITY_UNKNOWN, { "  No event was measured in both runs in solve\n" } },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct made made[] = {
			{ .values = { EXACT(1e9), EXACT(1e7), EXACT(1e9), EXACT(1) } },
			{ .values = { EXACT(1e9), EXACT(1e7), EXACT(1e9), EXACT(1) } },
		};
		__attribute__((cleanup(counted_finish))) struct counted c = { 0 };

		make(&made[0], 100);
		make(&made[1], 200);
		for (uint32_t e = 0; e < N_EVENTS; e++)
			made[1].values[e].count.state = rows[i].state;
		count(made, 1, NULL, &c);
		check_text(&c, false, rows[i].lines);
	}
}

/* Three runs a side with a variance of 1 each on 4 degrees of freedom, for means of 100 and 103. The tables' t of
 * 97.5 % is 2.776, that of 99.865 % 6.620. */
TEST(several_runs_bring_how_they_differ)
{
	static const double misses[] = { 99, 100, 101, 102, 103, 104 };
	struct made made[MOST_RUNS] = { 0 };
	__attribute__((cleanup(counted_finish))) struct counted c = { 0 };
	double of_mean = sqrt(2. / 3);
	const struct ep_compared_value *value;

	for (uint32_t r = 0; r < MOST_RUNS; r++) {
		make(&made[r], r < 3 ? 100 : 200);
		for (int e = 0; e < N_EVENTS; e++)
			made[r].values[e] = (struct ep_report_value)ABOUT(misses[r] * 1e6, 1e3);
		made[r].values[2] = (struct ep_report_value)EXACT(r < 3 ? 1e9 : 2e9);
	}
	count(made, 3, NULL, &c);
	value = value_of(&c, "misses");
	CHECK_CLOSE(value->before.value, 100e6, 1e-6);
	CHECK_CLOSE(value->after.value, 103e6, 1e-6);
	CHECK_CLOSE(ep_compare_margin(value->change_error * value->change_error), 2.776e6 * of_mean,
		3e3);
	CHECK_CLOSE(1.96 * value->before.error, 2.776e6 / sqrt(3), 3e3);
	CHECK(!value->is_sure); /* 3 < 6.62 * 0.816 */
	CHECK(value_of(&c, "instructions")->is_sure);
	CHECK_STR(explaining(&c), "instructions");
}

static const struct ep_report_event valgrinds[] = { { .name = "instructions" },
	{ .name = "L1-dcache-loads" }, { .name = "L1-dcache-stores" },
	{ .name = "L1-icache-load-misses" }, { .name = "L1-dcache-load-misses" },
	{ .name = "L1-dcache-store-misses" }, { .name = "LLC-icache-misses" },
	{ .name = "LLC-load-misses" }, { .name = "LLC-store-misses" },
	{ .name = "conditional-branches" }, { .name = "conditional-branch-misses" },
	{ .name = "indirect-branches" }, { .name = "indirect-branch-misses" } };

/* The metrics of the CPU's models: LCPI of valgrind's machine by hand. */
TEST(metrics_are_those_of_the_place)
{
	struct ep_report_value of[2][EP_ARRAY_SIZE(valgrinds)] = {
		{ EXACT(1000), EXACT(400), EXACT(0), EXACT(0), EXACT(50), EXACT(0), EXACT(0),
			EXACT(25), EXACT(0), EXACT(10), EXACT(0), EXACT(0), EXACT(0) },
		{ EXACT(1000), EXACT(400), EXACT(0), EXACT(0), EXACT(50), EXACT(0), EXACT(0),
			EXACT(0), EXACT(0), EXACT(10), EXACT(0), EXACT(0), EXACT(0) },
	};
	struct made made[2] = { 0 };
	char root[4200];
	__attribute__((cleanup(counted_finish))) struct counted c = { 0 };

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	for (int r = 0; r < 2; r++) {
		make(&made[r], r ? 10 : 200);
		made[r].row.values = of[r];
		made[r].report.events = (struct ep_report_event *)valgrinds;
		made[r].report.n_events = EP_ARRAY_SIZE(valgrinds);
	}
	count(made, 1, "valgrind", &c);
	/* (400 * 1 + 50 * 10 + 25 * 100) / 1000 */
	CHECK_CLOSE(value_of(&c, "data_accesses")->before.value, 3.4, 1e-12);
	CHECK_CLOSE(value_of(&c, "data_accesses")->after.value, 0.9, 1e-12);
	CHECK(value_of(&c, "data_accesses")->is_sure);
	CHECK_STR(value_of(&c, "data_accesses")->model, "lcpi");
	/* 1 / (1 + 0.5 + 2.5) */
	CHECK_CLOSE(value_of(&c, "IPC")->before.value, 0.25, 1e-12);
	CHECK(!ep_quantity_is_known(&value_of(&c, "data_TLB")->before));
}

/* Rates of misses cost time where they grow, and only by as many misses as the time has room for: here one in 2 us of
 * 100 ms, thus 50000. */
TEST(rates_explain_by_what_they_may_cost)
{
	static const struct {
		double instructions, before, after;
		bool explains;
	} rows[] = {
		{ 1e9, 1, 4, true },
		{ 1e9, 4, 1, false },          /* fewer do not make it slower */
		{ 1e9, 0.0001, 0.001, false }, /* 900 misses */
		{ 1e9, 0.01, 0.07, true },     /* 60000 */
		{ 1e8, 0.01, 0.07, false },    /* 6000 */
		{ NAN, 0.0001, 0.001, false }, /* 9000 at 50 instructions in each of 200 M ns */
		{ NAN, 1, 4, true },
	};
	const struct ep_compared_row row = {
		.is_before = true, .is_after = true, .before_ns = 100 * MS, .after_ns = 200 * MS
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		bool is_counted = !isnan(rows[i].instructions);
		struct ep_compared_value values[] = {
			{ .name = "instructions",
				.before = ep_quantity_exact(rows[i].instructions),
				.after = ep_quantity_exact(rows[i].instructions) },
			{ .name = "Cache_MPKI",
				.model = "linux",
				.unit = "per 1000 instructions",
				.before = ep_quantity_exact(rows[i].before),
				.after = ep_quantity_exact(rows[i].after),
				.is_sure = true },
		};
		struct ep_place_counts place = { .values = values, .is_asked = true };

		if (!is_counted)
			values[0].before = ep_quantity_unknown(NULL);
		ep_compare_weigh(&row, EP_ARRAY_SIZE(values), &place);
		CHECK_MSG((place.n_explaining == 1) == rows[i].explains, "row %zu: %u explain", i,
			place.n_explaining);
	}
}
