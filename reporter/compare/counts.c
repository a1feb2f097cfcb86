// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computes counts and metrics of places (counts.h). A place's counts in a run are the sums over the place's
 * rows in that run's report, with the errors that the report gives. Metrics are computed as evreport metrics
 * computes them, and the means and errors of a side as for times (ep_compare_sum_up()). One thread.
 */
#include "reporter/compare/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/metrics/scopes.h"

/* One of the models that are evaluated; its metrics of level 1 are compared. */
struct model_part {
	struct ep_model *model;
	const struct ep_event_table *table;
	const char *only; /* the only metric that is taken; NULL: all */
};

enum { MOST_MODELS = 16 };

/* How well the number of one run is known, from best to worst. */
enum number_state {
	NUMBER_KNOWN,
	NUMBER_ROUGH, /* its error is not known */
	NUMBER_MIXED,
	NUMBER_UNKNOWN,
};

struct counter {
	const struct ep_count_question *q;
	uint32_t n_runs;
	struct model_part parts[MOST_MODELS];
	uint32_t n_parts;
	uint32_t *event_idxs; /* (n_events, n_runs) indexes of the events in each run's report */
	struct ep_report_value *sums; /* (events of a run) a place's counts in one run */
	float *changes; /* (events of a run, EP_N_REPLICAS) changes of these counts by replica */
	/* (metrics of the largest model) a place's metrics in one run */
	struct ep_metric_value *metrics;
	double *numbers, *variances; /* (n_values, n_runs) numbers of one place */
	enum number_state *states;   /* (n_values, n_runs) how well each number is known */
	struct ep_compared_counts out;
};

static void counter_finish(struct counter *w)
{
	free(w->event_idxs);
	free(w->sums);
	free(w->changes);
	free(w->metrics);
	free(w->numbers);
	free(w->states);
	ep_compared_counts_finish(&w->out);
}

void ep_compared_counts_finish(struct ep_compared_counts *counts)
{
	ep_chosen_models_close(&counts->models);
	ep_chosen_models_close(&counts->ipc);
	free(counts->places);
	free(counts->values);
	*counts = (struct ep_compared_counts){ 0 };
}

static const struct ep_report *run_at(const struct counter *w, uint32_t run_idx)
{
	return run_idx < w->q->before->n ? w->q->before->reports[run_idx]
					 : w->q->after->reports[run_idx - w->q->before->n];
}

/* ---- choice of events and metrics ---- */

static uint32_t find_event(const struct ep_report *report, const char *name)
{
	for (uint32_t e = 0; e < report->n_events; e++)
		if (!strcmp(report->events[e].name, name))
			return e;
	return EP_NONE;
}

/* Chooses the events that all runs counted. */
static int choose_events(struct counter *w)
{
	const struct ep_report *first = run_at(w, 0);

	w->event_idxs = calloc((size_t)first->n_events * w->n_runs + 1, sizeof(*w->event_idxs));
	if (!w->event_idxs)
		return -ENOMEM;
	for (uint32_t e = 0; e < first->n_events; e++) {
		uint32_t *idxs = w->event_idxs + (size_t)w->out.n_events * w->n_runs, n = 0;

		for (uint32_t r = 0; r < w->n_runs; r++) {
			idxs[r] = find_event(run_at(w, r), first->events[e].name);
			n += idxs[r] != EP_NONE;
		}
		w->out.n_events += n == w->n_runs;
		w->out.has_hardware |= n == w->n_runs && !first->events[e].software;
	}
	return 0;
}

static bool takes_metric(const struct model_part *part, const struct ep_formula_metric *metric)
{
	return metric->level == 1 && (!part->only || !strcmp(metric->name, part->only));
}

static uint32_t count_metrics(const struct model_part *part)
{
	const struct ep_formula_file *file = ep_model_file(part->model);
	uint32_t n = 0;

	for (uint32_t i = 0; i < file->n_metrics; i++)
		n += takes_metric(part, &file->metrics[i]);
	return n;
}

