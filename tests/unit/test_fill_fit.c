// SPDX-License-Identifier: BSD-3-Clause
/* Which filler a trace gets, by name and by length, and how an estimator fills a stretch of it. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/estimate/estimate.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/load/load.h"

TEST(by_length)
{
	static const struct {
		struct ep_traces_length length;
		const char *name, *why;
	} rows[] = {
		{ { 0, false }, "auto", "about 0 slices, so few that all estimators are compared" },
		{ { 10000, false }, "auto",
			"about 10000 slices, so few that all estimators are compared" },
		{ { 10001, false }, "path",
			"about 10001 slices, too many to compare all estimators in seconds" },
		{ { 2000000, false }, "path",
			"about 2000000 slices, too many to compare all estimators in seconds" },
		{ { 2000001, false }, "hold",
			"about 2000001 slices, too many to estimate errors in seconds" },
		{ { 0, true }, "path", "the number of slices in a pipe is not known in advance" },
		{ { 2000001, true }, "hold",
			"the number of slices in a pipe is not known in advance" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_filler_choice choice = ep_filler_choose(&rows[i].length);

		CHECK_STR(choice.filler->name, rows[i].name);
		CHECK_STR(choice.why, rows[i].why);
	}
}

TEST(a_pipe_and_what_is_not_there_are_of_no_known_length)
{
	const char *const pipe[] = { "-", NULL }, *const none[] = { "/nosuch/trace.gz", NULL };

	CHECK_STR(ep_filler_default(pipe).filler->name, "path");
	CHECK_STR(ep_filler_default(none).filler->name, "path");
}

TEST(by_name)
{
	CHECK_STR(ep_filler_find("nonlinear")->name, "nonlinear");
	CHECK(!ep_filler_find("nonlinear")->uses_places);
	CHECK(ep_filler_find("auto")->uses_places);
	CHECK_STR(ep_filler_find("hold")->name, "hold");
	CHECK_STR(ep_filler_find("path")->name, "path");
	CHECK(!ep_filler_find("nosuch"));
	for (const char *const *name = ep_estimator_names(); *name; name++)
		CHECK(ep_filler_find(*name) && !strcmp(ep_filler_find(*name)->name, *name));
}

/* ---- filling ---- */

enum { T = 240, E = 3, X = 1, Y = 2 };

static struct {
	double cpu_us[T], values[T * E], truth[T * E], variances[T * E];
	uint8_t state[T * E];
	struct ep_fill_quality quality[E];
	uint64_t places[T], sites[T];
	struct ep_value_change changes[T * E];
	struct ep_stretch stretch;
} of;

/* X and Y take turns beside a count that is always on; nobody knows where. */
static void begin(double (*truth)(uint32_t i, uint32_t e))
{
	memset(&of, 0, sizeof(of));
	for (uint32_t i = 0; i < T; i++) {
		of.cpu_us[i] = 1000;
		for (uint32_t e = 0; e < E; e++) {
			size_t at = i * E + e;
			bool is_measured = e == 0 || i % 2 == e - 1;

			of.truth[at] = truth(i, e);
			of.values[at] = is_measured ? of.truth[at] : 0;
			of.state[at] = is_measured ? EP_VALUE_MEASURED : EP_VALUE_MISSING;
		}
	}
	of.stretch = (struct ep_stretch){ T, E, of.cpu_us, of.values, of.state, of.variances,
		of.quality, of.places, of.sites, of.changes, false };
}

static void fill_named(const char *name, const char *first_event)
{
	const char *names[E] = { first_event, "x", "y" };
	uint8_t always[E] = { 1 };
	const struct ep_filler_ops *filler = ep_filler_find(name);
	struct ep_fill_events events = {
		.n_events = E, .names = names, .always = always, .filler = filler
	};
	void *process = filler->process_create ? filler->process_create(&events) : &events;

	filler->fill(process, &of.stretch);
	if (filler->process_destroy)
		filler->process_destroy(process);
}

static void fill(const char *name)
{
	fill_named(name, "cycles");
}

static double sum_of(const double *cells, uint32_t e)
{
	double sum = 0;

	for (uint32_t i = 0; i < T; i++)
		sum += cells[i * E + e];
	return sum;
}

