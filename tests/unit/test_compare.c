// SPDX-License-Identifier: BSD-3-Clause
/* Two reports' rows find each other, and what changed most comes first. */
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "tests/unit/compared.h"

static struct ep_report_row row(const char *name, const char *module, uint64_t ms, double error)
{
	return (struct ep_report_row){
		.short_name = name, .module_name = module, .self_ns = ms * MS, .self_error = error
	};
}

static struct ep_report report_of(struct ep_report_row *rows, uint32_t n)
{
	struct ep_report report = plain();

	report.procedures.rows = rows;
	report.procedures.n_rows = n;
	return report;
}

static const struct ep_compared_row *find(const struct ep_comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_rows; i++)
		if (!strcmp(c->rows[i].name, name))
			return &c->rows[i];
	return NULL;
}

TEST(rows_are_matched_and_ordered)
{
	struct ep_report_row old_rows[] = {
		row("solve", "app.v1", 500, 0.01),
		row("helper", "libone.so", 100, 0.01),
		row("helper", "libtwo.so", 50, 0.01),
		row("twice", "app.v1", 30, 0.003),
		row("twice", "app.v1", 10, 0.004),
		row("gone", "app.v1", 20, 0.01),
	};
	struct ep_report_row new_rows[] = {
		row("helper", "libtwo.so", 60, 0.01),
		row("helper", "libone.so", 100, 0.01),
		row("solve", "app.v2", 200, 0.01),
		row("twice", "app.v2", 40, 0.0),
		row("fresh", "app.v2", 70, 0.01),
	};
	struct ep_report before = report_of(old_rows, EP_ARRAY_SIZE(old_rows));
	struct ep_report after = report_of(new_rows, EP_ARRAY_SIZE(new_rows));
	struct ep_comparison c;

	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK_INT(c.n_rows, 6);
	CHECK_STR(c.rows[0].name, "solve");
	CHECK_STR(c.rows[0].module_name, "app.v2");
	CHECK(c.rows[0].is_before && c.rows[0].is_after);
	CHECK_CLOSE(ep_compared_change(&c.rows[0]), -300. * MS, 1);
	CHECK_CLOSE(c.rows[0].variance, 2 * 1e14, 1e3); /* (1 % of 1 s)^2, of both */
	CHECK(ep_compared_is_sure(&c.rows[0]));
	CHECK_STR(c.rows[1].name, "fresh");
	CHECK(!c.rows[1].is_before && c.rows[1].is_after);
	CHECK_STR(c.rows[2].name, "gone");
	CHECK(c.rows[2].is_before && !c.rows[2].is_after);
	CHECK(!ep_compared_is_sure(&c.rows[2]));
	CHECK_STR(c.rows[3].name, "helper");
	CHECK_STR(c.rows[3].module_name, "libtwo.so");
	CHECK_CLOSE(ep_compared_change(&c.rows[3]), 10. * MS, 1);
	CHECK_CLOSE(find(&c, "twice")->variance, 0.25e14, 1e3); /* 0.3 and 0.4 % together */
	CHECK_CLOSE(ep_compared_change(find(&c, "twice")), 0, 1);
	ep_comparison_finish(&c);
}

TEST(names_that_stand_for_several_stay_apart)
{
	struct ep_report_row old_rows[] = { row("run", "a", 10, 0), row("run", "b", 10, 0) };
	struct ep_report_row new_rows[] = { row("run", "c", 10, 0) };
	struct ep_report before = report_of(old_rows, 2), after = report_of(new_rows, 1);
	struct ep_comparison c;

	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK_INT(c.n_rows, 3);
	ep_comparison_finish(&c);
}

TEST(lines_are_told_apart_by_place)
{
	struct ep_report_row old_rows[] = { row("f", "a", 10, 0), row("f", "a", 20, 0) };
	struct ep_report before = report_of(NULL, 0), after = report_of(NULL, 0);
	struct ep_comparison c;

	old_rows[0].hot_file = old_rows[1].hot_file = "/src/f.c";
	old_rows[0].hot_line = 1;
	old_rows[1].hot_line = 2;
	before.lines.rows = after.lines.rows = old_rows;
	before.lines.n_rows = after.lines.n_rows = 2;
	CHECK_INT(compare(&before, &after, EP_BY_LINES, &c), 0);
	CHECK_INT(c.n_rows, 2);
	CHECK_STR(c.rows[0].file, "f.c");
	CHECK_INT(c.rows[0].line + c.rows[1].line, 3);
	ep_comparison_finish(&c);
}

