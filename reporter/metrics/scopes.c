// SPDX-License-Identifier: BSD-3-Clause
/* From report rows to values of formulas. One thread. */
#include "reporter/metrics/scopes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* A row of any of the report's tables. */
struct row {
	const char *name;
	double duration_s;
	double cpu_ns;
	const struct ep_report_value *values; /* (n_events), or NULL: the events' totals */
};

static struct ep_measured measured_of(const struct ep_report_value *value)
{
	return (struct ep_measured){
		.value = value->value,
		.standard_error = value->is_estimate || value->is_partial ? NAN : 0,
		.coverage = value->is_estimate ? value->measured_share : 1,
		.source_count = 1,
		.is_measured = !value->is_missing,
	};
}

/* CPU time is known of every scope, whether the task clock was counted or not. */
static int set_cpu_time(struct ep_values *values, double cpu_ns)
{
	struct ep_measured time = {
		.value = cpu_ns, .coverage = 1, .source_count = 1, .is_measured = true
	};

	return ep_values_find(values, "task-clock") ? 0 : ep_values_set(values, "task-clock", time);
}

static int fill_scope(const struct ep_report *report, const struct row *row,
	const struct ep_event_table *table, struct ep_metric_scope *scope)
{
	struct ep_measured duration = {
		.value = row->duration_s,
		.coverage = 1,
		.source_count = 1,
		.is_measured = true,
	};
	struct ep_measured n_cpus = duration;
	int rc;

	scope->name = strdup(row->name);
	n_cpus.value = report->n_cpus;
	if (!scope->name)
		return -ENOMEM;
	rc = ep_values_set(&scope->values, "duration_time", duration);
	if (!rc)
		rc = ep_values_set(&scope->values, "#num_cpus_online", n_cpus);
	for (uint32_t e = 0; !rc && e < report->n_events; e++)
		rc = ep_values_set(&scope->values, report->events[e].name,
			measured_of(row->values ? &row->values[e] : &report->events[e].total));
	if (!rc)
		rc = set_cpu_time(&scope->values, row->cpu_ns);
	return rc ? rc : ep_event_table_alias(table, &scope->values);
}

static uint32_t count_rows(const struct ep_report *report, enum ep_scope_by by)
{
	return by == EP_SCOPE_PROGRAM  ? 1
	       : by == EP_SCOPE_THREAD ? report->n_threads_shown
				       : report->procedures.n_shown;
}

static struct row find_row(
	const struct ep_report *report, enum ep_scope_by by, uint32_t idx, char **out_name)
{
	const struct ep_report_thread *thread = &report->threads[idx];
	const struct ep_report_row *procedure = &report->procedures.rows[idx];

	if (by == EP_SCOPE_PROGRAM)
		return (struct row){ report->command ? report->command : "program",
			report->duration_s, (double)report->cpu_ns, NULL };
	if (by == EP_SCOPE_PROCEDURE)
		return (struct row){ procedure->name, (double)procedure->self_ns / 1e9,
			(double)procedure->self_ns, procedure->values };
	if (asprintf(out_name, "%s %u/%u",
		    thread->name && *thread->name ? thread->name
		    : thread->program             ? thread->program
						  : "thread",
		    thread->pid, thread->tid) < 0)
		*out_name = NULL;
	return (struct row){ *out_name ? *out_name : "thread", thread->duration_s,
		(double)thread->cpu_ns, thread->values };
}

int ep_metric_scopes_create(const struct ep_report *report, enum ep_scope_by by,
	const struct ep_event_table *table, struct ep_metric_scopes *out)
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	uint32_t n = count_rows(report, by);

	scopes.scopes = calloc(n + 1, sizeof(*scopes.scopes));
	if (!scopes.scopes)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		EP_AUTOFREE char *name = NULL;
		struct row row = find_row(report, by, i, &name);

		scopes.n_scopes++;
		if (fill_scope(report, &row, table, &scopes.scopes[i]))
			return -ENOMEM;
	}
	*out = scopes;
	scopes = (struct ep_metric_scopes){ 0 };
	return 0;
}

void ep_metric_scopes_finish(struct ep_metric_scopes *scopes)
{
	if (!scopes)
		return;
	for (uint32_t i = 0; i < scopes->n_scopes; i++) {
		free(scopes->scopes[i].name);
		ep_values_finish(&scopes->scopes[i].values);
	}
	free(scopes->scopes);
	*scopes = (struct ep_metric_scopes){ 0 };
}