/* Cycles of 1000 and 2000; x and y rise, and shake a little. */
static double rising(uint32_t i, uint32_t e)
{
	double cycles = i % 3 ? 1000 : 2000;

	return e ? cycles * (e + 0.01 * i + 0.1 * (i * 7 % 5)) : cycles;
}

TEST(an_estimator_fills_by_the_clock)
{
	begin(rising);
	of.stretch.places = of.stretch.sites = NULL;
	of.stretch.changes = NULL;
	fill("linear");
	for (uint32_t i = 1; i + 1 < T; i++) {
		size_t at = i * E + (i % 2 ? X : Y), before = at - E, after = at + E;
		double rate = of.truth[before] / of.truth[(i - 1) * E] +
			      of.truth[after] / of.truth[(i + 1) * E];

		CHECK_INT(of.state[at], EP_VALUE_FILLED);
		CHECK_CLOSE(of.values[at], rate / 2 * of.truth[i * E], 1e-9);
		CHECK(of.variances[at] > 0);
		CHECK_CLOSE(of.variances[before], 0, 0);
		CHECK_INT(of.state[before], EP_VALUE_MEASURED);
	}
	CHECK_STR(of.quality[X].estimator, "linear");
	CHECK(of.quality[X].holdout_error > 0.01 && of.quality[X].holdout_error < 0.2);
	/* of the sum: the cells' add up to it */
	CHECK_CLOSE(of.quality[X].variance, sum_of(of.variances, X), 1e-9);
	CHECK(!of.quality[0].estimator);
	CHECK(!of.stretch.has_changes);
}

/* Each second slice, which measures y, gets less done in its CPU time. */
static double slowed(uint32_t i, uint32_t e)
{
	static const double per_step[E] = { 10, 30, 7 };

	return per_step[e] * (i % 2 ? 96 : 100);
}

/* Steps as before; the first event is a rare one. */
static double rarely(uint32_t i, uint32_t e)
{
	return e ? slowed(0, e) : i % 50 == 0 ? 400 : 0;
}

/* CPU time would say 2 % more x and 2 % less y. */
TEST(an_event_that_goes_on_steadily_is_a_clock)
{
	static const char *const fillers[] = { "fixed", "linear", "path", "auto" };

	for (size_t k = 0; k < EP_ARRAY_SIZE(fillers); k++) {
		begin(slowed);
		fill_named(fillers[k], "steps");
		CHECK_CLOSE(sum_of(of.values, X), sum_of(of.truth, X), 1e-6);
		CHECK_CLOSE(sum_of(of.values, Y), sum_of(of.truth, Y), 1e-6);
		begin(rarely);
		fill_named(fillers[k], "page-faults");
		CHECK_CLOSE(sum_of(of.values, X), sum_of(of.truth, X), 1e-6);
	}
}

/* Fillers have no state but that of a process. */
TEST(finding_another_filler_changes_none)
{
	const char *names[E] = { "cycles", "x", "y" };
	uint8_t always[E] = { 0 };
	const struct ep_filler_ops *linear = ep_filler_find("linear");
	const struct ep_filler_ops *fixed = ep_filler_find("fixed");
	struct ep_fill_events events = {
		.n_events = E, .names = names, .always = always, .filler = linear
	};

	CHECK(ep_filler_find("auto")->uses_places && !linear->uses_places);
	CHECK_STR(linear->name, "linear");
	CHECK_STR(fixed->name, "fixed");
	begin(rising);
	linear->fill(&events, &of.stretch);
	CHECK_STR(of.quality[X].estimator, "linear");
}

/* Within a gap of three slices a line's errors go one way. */
TEST(variances_add_up_to_the_sums)
{
	begin(rising);
	for (uint32_t i = 0; i < T; i += 4)
		of.state[i * E + X] = EP_VALUE_MISSING;
	fill("linear");
	CHECK(of.quality[X].variance > 0);
	CHECK_CLOSE(of.quality[X].variance, sum_of(of.variances, X), 1e-9);
}

