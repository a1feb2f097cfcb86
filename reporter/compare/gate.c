// SPDX-License-Identifier: BSD-3-Clause
/*
 * Judges by Student's test of each row's times (gate.h), with three additions for small numbers of runs. The
 * machine's speed in a run is divided out. The variance of a row, which few runs estimate badly, is combined
 * with a prior from the variances of all rows (variances.h). The significance levels are Holm's (A simple
 * sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979)), so that all tests together
 * give a false alarm as seldom as one test.
 */
#include "reporter/compare/gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/compare/student.h"
#include "reporter/compare/variances.h"

/* A row that varies more than the others is not always recognized, which brings additional false alarms: in
 * tests/unit/test_gate.c at most one of 100 gates. The level is lower by that share. */
#define LEVEL (EP_GATE_FALSE_ALARMS - 0.01)
#define LEAST_SHARE 0.01 /* share of the CPU time; smaller rows are not tested */
#define FEWEST_OTHERS 3  /* fewest other rows for a median: one changed row does not set it */
#define REST_LEVEL 0.02  /* significance level of the test whether the other rows became quicker */
#define FOUND_9_OF_10 1.2816 /* standard errors: 90 % quantile of the normal distribution */
#define ENOUGH_KNOWN 0.5 /* share of the CPU time that must be known closely for a gate to pass */

struct judge {
	const struct ep_comparison *c;
	const struct ep_compared_runs *before, *after;
	uint32_t n_runs, df; /* df: degrees of freedom within the sides */
	bool is_exact;
	double *totals;         /* (n_runs) sampled CPU time of each run */
	double *values, *rest;  /* (n_runs) memory for one row's numbers */
	struct weighed *others; /* (n_items) memory for the numbers of one run */
	double *ratios,
		/* (n_items) ratios: a row's relative variance divided by the expected one; expected: the
		 * relative variance that the errors of the row's samples alone would give */
		*expected;
	double *sorted;    /* (n_items) memory for the ratios when sorted */
	double *variances; /* (n_items) relative variance of an item's time in one run */
	struct ep_gate gate;
};

/* ---- numbers of two sides ---- */

static const struct ep_report *run_of(const struct judge *j, uint32_t run_idx)
{
	return run_idx < j->before->n ? j->before->reports[run_idx]
				      : j->after->reports[run_idx - j->before->n];
}

static double mean_of(const double *values, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

static double shift_of(const struct judge *j, const double *values)
{
	return mean_of(values + j->before->n, j->after->n) - mean_of(values, j->before->n);
}

/* Returns the variance of one run's value within its side; 0: not known. */
static double variance_of(const struct judge *j, const double *values)
{
	double squares = 0, means[2] = { mean_of(values, j->before->n),
		mean_of(values + j->before->n, j->after->n) };

	for (uint32_t r = 0; r < j->n_runs; r++) {
		double off = values[r] - means[r >= j->before->n];

		squares += off * off;
	}
	return j->df ? squares / j->df : 0;
}

static double shift_error(const struct judge *j, double variance)
{
	return sqrt(variance * (1. / j->before->n + 1. / j->after->n));
}

/* Returns the chance of a shift of at least this size if nothing changed. If there is no error, the chance is
 * 0 or 1, since values that do not vary either differ or are equal. */
static double chance_of(double shift, double error, double df)
{
	if (!(error > 0))
		return shift > 0 ? 0 : 1;
	return df > 0 ? ep_student_above(shift / error, df) : 1;
}

/* ---- how fast the machine was ---- */

struct weighed {
	double value, weight;
};

static int by_value(const void *one, const void *other)
{
	const struct weighed *a = one, *b = other;

	return (a->value > b->value) - (a->value < b->value);
}

static double weighted_median(struct weighed *values, uint32_t n)
{
	double half = 0, sum = 0;
	uint32_t i = 0;

	qsort(values, n, sizeof(*values), by_value);
	for (uint32_t k = 0; k < n; k++)
		half += values[k].weight / 2;
	while (i + 1 < n && sum + values[i].weight < half)
		sum += values[i++].weight;
	return values[i].value;
}

static bool is_in_all_runs(const struct judge *j, const double *ns)
{
	for (uint32_t r = 0; r < j->n_runs; r++)
		if (!(ns[r] > 0))
			return false;
	return true;
}

/* Fills j->others with the time of each row except idx in this run, divided by that row's mean time, and
 * returns their number. The relative error of a sampled time falls with the root of the time, and a weighted
 * median is best with weights that are the inverse of the errors. */
static uint32_t take_others(const struct judge *j, uint32_t idx, uint32_t run_idx)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->gate.n_items; i++) {
		const struct ep_compared_row *row = j->gate.items[i].row;
		double mean;

		if (i == idx || !row || !is_in_all_runs(j, row->times.ns))
			continue;
		mean = mean_of(row->times.ns, j->n_runs);
		j->others[n++] = (struct weighed){ row->times.ns[run_idx] / mean, sqrt(mean) };
	}
	return n;
}