/* Without lines a loop is told apart by its name, which has its address. */
TEST(loops_are_told_apart_by_place)
{
	struct ep_report_row rows[] = { row("f", "a", 10, 0), row("f", "a", 20, 0),
		row("f", "a", 5, 0), row("f", "a", 7, 0) };
	struct ep_report before = report_of(NULL, 0), after = report_of(NULL, 0);
	struct ep_comparison c;

	for (int i = 0; i < 4; i++)
		rows[i].depth = 1;
	rows[0].hot_file = rows[1].hot_file = "/src/f.c";
	rows[0].hot_line = 1;
	rows[1].hot_line = 2;
	rows[2].name = "loop at 0x10 in f";
	rows[3].name = "loop at 0x20 in f";
	before.loops.rows = after.loops.rows = rows;
	before.loops.n_rows = after.loops.n_rows = 4;
	CHECK_INT(compare(&before, &after, EP_BY_LOOPS, &c), 0);
	CHECK_INT(c.n_rows, 4);
	for (uint32_t i = 0; i < c.n_rows; i++)
		CHECK(c.rows[i].is_before && c.rows[i].is_after);
	CHECK(find(&c, "loop at 0x10 in f"));
	ep_comparison_finish(&c);
}

TEST(activities_are_compared)
{
	struct ep_report before = report_of(NULL, 0), after = report_of(NULL, 0);
	struct ep_comparison c;

	before.activities[before.n_activities++] = (struct ep_report_activity){
		.activity = EP_ACTIVITY_MPI, .ns = 400 * MS, .error = 0.01
	};
	before.activities[before.n_activities++] =
		(struct ep_report_activity){ .activity = EP_ACTIVITY_OWN, .ns = 600 * MS };
	after.activities[after.n_activities++] =
		(struct ep_report_activity){ .activity = EP_ACTIVITY_OWN, .ns = 650 * MS };
	CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
	CHECK_INT(c.activities[0].activity, EP_ACTIVITY_MPI);
	CHECK_CLOSE(c.activities[0].before_ns - c.activities[0].after_ns, 400. * MS, 1);
	CHECK_CLOSE(c.activities[0].variance, 1e14, 1e3);
	CHECK_INT(c.activities[1].activity, EP_ACTIVITY_OWN);
	CHECK_CLOSE(c.activities[2].before_ns, 0, 0);
	ep_comparison_finish(&c);
}

static double self_of(const struct ep_comparison *c, const char *name, bool is_after)
{
	const struct ep_compared_row *found = find(c, name);

	return found ? (is_after ? found->after_ns : found->before_ns) / MS : -1;
}

enum { N_BEFORE = 3, N_AFTER = 2 };

/* Samples let expect that solve differs by 1 ms from run to run, and it does by 10. */
TEST(several_runs_are_means_that_know_how_they_differ)
{
	static const uint64_t solve_ms[] = { 90, 100, 110, 150, 150 };
	struct ep_report_row rows[N_BEFORE + N_AFTER][2];
	struct ep_report reports[N_BEFORE + N_AFTER];
	const struct ep_report *runs[N_BEFORE + N_AFTER];
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };
	/* The three before have a variance of 100, on three degrees of freedom with the others'. */
	double by_runs = 200. / 3 * (1. / N_BEFORE + 1. / N_AFTER);

	for (uint32_t i = 0; i < EP_ARRAY_SIZE(runs); i++) {
		rows[i][0] = row("solve", "app", solve_ms[i], 0.001);
		rows[i][1] = row(i == 1 ? "rare" : "helper", "app", 30, 0.001);
		reports[i] = report_of(rows[i], 2);
		reports[i].cpu_ns = solve_ms[i] * MS;
		runs[i] = &reports[i];
	}
	CHECK_INT(ep_compare_runs(&(struct ep_compared_runs){ runs, N_BEFORE },
			  &(struct ep_compared_runs){ runs + N_BEFORE, N_AFTER }, EP_BY_PROCEDURES,
			  &c),
		0);
	CHECK_CLOSE(self_of(&c, "solve", false), 100, 1e-9);
	CHECK_CLOSE(self_of(&c, "solve", true), 150, 1e-9);
	CHECK_CLOSE(self_of(&c, "helper", false), 20, 1e-9);
	CHECK_CLOSE(self_of(&c, "rare", false), 10, 1e-9);
	CHECK_INT(c.before->cpu_ns, 100 * MS);
	CHECK_INT(c.after->cpu_ns, 150 * MS);
	/* t of three degrees of freedom, 97.5 %: 3.182, of the tables. */
	CHECK_CLOSE(
		ep_compare_margin(find(&c, "solve")->variance) / MS, 3.182 * sqrt(by_runs), 1e-2);
}