static void add_parts(struct counter *w, const struct ep_chosen_models *chosen, const char *only)
{
	for (uint32_t m = 0; m < chosen->n_models && w->n_parts < MOST_MODELS; m++) {
		const char *name = ep_model_file(chosen->models[m])->name;

		/* The model "software" is left out: the kernel's own counts are shown as events. */
		if (!name || !strcmp(name, "software"))
			continue;
		w->parts[w->n_parts] =
			(struct model_part){ chosen->models[m], &chosen->table, only };
		w->out.n_values += count_metrics(&w->parts[w->n_parts++]);
	}
}

/* Opens the models of the CPU. A CPU without models has no metrics, which is no error here. */
static int choose_models(struct counter *w)
{
	struct ep_error err = { 0 };
	int rc;

	if (!w->q->cpuid)
		return 0;
	rc = ep_chosen_models_open(&w->out.ipc, "ipc", NULL, w->q->cpuid, &err);
	if (rc != -ENOMEM)
		rc = ep_chosen_models_open(&w->out.models, NULL, NULL, w->q->cpuid, &err);
	if (rc == -ENOMEM)
		return rc;
	add_parts(w, &w->out.ipc, "IPC");
	add_parts(w, &w->out.models, NULL);
	return 0;
}

static uint32_t most_events(const struct counter *w)
{
	uint32_t most = 0;

	for (uint32_t r = 0; r < w->n_runs; r++)
		if (run_at(w, r)->n_events > most)
			most = run_at(w, r)->n_events;
	return most;
}

static uint32_t most_metrics(const struct counter *w)
{
	uint32_t most = 0;

	for (uint32_t p = 0; p < w->n_parts; p++)
		if (ep_model_file(w->parts[p].model)->n_metrics > most)
			most = ep_model_file(w->parts[p].model)->n_metrics;
	return most;
}

static int get_room(struct counter *w)
{
	size_t n = (size_t)w->out.n_values * w->n_runs + 1, n_events = most_events(w) + 1;
	uint32_t n_wanted = 0;

	for (uint32_t i = 0; i < w->out.n_rows; i++)
		n_wanted += w->q->wishes[i] != EP_COUNT_NOTHING;
	w->sums = calloc(n_events, sizeof(*w->sums));
	w->changes = calloc(n_events * EP_N_REPLICAS, sizeof(*w->changes));
	w->metrics = calloc((size_t)most_metrics(w) + 1, sizeof(*w->metrics));
	w->numbers = calloc(2 * n, sizeof(*w->numbers));
	w->states = calloc(n, sizeof(*w->states));
	w->out.places = calloc((size_t)w->out.n_rows + 1, sizeof(*w->out.places));
	w->out.values = calloc((size_t)n_wanted * w->out.n_values + 1, sizeof(*w->out.values));
	w->variances = w->numbers + n;
	return w->sums && w->changes && w->metrics && w->numbers && w->states && w->out.places &&
			       w->out.values
		       ? 0
		       : -ENOMEM;
}

/* ---- one place in one run ---- */

static void add_value(
	struct ep_report_value *sum, const struct ep_report_value *more, float *changes)
{
	ep_value_add_count(sum, more);
	sum->measured_share = fmin(sum->measured_share, more->measured_share);
	sum->placing_error = ep_error_add(sum->placing_error, more->placing_error);
	sum->has_ticks &= more->has_ticks;
	sum->is_mixed |= more->is_mixed;
	for (int j = 0; more->changes && j < EP_N_REPLICAS; j++)
		changes[j] = (sum->changes ? sum->changes[j] : 0) + more->changes[j];
	if (more->changes)
		sum->changes = changes;
}

/* Adds up the place's rows of a run; most places have one such row. Returns the rows' CPU time; NaN: the run
 * has no such row. */
static double sum_rows(struct counter *w, const struct ep_compared_row *row, uint32_t run_idx)
{
	const struct ep_compared_source *sources = w->q->comparison->sources;
	uint32_t n_events = run_at(w, run_idx)->n_events;
	double cpu_ns = NAN;

	for (uint32_t s = row->first_source; s != EP_NONE; s = sources[s].next) {
		const struct ep_report_row *from = sources[s].row;

		if (sources[s].run_idx != run_idx || !from->values)
			continue;
		for (uint32_t e = 0; e < n_events && !isnan(cpu_ns); e++)
			add_value(&w->sums[e], &from->values[e],
				w->changes + (size_t)e * EP_N_REPLICAS);
		if (isnan(cpu_ns))
			memcpy(w->sums, from->values, n_events * sizeof(*w->sums));
		cpu_ns = (isnan(cpu_ns) ? 0 : cpu_ns) + (double)from->self_ns;
	}
	return cpu_ns;
}