/* Sets rest to the machine's speed in each run: the median of the other rows' times, each divided by the
 * row's mean. A row that the load of another program slows, or one procedure that changed, does not move the
 * median. Returns false, so that times are taken as they are, if runs are exact, if other rows are too few
 * for a median, or if most of them became quicker, because an unchanged row would then look slower. */
static bool take_rest(struct judge *j, uint32_t idx)
{
	if (j->is_exact)
		return false;
	for (uint32_t r = 0; r < j->n_runs; r++) {
		uint32_t n = take_others(j, idx, r);

		if (n < FEWEST_OTHERS)
			return false;
		j->rest[r] = weighted_median(j->others, n);
	}
	return chance_of(-shift_of(j, j->rest), shift_error(j, variance_of(j, j->rest)), j->df) >
	       REST_LEVEL;
}

/* ---- one item ---- */

static double all_ns(const struct judge *j)
{
	return fmax(
		mean_of(j->totals, j->before->n), mean_of(j->totals + j->before->n, j->after->n));
}

static void add_item(struct judge *j, const struct ep_compared_row *row, const double *ns)
{
	double before_ns = mean_of(ns, j->before->n);
	double after_ns = mean_of(ns + j->before->n, j->after->n);

	j->gate.items[j->gate.n_items++] = (struct ep_gate_item){
		.row = row,
		.before_ns = before_ns,
		.after_ns = after_ns,
		.share = row ? fmin(1, fmax(before_ns, after_ns) / all_ns(j)) : 1,
	};
}

/* Divides the values (n_runs) by their mean on the side before, and sets the item's change and variance. */
static void set_change(struct judge *j, uint32_t idx, double *values)
{
	double mean = mean_of(values, j->before->n);

	for (uint32_t r = 0; r < j->n_runs; r++)
		values[r] = mean > 0 ? values[r] / mean : 0;
	j->gate.items[idx].change = shift_of(j, values);
	j->variances[idx] = variance_of(j, values);
}

static void measure_row(struct judge *j, uint32_t idx)
{
	struct ep_gate_item *item = &j->gate.items[idx];
	const struct ep_compared_times *times = &item->row->times;

	item->is_of_rest = take_rest(j, idx);
	for (uint32_t r = 0; r < j->n_runs; r++)
		j->values[r] = times->ns[r] / (item->is_of_rest ? j->rest[r] : 1);
	set_change(j, idx, j->values);
	j->expected[idx] =
		mean_of(times->variance, j->n_runs) / (item->before_ns * item->before_ns);
	if (j->expected[idx] > 0)
		j->ratios[idx] = j->variances[idx] / j->expected[idx];
}

static void measure_whole(struct judge *j, uint32_t idx)
{
	memcpy(j->values, j->totals, j->n_runs * sizeof(*j->values));
	set_change(j, idx, j->values);
}

static bool is_looked_at(const struct judge *j, const struct ep_compared_row *row)
{
	return row->is_before && row->is_after && row->before_ns > 0 &&
	       fmax(row->before_ns, row->after_ns) >= LEAST_SHARE * all_ns(j);
}

/* ---- all together ---- */

/* Sets margin, and with finds and lacking the differences that a test at the first of Holm's levels can find. */
static void set_power(const struct judge *j, struct ep_gate_item *item, double df)
{
	double needed;

	if (!(item->error > 0))
		return;
	item->margin = ep_student_quantile(0.025, df) * item->error;
	needed = ep_student_quantile(LEVEL / j->gate.n_items, df) * item->error;
	item->finds = fmax(needed, j->gate.limit) + FOUND_9_OF_10 * item->error;
	item->lacking = j->gate.limit > 0 ? pow(needed / j->gate.limit, 2) : INFINITY;
}

static void judge_item(struct judge *j, uint32_t idx, const struct ep_variance_prior *prior)
{
	struct ep_gate_item *item = &j->gate.items[idx];
	bool is_member = item->row && j->expected[idx] > 0 && j->ratios[idx] <= prior->most;
	double prior_df = is_member ? prior->df : 0, df = prior_df + j->df;
	double known = prior_df * prior->scale * j->expected[idx];
	double variance = df > 0 ? (known + j->df * j->variances[idx]) / df : 0;
	/* The relative variance of n samples is 1 / n, and samples give a time no better than to half a
	 * sample. */
	double least = pow(j->expected[idx] / 2, 2);

	item->error = shift_error(j, fmax(variance, least));
	item->chance = chance_of(item->change, item->error, df);
	set_power(j, item, df);
}