/* Where runs agree by chance, the samples' own error stands. */
TEST(runs_that_agree_are_no_surer_than_samples)
{
	struct ep_report_row rows[] = { row("solve", "app", 100, 0.003) };
	struct ep_report report = report_of(rows, 1);
	const struct ep_report *runs[] = { &report, &report };
	struct ep_compared_runs side = { runs, 2 };
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };

	CHECK_INT(ep_compare_runs(&side, &side, EP_BY_PROCEDURES, &c), 0);
	CHECK_CLOSE(sqrt(c.rows[0].variance) / MS, 3, 1e-9);
}

/* A run whose waits nobody noted did not wait for locks for 0 s. */
TEST(a_mean_needs_each_run)
{
	struct ep_report_row one = row("solve", "app", 300, 0.02);
	struct ep_report noted = report_of(&one, 1), plain_run = report_of(&one, 1);
	const struct ep_report *both[] = { &noted, &plain_run };
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };

	noted.has_noted_waits = true;
	noted.lock_ns = 8 * MS;
	plain_run.waits.is_unknown = true;
	CHECK_INT(ep_compare_runs(&(struct ep_compared_runs){ both, 2 },
			  &(struct ep_compared_runs){ both, 1 }, EP_BY_PROCEDURES, &c),
		0);
	CHECK(!c.before->has_noted_waits && c.before->waits.is_unknown);
	CHECK(c.after->has_noted_waits && !c.after->waits.is_unknown);
}

/* A factor as wide as its column, beside a number that fills its own. */
TEST(numbers_of_the_whole_stay_apart)
{
	static const struct {
		double before, after;
		const char *text;
	} rows[] = {
		{ 147523, 10747039, " 10,747,039 72.8 times\n" },
		{ 1, 123456789, " 123,456,789 123,456,789 times\n" },
		{ 10, 9994, " 9,994 999 times\n" },
		{ 10, 9996, " 9,996 1,000 times\n" },
		{ 100000000000000, 150000000000000, " 150,000,000,000,000   +50.0 %\n" },
	};
	struct ep_report_row before_row = row("solve", "app", 300, 0.02),
			     after_row = row("solve", "app", 300, 0.02);

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_report before = report_of(&before_row, 1);
		struct ep_report after = report_of(&after_row, 1);
		struct ep_report_event events[2] = {
			{ .name = "faults",
				.unit = "",
				.total.count = ep_quantity_exact(rows[i].before) },
			{ .name = "faults",
				.unit = "",
				.total.count = ep_quantity_exact(rows[i].after) },
		};
		__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };
		struct ep_compare_page page = {
			.comparison = &c, .options = { .width = 100 }, .top = 20
		};
		EP_AUTOFREE char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		before.events = &events[0];
		after.events = &events[1];
		before.n_events = after.n_events = 1;
		CHECK_INT(compare(&before, &after, EP_BY_PROCEDURES, &c), 0);
		CHECK_INT(ep_compare_print_text(&page, out), 0);
		fclose(out);
		CHECK_MSG(strstr(text, rows[i].text) != NULL, "%s", text);
	}
}

/* The loop of a procedure that was renamed and moved by a line, and one that is gone, which keeps its old name. */
TEST(renamed_procedures_keep_their_loops)
{
	struct ep_report_caller of_old = { "old", 50 * MS, 1 }, of_new = { "fresh", 50 * MS, 1 };
	struct ep_report_row old_rows[] = { row("old", "app", 300, 0.01),
		row("leaf", "app", 50, 0.01) };
	struct ep_report_row new_rows[] = { row("fresh", "app", 200, 0.01),
		row("leaf", "app", 50, 0.01) };
	struct ep_report_row old_loops[] = { row("old", "app", 200, 0.01),
		row("old", "app", 90, 0.01), row("old, outside loops", "app", 10, 0.01) };
	struct ep_report_row new_loops[] = { row("fresh", "app", 190, 0.01),
		row("fresh, outside loops", "app", 10, 0.01) };
	struct ep_report before = report_of(old_rows, 2), after = report_of(new_rows, 2);
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };

	old_rows[1].callers = &of_old;
	new_rows[1].callers = &of_new;
	old_rows[1].n_callers = new_rows[1].n_callers = 1;
	old_rows[1].total_ns = new_rows[1].total_ns = 50 * MS;
	for (int i = 0; i < 2; i++) {
		old_loops[i].hot_file = "/a/fem.c";
		old_loops[i].hot_line = i ? 30 : 20;
		old_loops[i].depth = 1 + (uint32_t)i;
	}
	new_loops[0].hot_file = "/b/fem.c";
	new_loops[0].hot_line = 20;
	new_loops[0].depth = 1;
	before.loops = (struct ep_report_table){ .rows = old_loops, .n_rows = 3 };
	after.loops = (struct ep_report_table){ .rows = new_loops, .n_rows = 2 };
	CHECK_INT(compare(&before, &after, EP_BY_LOOPS, &c), 0);
	CHECK_INT(c.n_rows, 3);
	CHECK_STR(find(&c, "fresh")->was, "old");
	CHECK_INT(find(&c, "fresh")->line, 20);
	CHECK_STR(find(&c, "fresh, outside loops")->was, "old, outside loops");
	CHECK(find(&c, "old") && !find(&c, "old")->was && !find(&c, "old")->is_after);
	CHECK_INT(find(&c, "old")->line, 30);
}

