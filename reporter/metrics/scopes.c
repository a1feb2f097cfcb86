// SPDX-License-Identifier: BSD-3-Clause
/* Makes values for formulas from rows of a report. One thread. */
#include "reporter/metrics/scopes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"

struct builder {
	const struct ep_report *report;
	const struct ep_scope_request *request;
	const struct ep_event_table *table;
	struct ep_metric_scopes scopes;
	struct ep_report_value *values; /* (n_events) values of the current scope */
	float *changes;                 /* (n_events, EP_N_REPLICAS) changes of a sum of rows */
	bool is_time;                   /* the scope is a part of the timeline */
	bool has_amounts;               /* the scope is the whole run, or a part of its time */
	double amounts[EP_N_MACHINE_TIMES], amount_errors[EP_N_MACHINE_TIMES];
};

static void finish_builder(struct builder *b)
{
	free(b->values);
	free(b->changes);
	ep_metric_scopes_finish(&b->scopes);
}

void ep_metric_scopes_finish(struct ep_metric_scopes *scopes)
{
	if (!scopes)
		return;
	for (uint32_t i = 0; i < scopes->n_scopes; i++) {
		free(scopes->scopes[i].name);
		ep_values_finish(&scopes->scopes[i].values);
		free(scopes->scopes[i].changes);
		free(scopes->scopes[i].placing_errors);
	}
	free(scopes->scopes);
	*scopes = (struct ep_metric_scopes){ 0 };
}

/* Returns the part of a scope's CPU time in which an event was not measured but estimated. */
static double filled_ns(const struct ep_report_value *value, double cpu_ns)
{
	return value->is_estimate ? (1 - value->measured_share) * cpu_ns : 0;
}

/* Returns the error of a count in a part of the run, if only the error of the whole run's count is known. The
 * errors of slices are taken to be independent, so that the error grows with the root of the estimated time.
 * If they are not independent, the result is too large. */
static double error_of_part(const struct builder *b, uint32_t event, double cpu_ns)
{
	const struct ep_report_event *whole = &b->report->events[event];
	double of_all = filled_ns(&whole->total, (double)b->report->cpu_ns);
	double of_scope = filled_ns(&b->values[event], cpu_ns);

	if (!ep_quantity_is_known(&whole->error) || of_all <= 0)
		return NAN;
	return whole->error.value * (of_scope < of_all ? sqrt(of_scope / of_all) : 1);
}

/* Returns the error of a count without the error of mixing, which replicas do not include. */
static double fill_error_of(const struct builder *b, uint32_t event, double cpu_ns)
{
	const struct ep_report_value *value = &b->values[event];
	double estimates = ep_quantity_or(&value->estimate_error, 0);

	if (value->is_partial)
		return NAN;
	if (!value->is_estimate) /* this count may still lack code that could not be read */
		return estimates;
	if (value->changes || (!b->is_time && estimates > 0))
		return ep_quantity_or(&value->estimate_error, NAN);
	return error_of_part(b, event, cpu_ns);
}

static double error_of(const struct builder *b, uint32_t event, double cpu_ns)
{
	const struct ep_report_value *value = &b->values[event];
	double error = fill_error_of(b, event, cpu_ns);

	return value->has_ticks ? error : ep_error_add(error, value->placing_error);
}

static struct ep_measured measured_of(const struct builder *b, uint32_t event, double cpu_ns)
{
	const struct ep_report_value *value = &b->values[event];

	return (struct ep_measured){
		.value = value->count.value,
		.standard_error = error_of(b, event, cpu_ns),
		.coverage = value->is_estimate ? value->measured_share : 1,
		.source_count = 1,
		.is_measured = ep_quantity_is_known(&value->count),
		.is_mixed = value->is_mixed,
	};
}

static int set_exact(struct ep_values *values, const char *name, double value)
{
	return ep_values_set(values, name,
		(struct ep_measured){
			.value = value, .coverage = 1, .source_count = 1, .is_measured = true });
}

/* Sets a scope's times. CPU time is known for each scope, even if the task clock was not counted. duration_s
 * is NAN if it is not known, and for a simulator, whose time is no duration for rates. */
static int set_times(struct ep_values *values, double duration_s, double cpu_ns)
{
	int rc = isnan(duration_s) ? 0 : set_exact(values, "duration_time", duration_s);

	if (!rc && !ep_values_find(values, "task-clock"))
		rc = set_exact(values, "task-clock", cpu_ns);
	return rc;
}

/* Copies the changes by replicas to a scope. A scope gets no changes if a count was scaled, because another
 * user had the counters, or lacks lost samples: no replica shows these errors. */