/* X's counter stops for two thirds of the slices. */
static void stop_x(void)
{
	for (uint32_t i = 40; i < 200; i++)
		of.state[i * E + X] = EP_VALUE_MISSING;
}

TEST(a_gaps_variances_are_those_of_its_sum)
{
	begin(rising);
	stop_x();
	fill("linear");
	CHECK_CLOSE(of.quality[X].variance, sum_of(of.variances, X), 1e-9);
	/* half of the mean in 160 of 240 slices */
	CHECK(sqrt(of.quality[X].variance) > 0.3 * sum_of(of.truth, X));
	CHECK(sqrt(of.quality[X].variance) < 0.6 * sum_of(of.truth, X));
}

TEST(a_gaps_errors_are_in_the_replicas)
{
	float changes[EP_N_REPLICAS] = { 0 };

	begin(rising);
	stop_x();
	for (uint32_t i = 0; i < T; i++)
		of.places[i] = of.sites[i] = 1 + i * 2654435761u % 40;
	fill("auto");
	for (uint32_t i = 0; i < T; i++)
		for (int k = 0; k < 3; k++)
			changes[of.changes[i * E + X].replica[k]] += of.changes[i * E + X].by[k];
	CHECK(sqrt(ep_replica_variance(changes)) > 0.1 * sum_of(of.truth, X));
	CHECK(fabs(sum_of(of.values, X) - sum_of(of.truth, X)) <
		1.96 * sqrt(ep_replica_variance(changes)));
}

/* No cycles: CPU time tells how long a slice was. */
static double per_time(uint32_t i, uint32_t e)
{
	return e ? of.cpu_us[i] * e : 5;
}

TEST(cpu_time_is_the_clock_where_there_is_no_other)
{
	const char *names[E] = { "n", "x", "y" };
	uint8_t always[E] = { 0 };
	const struct ep_filler_ops *filler = ep_filler_find("fixed");
	struct ep_fill_events events = {
		.n_events = E, .names = names, .always = always, .filler = filler
	};

	begin(per_time);
	for (uint32_t i = 0; i < T; i++) {
		of.cpu_us[i] = i % 3 ? 1000 : 500;
		for (uint32_t e = X; e < E; e++) {
			of.truth[i * E + e] = per_time(i, e);
			if (of.state[i * E + e] == EP_VALUE_MEASURED)
				of.values[i * E + e] = of.truth[i * E + e];
		}
	}
	filler->fill(&events, &of.stretch);
	for (size_t at = 0; at < T * E; at++)
		CHECK_CLOSE(of.values[at], of.truth[at], 1e-9);
}

/* Only the procedure differs: three slices each by turns. */
static double by_procedure(uint32_t i, uint32_t e)
{
	return e ? (i * 2654435761u >> 28 & 1 ? 900 : 100) * e : 1000;
}

TEST(auto_takes_path_where_places_tell_more)
{
	begin(by_procedure);
	for (uint32_t i = 0; i < T; i++)
		of.places[i] = of.sites[i] = of.truth[i * E + X] > 500 ? 1 : 2;
	of.variances[X] = 5; /* measured, but for a part of the slice */
	fill("auto");
	CHECK_CLOSE(of.variances[X], 5, 0);
	CHECK_STR(of.quality[X].estimator, "path");
	CHECK_STR(of.quality[Y].estimator, "path");
	CHECK(of.stretch.has_changes);
}

/* Where path does better four times in a row nobody else is asked: of a fifth stretch, in which all
 * places are new, it is path that fills it. */
TEST(auto_leaves_a_process_to_path_that_won_again_and_again)
{
	const char *names[E] = { "cycles", "x", "y" };
	uint8_t always[E] = { 0 };
	const struct ep_filler_ops *filler = ep_filler_find("auto");
	struct ep_fill_events events = {
		.n_events = E, .names = names, .always = always, .filler = filler
	};
	void *process = filler->process_create(&events);

	for (int i = 0; i < 5; i++) {
		begin(i < 4 ? by_procedure : rising);
		for (uint32_t k = 0; k < T; k++)
			of.places[k] = of.sites[k] = i == 4 ? 1 + k * 2654435761u % 40
							    : (of.truth[k * E + X] > 500 ? 1 : 2);
		filler->fill(process, &of.stretch);
		CHECK_STR(of.quality[X].estimator, "path");
	}
	filler->process_destroy(process);
}