static int by_chance(const void *one, const void *other)
{
	const struct ep_gate_item *a = one, *b = other;

	if (a->chance != b->chance)
		return a->chance < b->chance ? -1 : 1;
	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return (a->share < b->share) - (a->share > b->share);
}

/* Sets Holm's levels. Items are sorted by chance: after the first item that is not sure, no item is sure. */
static void set_levels(struct ep_gate *gate)
{
	bool is_sure = true;

	for (uint32_t i = 0; i < gate->n_items; i++) {
		struct ep_gate_item *item = &gate->items[i];

		item->level = LEVEL / (gate->n_items - i);
		is_sure &= item->chance < item->level;
		item->is_sure = is_sure;
		item->has_failed = is_sure && item->change > gate->limit;
		gate->n_failed += item->has_failed;
	}
}

static void set_verdict(struct ep_gate *gate)
{
	for (uint32_t i = 0; i < gate->n_items; i++) {
		const struct ep_gate_item *item = &gate->items[i];

		if (!item->row)
			continue;
		if (item->lacking <= 1)
			gate->known_share += item->share;
		else if (!gate->weakest || item->share > gate->weakest->share)
			gate->weakest = item;
	}
	gate->verdict = gate->n_failed                     ? EP_GATE_FAILED
			: gate->known_share < ENOUGH_KNOWN ? EP_GATE_UNDECIDED
							   : EP_GATE_PASSED;
}

static void judge_finish(struct judge *j)
{
	free(j->totals);
	free(j->others);
	ep_gate_finish(&j->gate);
}

/* Allocates the memory; one piece serves all arrays of double. */
static int get_room(struct judge *j)
{
	size_t n = j->n_runs, n_items = (size_t)j->c->n_rows + 1;

	j->totals = calloc(3 * n + 4 * n_items, sizeof(*j->totals));
	j->others = calloc(n_items, sizeof(*j->others));
	j->gate.items = calloc(n_items, sizeof(*j->gate.items));
	if (!j->totals || !j->others || !j->gate.items)
		return -ENOMEM;
	j->values = j->totals + n;
	j->rest = j->values + n;
	j->ratios = j->rest + n;
	j->expected = j->ratios + n_items;
	j->variances = j->expected + n_items;
	j->sorted = j->variances + n_items;
	return 0;
}

static void take_totals(struct judge *j)
{
	j->is_exact = true;
	for (uint32_t r = 0; r < j->n_runs; r++)
		j->is_exact &= run_of(j, r)->is_exact;
	for (uint32_t r = 0; r < j->n_runs; r++)
		j->totals[r] =
			(double)(j->is_exact ? run_of(j, r)->sampled_ns : run_of(j, r)->cpu_ns);
}

static void judge_all(struct judge *j)
{
	struct ep_variance_prior prior;

	add_item(j, NULL, j->totals);
	for (uint32_t i = 0; i < j->c->n_rows; i++)
		if (is_looked_at(j, &j->c->rows[i]))
			add_item(j, &j->c->rows[i], j->c->rows[i].times.ns);
	measure_whole(j, 0);
	for (uint32_t i = 1; i < j->gate.n_items; i++)
		measure_row(j, i);
	memcpy(j->sorted, j->ratios, j->gate.n_items * sizeof(*j->sorted));
	prior = ep_variance_prior_fit(j->sorted, j->gate.n_items, j->df);
	for (uint32_t i = 0; i < j->gate.n_items; i++)
		judge_item(j, i, &prior);
	qsort(j->gate.items, j->gate.n_items, sizeof(*j->gate.items), by_chance);
	set_levels(&j->gate);
	set_verdict(&j->gate);
}

static bool are_exact(const struct ep_compared_runs *runs)
{
	for (uint32_t r = 0; r < runs->n; r++)
		if (!runs->reports[r]->is_exact)
			return false;
	return true;
}

bool ep_gate_can_judge(const struct ep_compared_runs *before, const struct ep_compared_runs *after)
{
	return (before->n > 1 && after->n > 1) || (are_exact(before) && are_exact(after));
}

int ep_gate_judge(const struct ep_comparison *comparison, const struct ep_compared_runs *before,
	const struct ep_compared_runs *after, double limit, struct ep_gate *out)
{
	__attribute__((cleanup(judge_finish))) struct judge j = {
		.c = comparison,
		.before = before,
		.after = after,
		.n_runs = before->n + after->n,
		.df = before->n + after->n - 2,
		.gate = { .limit = limit },
	};

	if (get_room(&j))
		return -ENOMEM;
	take_totals(&j);
	judge_all(&j);
	*out = j.gate;
	j.gate = (struct ep_gate){ 0 };
	return 0;
}

void ep_gate_finish(struct ep_gate *gate)
{
	free(gate->items);
	*gate = (struct ep_gate){ 0 };
}