static int copy_changes(const struct builder *b, struct ep_metric_scope *scope)
{
	uint32_t n = b->report->n_events;
	bool has_changes = false;

	for (uint32_t e = 0; e < n; e++) {
		has_changes |= b->values[e].changes != NULL;
		if (b->report->events[e].is_scaled || b->values[e].is_partial)
			return 0;
	}
	if (!has_changes)
		return 0;
	scope->changes = calloc((size_t)n * EP_N_REPLICAS, sizeof(*scope->changes));
	if (!scope->changes)
		return -ENOMEM;
	scope->placing_errors = calloc(n + 1, sizeof(*scope->placing_errors));
	if (!scope->placing_errors)
		return -ENOMEM;
	for (uint32_t e = 0; e < n; e++) {
		scope->placing_errors[e] = b->values[e].placing_error;
		if (b->values[e].changes)
			memcpy(scope->changes + (size_t)e * EP_N_REPLICAS, b->values[e].changes,
				EP_N_REPLICAS * sizeof(*scope->changes));
	}
	return 0;
}

static int set_amounts(const struct builder *b, struct ep_values *values)
{
	int rc = 0;

	for (int i = 0; !rc && b->has_amounts && i < EP_N_MACHINE_TIMES; i++)
		if (b->report->amounts[i].is_known)
			rc = ep_values_set(values, ep_machine_amounts[i].name,
				(struct ep_measured){ .value = b->amounts[i],
					.standard_error = b->amount_errors[i],
					.coverage = 1,
					.source_count = 1,
					.is_measured = true });
	return rc;
}

/* Adds a scope with the builder's values, and takes ownership of name. */
static int add_scope(struct builder *b, char *name, double duration_s, double cpu_ns)
{
	struct ep_metric_scope *scope;
	int rc = 0;

	if (!name || EP_ARRAY_RESERVE(b->scopes.scopes, b->scopes.n_scopes, b->scopes.capacity)) {
		free(name);
		return -ENOMEM;
	}
	scope = &b->scopes.scopes[b->scopes.n_scopes++];
	*scope = (struct ep_metric_scope){ .name = name, .report = b->report, .table = b->table };
	rc = copy_changes(b, scope);
	for (uint32_t e = 0; !rc && e < b->report->n_events; e++)
		rc = ep_values_set(
			&scope->values, b->report->events[e].name, measured_of(b, e, cpu_ns));
	if (!rc)
		rc = set_amounts(b, &scope->values);
	if (!rc)
		rc = set_times(&scope->values, b->report->is_simulated ? NAN : duration_s, cpu_ns);
	if (!rc)
		rc = set_exact(&scope->values, "#num_cpus_online", b->report->n_cpus);
	return rc ? rc : ep_event_table_alias(b->table, &scope->values);
}

static void set_values(struct builder *b, const struct ep_report_value *values)
{
	memcpy(b->values, values, b->report->n_events * sizeof(*values));
}

static void add_changes(struct builder *b, uint32_t e, const float *changes)
{
	float *sum = b->changes + (size_t)e * EP_N_REPLICAS;

	for (int j = 0; j < EP_N_REPLICAS; j++)
		sum[j] += changes[j];
	b->values[e].changes = sum;
}

/* ---- time ---- */

/* Sets the counts of the bins [first, last) of the timeline. */
static void set_bins(struct builder *b, uint32_t first, uint32_t last)
{
	const struct ep_report *report = b->report;

	memset(b->changes, 0, (size_t)report->n_events * EP_N_REPLICAS * sizeof(*b->changes));
	for (uint32_t e = 0; e < report->n_events; e++) {
		const struct ep_report_event *event = &report->events[e];
		struct ep_report_value *value = &b->values[e];

		*value = event->total;
		value->changes = NULL;
		if (!event->rate) {
			value->count = ep_quantity_unknown("not known over time");
			continue;
		}
		value->count.value = 0;
		for (uint32_t i = first; i < last; i++)
			value->count.value += event->rate[i] * report->bin_s;
		for (uint32_t i = first; event->bin_changes && i < last; i++)
			add_changes(b, e, event->bin_changes + (size_t)i * EP_N_REPLICAS);
		if (value->changes && ep_quantity_is_known(&value->estimate_error))
			value->estimate_error =
				ep_quantity_exact(sqrt(ep_replica_variance(value->changes)));
	}
}

/* Sets the amounts of the machine, such as energy, in bins. Bins are filled as if an amount grew evenly
 * between two readings. */