static void set_number(struct counter *w, uint32_t value_idx, uint32_t run_idx,
	const struct ep_quantity *number, bool is_mixed)
{
	size_t at = (size_t)value_idx * w->n_runs + run_idx;
	bool is_known = ep_quantity_is_known(number);

	w->numbers[at] = is_known ? number->value : 0;
	w->variances[at] = is_known ? number->error * number->error : 0;
	w->states[at] = is_mixed                             ? NUMBER_MIXED
			: !is_known                          ? NUMBER_UNKNOWN
			: number->state == EP_QUANTITY_KNOWN ? NUMBER_KNOWN
							     : NUMBER_ROUGH;
}

/* Sets a metric's number in a run. A metric whose value contradicts its own bounds is taken as unknown. */
static void set_metric(struct counter *w, uint32_t value_idx, uint32_t run_idx,
	const struct ep_metric_value *metric)
{
	const struct ep_result *result = &metric->result;
	struct ep_quantity number = ep_quantity_unknown(NULL);

	if (!result->absence && !metric->is_negative && !metric->is_above_one && !metric->broken)
		number = ep_quantity_within(result->value, result->standard_error);
	set_number(w, value_idx, run_idx, &number, result->absence == EP_ABSENT_MIXED);
}

/* Computes a model's metrics. *inout_idx is the index of the model's first value, and becomes the index of
 * the next model's first value. */
static int take_part(struct counter *w, const struct model_part *part, uint32_t run_idx,
	double cpu_ns, uint32_t *inout_idx)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_formula_file *file = ep_model_file(part->model);
	int rc = ep_metric_scope_of_values(
		run_at(w, run_idx), w->sums, cpu_ns, part->table, &scopes);

	if (!rc)
		rc = ep_metric_scope_eval(&scopes.scopes[0], part->model, w->metrics, NULL);
	for (uint32_t i = 0; !rc && i < file->n_metrics; i++)
		if (takes_metric(part, &file->metrics[i]))
			set_metric(w, (*inout_idx)++, run_idx, &w->metrics[i]);
	return rc;
}

/* Takes the numbers of one run. In a run that lacks the place, the place's counts are 0, and its metrics are
 * unknown. */
static int take_run(struct counter *w, const struct ep_compared_row *row, uint32_t run_idx)
{
	static const struct ep_quantity unknown = { .state = EP_QUANTITY_UNKNOWN };
	const struct ep_quantity nothing = ep_quantity_exact(0);
	double cpu_ns = sum_rows(w, row, run_idx);
	uint32_t at = w->out.n_events;
	int rc = 0;

	for (uint32_t e = 0; e < w->out.n_events; e++) {
		const struct ep_report_value *value =
			&w->sums[w->event_idxs[(size_t)e * w->n_runs + run_idx]];

		set_number(w, e, run_idx, isnan(cpu_ns) ? &nothing : &value->count,
			!isnan(cpu_ns) && value->is_mixed);
	}
	for (uint32_t v = at; v < w->out.n_values; v++)
		set_number(w, v, run_idx, &unknown, false);
	for (uint32_t p = 0; !rc && p < w->n_parts && !isnan(cpu_ns); p++)
		rc = take_part(w, &w->parts[p], run_idx, cpu_ns, &at);
	return rc;
}

/* ---- one place on both sides ---- */

static enum number_state worst_state(
	const struct counter *w, uint32_t value_idx, uint32_t first, uint32_t n)
{
	enum number_state worst = NUMBER_KNOWN;

	for (uint32_t r = first; r < first + n; r++) {
		enum number_state state = w->states[(size_t)value_idx * w->n_runs + r];

		worst = state > worst ? state : worst;
	}
	return worst;
}

/* Returns a side's mean with its error. If the error of a run's number is unknown, the differences between
 * runs give the error, provided that there are more than two runs. */
static struct ep_quantity side_of(
	const struct counter *w, double mean, double error, enum number_state state)
{
	if (state == NUMBER_UNKNOWN)
		return ep_quantity_unknown(NULL);
	return ep_quantity_within(mean, state == NUMBER_ROUGH && w->n_runs <= 2 ? NAN : error);
}