/* Errors that no replica knows are spread over the replicas: squares add up to the variance. */
TEST(auto_takes_time_where_places_tell_nothing)
{
	double squares = 0;
	uint32_t n_up = 0, n_filled = 0, in_first = 0;

	begin(rising);
	for (uint32_t i = 0; i < T; i++)
		of.places[i] = of.sites[i] = 1 + i * 2654435761u % 40;
	fill("auto");
	CHECK(of.quality[X].estimator && strcmp(of.quality[X].estimator, "path"));
	CHECK(of.stretch.has_changes);
	for (uint32_t i = 0; i < T; i++) {
		const struct ep_value_change *change = &of.changes[i * E + X];

		CHECK_CLOSE(of.variances[i * E + X], 0, 0);
		CHECK_INT(change->by[0] != 0, of.state[i * E + X] == EP_VALUE_FILLED);
		CHECK(change->replica[0] < EP_N_REPLICAS && !change->by[1] && !change->by[2]);
		squares += (double)change->by[0] * (double)change->by[0];
		n_filled += change->by[0] != 0;
		n_up += change->by[0] > 0;
		in_first += change->by[0] != 0 && !change->replica[0];
	}
	CHECK_CLOSE(squares * (EP_N_REPLICAS - 1) / EP_N_REPLICAS, of.quality[X].variance, 1e-5);
	CHECK(n_up > n_filled / 3 && n_up < n_filled * 2 / 3);
	CHECK(in_first < n_filled / 6);
}

TEST(nothing_to_do_and_nothing_to_go_by)
{
	begin(rising);
	for (size_t at = 0; at < T * E; at++)
		of.state[at] = EP_VALUE_MEASURED;
	fill("auto");
	CHECK(!of.stretch.has_changes);
	CHECK(!of.quality[X].estimator);
	begin(rising);
	for (size_t i = 0; i < T; i++)
		of.state[i * E + Y] = EP_VALUE_MISSING;
	fill("linear");
	CHECK_INT(of.state[Y], EP_VALUE_MISSING);
	CHECK(!of.quality[Y].estimator);
	CHECK_STR(of.quality[X].estimator, "linear");
}

TEST(outliers_are_counted)
{
	begin(rising);
	of.values[100 * E + X] = 1e9;
	fill("fixed");
	CHECK_INT(of.quality[X].n_outliers, 1);
	CHECK_INT(of.quality[Y].n_outliers, 0);
}

/* Gaps whose errors are independent, in one stretch and in several, have a sum whose error is the
 * root of the sum of their squares. */
TEST(what_goes_by_chance_adds_up_as_chance)
{
	enum { N_STRETCHES = 20 };
	float all[EP_N_REPLICAS] = { 0 };
	double squares_of_all = 0, ratios = 0;

	for (uint64_t seed = 1; seed <= N_STRETCHES; seed++) {
		float sums[EP_N_REPLICAS] = { 0 };
		double squares = 0;

		begin(rising);
		of.stretch.seed = seed;
		for (uint32_t i = 0; i < T; i++)
			of.places[i] = of.sites[i] = 1 + i * 2654435761u % 40;
		fill("auto");
		for (uint32_t i = 0; i < T; i++) {
			const struct ep_value_change *change = &of.changes[i * E + X];

			sums[change->replica[0]] += change->by[0];
			all[change->replica[0]] += change->by[0];
			squares += (double)change->by[0] * (double)change->by[0];
		}
		squares *= (EP_N_REPLICAS - 1.0) / EP_N_REPLICAS;
		squares_of_all += squares;
		ratios += ep_replica_variance(sums) / squares;
	}
	CHECK(ratios / N_STRETCHES > 0.7 && ratios / N_STRETCHES < 1.4);
	CHECK(ep_replica_variance(all) > 0.3 * squares_of_all);
	CHECK(ep_replica_variance(all) < 2.5 * squares_of_all);
	printf("# %.2f, %.2f\n", ratios / N_STRETCHES, ep_replica_variance(all) / squares_of_all);
}