static void set_amounts_of_bins(struct builder *b, uint32_t first, uint32_t last)
{
	b->has_amounts = true;
	for (int what = 0; what < EP_N_MACHINE_TIMES; what++) {
		const struct ep_report_amount *amount = &b->report->amounts[what];

		b->amounts[what] = 0;
		for (uint32_t i = first; amount->bins && i < last; i++)
			b->amounts[what] += amount->bins[i];
		b->amount_errors[what] = NAN; /* it is not known how evenly the amount grew */
	}
}

static double cpu_ns_of_bins(const struct ep_report *report, uint32_t first, uint32_t last)
{
	double cpu_s = 0;

	for (uint32_t i = first; report->cpus_busy && i < last; i++)
		cpu_s += report->cpus_busy[i] * report->bin_s;
	return cpu_s * 1e9;
}

static int add_bins(struct builder *b, uint32_t first, uint32_t last)
{
	double bin_s = b->report->bin_s;
	char *name = NULL;

	b->is_time = true;
	set_bins(b, first, last);
	set_amounts_of_bins(b, first, last);
	if (asprintf(&name, "%.4g s to %.4g s", first * bin_s, last * bin_s) < 0)
		return -ENOMEM;
	return add_scope(b, name, b->report->is_of_region ? NAN : (last - first) * bin_s,
		cpu_ns_of_bins(b->report, first, last));
}

static uint32_t bin_at(const struct ep_report *report, double time_s, uint32_t otherwise)
{
	double bin = report->bin_s > 0 ? round(time_s / report->bin_s) : 0;

	if (isnan(time_s))
		return otherwise;
	return bin < 0 ? 0 : bin > report->n_bins ? report->n_bins : (uint32_t)bin;
}

static int add_time(struct builder *b)
{
	uint32_t first = bin_at(b->report, b->request->from_s, 0);
	uint32_t last = bin_at(b->report, b->request->to_s, b->report->n_bins);
	int rc = 0;

	if (b->request->by == EP_SCOPE_PROGRAM)
		return add_bins(b, first, last > first ? last : first);
	for (uint32_t i = first; !rc && i < last; i++)
		rc = add_bins(b, i, i + 1);
	return rc;
}

/* ---- the rows of the report ---- */

static int add_program(struct builder *b)
{
	const struct ep_report *report = b->report;

	if (!isnan(b->request->from_s) || !isnan(b->request->to_s))
		return add_time(b);
	for (uint32_t e = 0; e < report->n_events; e++)
		b->values[e] = report->events[e].total;
	b->has_amounts = true;
	for (int i = 0; i < EP_N_MACHINE_TIMES; i++) {
		b->amounts[i] = report->amounts[i].total;
		b->amount_errors[i] = report->amounts[i].error;
	}
	return add_scope(b, strdup(report->command ? report->command : "program"),
		ep_shown_s(report), (double)report->cpu_ns);
}

/* Adds a thread's values to a sum. The measured share of the sum is the mean of the threads' shares, weighted with
 * their CPU time. */
static void add_thread_values(
	struct builder *b, const struct ep_report_thread *thread, double cpu_ns_before)
{
	double own_ns = (double)thread->cpu_ns, all_ns = cpu_ns_before + own_ns;

	for (uint32_t e = 0; e < b->report->n_events; e++) {
		const struct ep_report_value *more = &thread->values[e];
		struct ep_report_value *sum = &b->values[e];

		ep_value_add_count(sum, more);
		if (more->changes)
			add_changes(b, e, more->changes);
		if (all_ns > 0)
			sum->measured_share =
				(sum->measured_share * cpu_ns_before +
					(more->is_estimate ? more->measured_share : 1) * own_ns) /
				all_ns;
	}
}

/* Adds the scope of a process. Processes are distinguished by index, since pids are not unique: a program and
 * the one that it executes have the same pid, and so may processes of two nodes. */
static int add_process(struct builder *b, const struct ep_report_process *process)
{
	/* the time in a region is known only if a single thread was in it */
	double cpu_ns = 0, lasted_s = NAN;
	uint32_t n_threads = 0;
	char *name = NULL;

	for (uint32_t e = 0; e < b->report->n_events; e++)
		b->values[e] = (struct ep_report_value){ .count = ep_quantity_exact(0),
			.estimate_error = ep_quantity_exact(0) };
	memset(b->changes, 0, (size_t)b->report->n_events * EP_N_REPLICAS * sizeof(*b->changes));
	for (uint32_t i = 0; i < b->report->n_threads; i++) {
		const struct ep_report_thread *thread = &b->report->threads[i];

		if (thread->process_idx != process->process_idx || !thread->values)
			continue;
		add_thread_values(b, thread, cpu_ns);
		cpu_ns += (double)thread->cpu_ns;
		lasted_s = n_threads++ ? NAN : thread->duration_s;
	}
	if (asprintf(&name, "%s %u", process->program ? process->program : "process",
		    process->pid) < 0)
		return -ENOMEM;
	return add_scope(b, name, b->report->is_of_region ? lasted_s : process->duration_s, cpu_ns);
}