static struct ep_report_row line(const char *name, const char *file, uint32_t number, uint64_t ms)
{
	struct ep_report_row made = row(name, "app", ms, 0.01);

	made.hot_file = file;
	made.hot_line = number;
	return made;
}

/* A file was renamed, and three lines were added at its head; one of its lines is gone. */
TEST(lines_of_a_renamed_file_stay_the_same)
{
	struct ep_report_row old_rows[] = { row("solve", "app", 300, 0.01) };
	struct ep_report_row new_rows[] = { row("solve", "app", 200, 0.01) };
	struct ep_report_row old_lines[] = { line("solve", "/a/old.c", 20, 250),
		line("solve", "/a/old.c", 25, 50) };
	struct ep_report_row new_lines[] = { line("solve", "/a/new.c", 23, 200) };
	struct ep_report before = report_of(old_rows, 1), after = report_of(new_rows, 1);
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };

	old_rows[0].file = "/a/old.c";
	old_rows[0].line = 10;
	new_rows[0].file = "/a/new.c";
	new_rows[0].line = 13;
	before.lines = (struct ep_report_table){ .rows = old_lines, .n_rows = 2 };
	after.lines = (struct ep_report_table){ .rows = new_lines, .n_rows = 1 };
	CHECK_INT(compare(&before, &after, EP_BY_LINES, &c), 0);
	CHECK_INT(c.n_rows, 2);
	for (uint32_t i = 0; i < c.n_rows; i++) {
		const struct ep_compared_row *found = &c.rows[i];

		CHECK(found->is_before);
		CHECK_STR(found->file, found->is_after ? "new.c" : "old.c");
		CHECK_INT(found->line, found->is_after ? 23 : 25);
		CHECK_INT(found->was_line, found->is_after ? 20 : 0);
		CHECK_MSG(found->is_after == (found->was_file != NULL), "row %u", i);
		CHECK_CLOSE(found->before_ns, (found->is_after ? 250. : 50.) * MS, 1);
	}
}

/* A loop that was inlined where its caller was renamed, and its file. */
TEST(inlined_loops_follow_their_caller)
{
	struct ep_report_caller of_old = { "old", 50 * MS, 1 }, of_new = { "fresh", 50 * MS, 1 };
	struct ep_report_row old_rows[] = { row("old", "app", 300, 0.01),
		row("leaf", "app", 50, 0.01) };
	struct ep_report_row new_rows[] = { row("fresh", "app", 200, 0.01),
		row("leaf", "app", 50, 0.01) };
	struct ep_report_row old_loop = line("sum, inlined in old", "/a/old.h", 20, 200);
	struct ep_report_row new_loop = line("sum, inlined in fresh", "/a/new.h", 22, 100);
	struct ep_report before = report_of(old_rows, 2), after = report_of(new_rows, 2);
	__attribute__((cleanup(ep_comparison_finish))) struct ep_comparison c = { 0 };

	old_rows[1].callers = &of_old;
	new_rows[1].callers = &of_new;
	old_rows[1].n_callers = new_rows[1].n_callers = 1;
	old_rows[1].total_ns = new_rows[1].total_ns = 50 * MS;
	old_loop.depth = new_loop.depth = 1;
	before.loops = (struct ep_report_table){ .rows = &old_loop, .n_rows = 1 };
	after.loops = (struct ep_report_table){ .rows = &new_loop, .n_rows = 1 };
	CHECK_INT(compare(&before, &after, EP_BY_LOOPS, &c), 0);
	CHECK_INT(c.n_rows, 1);
	CHECK_STR(c.rows[0].name, "sum, inlined in fresh");
	CHECK_STR(c.rows[0].was, "sum, inlined in old");
	CHECK_STR(c.rows[0].was_file, "old.h");
	CHECK_INT(c.rows[0].line, 22);
	CHECK_INT(c.rows[0].was_line, 20);
}