static void set_sides(struct counter *w, uint32_t value_idx, struct ep_compared_value *value)
{
	uint32_t n_before = w->q->before->n, n_after = w->q->after->n;
	size_t at = (size_t)value_idx * w->n_runs;
	const struct ep_compared_times numbers = { w->numbers + at, w->variances + at };
	struct ep_compared_sides sides = ep_compare_sum_up(w->q->comparison, &numbers);
	enum number_state before = worst_state(w, value_idx, 0, n_before);
	enum number_state after = worst_state(w, value_idx, n_before, n_after);

	value->is_mixed = before == NUMBER_MIXED || after == NUMBER_MIXED;
	value->before = side_of(w, sides.before_ns, sides.errors[0], before);
	value->after = side_of(w, sides.after_ns, sides.errors[1], after);
	value->change_error = NAN;
	if (!ep_compared_value_is_known(value) || value->before.state != EP_QUANTITY_KNOWN ||
		value->after.state != EP_QUANTITY_KNOWN)
		return;
	value->change_error = sqrt(sides.variance);
	value->is_sure = fabs(ep_compared_value_change(value)) > sides.least_sure;
}

static struct ep_compared_value event_value(const struct counter *w, uint32_t event_idx)
{
	const struct ep_report_event *event =
		&run_at(w, 0)->events[w->event_idxs[(size_t)event_idx * w->n_runs]];

	return (struct ep_compared_value){ .name = event->name,
		.unit = event->unit && *event->unit && strcmp(event->unit, "count") ? event->unit
										    : NULL };
}

static void name_metrics(struct counter *w, struct ep_compared_value *values)
{
	uint32_t at = w->out.n_events;

	for (uint32_t p = 0; p < w->n_parts; p++) {
		const struct ep_formula_file *file = ep_model_file(w->parts[p].model);

		for (uint32_t i = 0; i < file->n_metrics; i++) {
			const struct ep_formula_metric *metric = &file->metrics[i];
			const struct ep_formula_kind *kind = ep_formula_kind_find(metric->kind);

			if (!takes_metric(&w->parts[p], metric))
				continue;
			values[at++] = (struct ep_compared_value){ .name = metric->name,
				.unit = metric->unit,
				.model = file->name,
				.base = metric->base,
				.is_share = kind && kind->shows_percent };
		}
	}
}

static int count_place(struct counter *w, uint32_t row_idx)
{
	const struct ep_compared_row *row = &w->q->comparison->rows[row_idx];
	struct ep_compared_value *values = w->out.places[row_idx].values;
	int rc = 0;

	for (uint32_t e = 0; e < w->out.n_events; e++)
		values[e] = event_value(w, e);
	name_metrics(w, values);
	for (uint32_t r = 0; !rc && r < w->n_runs; r++)
		rc = take_run(w, row, r);
	for (uint32_t v = 0; !rc && v < w->out.n_values; v++)
		set_sides(w, v, &values[v]);
	if (!rc)
		ep_compare_weigh(row, w->out.n_values, &w->out.places[row_idx]);
	return rc;
}

int ep_compare_count(const struct ep_count_question *question, struct ep_compared_counts *out)
{
	__attribute__((cleanup(counter_finish))) struct counter w = {
		.q = question,
		.n_runs = question->before->n + question->after->n,
		.out = { .n_rows = question->comparison->n_rows },
	};
	struct ep_compared_value *next;
	int rc = choose_events(&w);

	w.out.n_values = w.out.n_events;
	if (!rc)
		rc = choose_models(&w);
	if (!rc)
		rc = get_room(&w);
	next = w.out.values;
	for (uint32_t i = 0; !rc && w.out.n_values && i < w.out.n_rows; i++) {
		if (question->wishes[i] == EP_COUNT_NOTHING)
			continue;
		w.out.places[i] = (struct ep_place_counts){ .values = next,
			.is_asked = question->wishes[i] == EP_COUNT_EXPLAIN };
		rc = count_place(&w, i);
		next += w.out.n_values;
	}
	if (rc)
		return rc;
	*out = w.out;
	w.out = (struct ep_compared_counts){ 0 };
	return 0;
}