static int add_processes(struct builder *b)
{
	uint32_t n = b->report->n_processes;
	int rc = 0;

	if (b->request->top && n > b->request->top)
		n = b->request->top;
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = add_process(b, &b->report->processes[i]);
	return rc;
}

static int add_threads(struct builder *b)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->report->n_threads_shown; i++) {
		const struct ep_report_thread *thread = &b->report->threads[i];
		const char *called = thread->name && *thread->name ? thread->name : thread->program;
		char *name = NULL;

		if (asprintf(&name, "%s %u/%u", called ? called : "thread", thread->pid,
			    thread->tid) < 0)
			return -ENOMEM;
		set_values(b, thread->values);
		rc = add_scope(b, name, thread->duration_s, (double)thread->cpu_ns);
	}
	return rc;
}

/* Adds the scope of a row, and takes ownership of name. */
static int add_row(struct builder *b, const struct ep_report_row *row, char *name)
{
	int rc;

	set_values(b, row->values);
	rc = add_scope(b, name, (double)row->self_ns / 1e9, (double)row->self_ns);
	if (!rc)
		b->scopes.scopes[b->scopes.n_scopes - 1].n_samples = row->n_samples;
	return rc;
}

static int add_named_rows(struct builder *b, const struct ep_report_table *table)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < table->n_shown; i++)
		rc = add_row(b, &table->rows[i], strdup(table->rows[i].name));
	return rc;
}

static int add_procedures(struct builder *b)
{
	return add_named_rows(b, &b->report->procedures);
}

static int add_loops(struct builder *b)
{
	return add_named_rows(b, &b->report->loops);
}

/* Adds the scopes of lines. A row without a file has no line to show, and gets the procedure's name alone. */
static int add_lines(struct builder *b)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->report->lines.n_shown; i++) {
		const struct ep_report_row *row = &b->report->lines.rows[i];
		char *name = NULL;

		if (!row->file)
			name = strdup(row->name);
		else if (asprintf(&name, "%s, %s:%u", row->short_name, ep_base_name(row->file),
				 row->line) < 0)
			return -ENOMEM;
		rc = add_row(b, row, name);
	}
	return rc;
}

int ep_metric_scopes_create(const struct ep_report *report, const struct ep_scope_request *request,
	const struct ep_event_table *table, struct ep_metric_scopes *out)
{
	static int (*const add[])(struct builder *) = {
		[EP_SCOPE_PROGRAM] = add_program,
		[EP_SCOPE_PROCESS] = add_processes,
		[EP_SCOPE_THREAD] = add_threads,
		[EP_SCOPE_PROCEDURE] = add_procedures,
		[EP_SCOPE_LINE] = add_lines,
		[EP_SCOPE_LOOP] = add_loops,
		[EP_SCOPE_TIME] = add_time,
	};
	__attribute__((cleanup(finish_builder))) struct builder b = {
		.report = report,
		.request = request,
		.table = table,
		.values = calloc(report->n_events + 1, sizeof(*b.values)),
		.changes = calloc((size_t)report->n_events * EP_N_REPLICAS + 1, sizeof(*b.changes)),
	};
	int rc = b.values && b.changes ? add[request->by](&b) : -ENOMEM;

	if (rc)
		return rc;
	*out = b.scopes;
	b.scopes = (struct ep_metric_scopes){ 0 };
	return 0;
}

int ep_metric_scope_of_values(const struct ep_report *report, const struct ep_report_value *values,
	double cpu_ns, const struct ep_event_table *table, struct ep_metric_scopes *out)
{
	__attribute__((cleanup(finish_builder))) struct builder b = { .report = report,
		.table = table,
		.values = calloc(report->n_events + 1, sizeof(*b.values)) };

	if (!b.values)
		return -ENOMEM;
	set_values(&b, values);
	if (add_scope(&b, strdup(""), cpu_ns / 1e9, cpu_ns))
		return -ENOMEM;
	*out = b.scopes;
	b.scopes = (struct ep_metric_scopes){ 0 };
	return 0;
}
