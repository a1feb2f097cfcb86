// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/roofline/survey.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/metrics/choose.h"

struct survey {
	const struct ep_roofline_request *request;
	struct ep_chosen_models chosen;
	struct ep_roofline roofline;
	uint32_t n_before_rows; /* points for the run and its phases */
};

static void finish_survey(struct survey *s)
{
	ep_chosen_models_close(&s->chosen);
	ep_roofline_finish(&s->roofline);
}

static const struct ep_roofline_time no_time = { NAN, NAN };

static double value_of(const struct ep_metric_scope *scope, const char *name)
{
	const struct ep_measured *measured = ep_values_find(&scope->values, name);

	return measured && measured->is_measured ? measured->value : NAN;
}

/* ---- the run and its phases ---- */

static struct ep_roofline_time time_of_run(const struct survey *s, double *out_n_cpus)
{
	const struct ep_roofline_request *q = s->request;
	const struct ep_report *told = q->times ? q->times : q->report;

	*out_n_cpus = s->roofline.is_simulated && !q->times ? 1 : told->cpus_used;
	if (s->roofline.is_simulated && !q->times)
		return no_time;
	return (struct ep_roofline_time){ ep_shown_s(told), 0 };
}

static int add_scopes(struct survey *s, const struct ep_scope_request *which,
	int (*add)(struct survey *s, const struct ep_metric_scope *scope, uint32_t i))
{
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	int rc = ep_metric_scopes_create(s->request->report, which, &s->chosen.table, &scopes);

	for (uint32_t i = 0; !rc && i < scopes.n_scopes; i++)
		rc = add(s, &scopes.scopes[i], i);
	return rc;
}

static int add_run(struct survey *s, const struct ep_metric_scope *scope, uint32_t i)
{
	double n_cpus;
	struct ep_roofline_time time = time_of_run(s, &n_cpus);

	return ep_roofline_add(
		&s->roofline, EP_ROOFLINE_RUN, scope, s->chosen.models[0], n_cpus, &time);
}

static int add_phase(struct survey *s, const struct ep_metric_scope *scope, uint32_t i)
{
	struct ep_roofline_time time = { value_of(scope, "duration_time"), 0 };
	double n_cpus = value_of(scope, "task-clock") / 1e9 / time.seconds;

	return ep_roofline_add(
		&s->roofline, EP_ROOFLINE_PHASE, scope, s->chosen.models[0], n_cpus, &time);
}

static int name_phase(struct survey *s, uint32_t n_before, uint32_t stretch)
{
	const struct ep_phases *phases = s->request->phases;
	struct ep_roofline_point *point = &s->roofline.points[n_before];
	char kind[8], *name;

	if (s->roofline.n_points == n_before)
		return 0; /* the phase has no operations, so there is no point */
	ep_phase_kind_name(phases->segmentation.stretches[stretch].kind, kind);
	if (asprintf(&name, "phase %u (%s)", stretch + 1, kind) < 0)
		return -ENOMEM;
	free(point->name);
	point->name = name;
	return 0;
}

enum { n_most_phases = 20 };

static int add_phases(struct survey *s)
{
	const struct ep_phases *phases = s->request->phases;
	uint32_t n = phases ? phases->segmentation.n_stretches : 0;
	int rc = 0;

	if (n < 2 || s->roofline.is_simulated)
		return 0;
	for (uint32_t i = 0; !rc && i < n && i < n_most_phases; i++) {
		const struct ep_scope_request part = { EP_SCOPE_PROGRAM, 0,
			ep_phase_from_s(phases, i), ep_phase_to_s(phases, i) };
		uint32_t n_before = s->roofline.n_points;

		rc = add_scopes(s, &part, add_phase);
		if (!rc)
			rc = name_phase(s, n_before, i);
	}
	return rc;
}

/* ---- procedures and loops ---- */

static const struct ep_report_table *rows_of(const struct survey *s)
{
	const struct ep_report *report = s->request->report;

	return s->request->by_loop ? &report->loops : &report->procedures;
}

/* Returns the time of a row from its samples. The error is that of the random choice of moments that are sampled. */
static struct ep_roofline_time sampled_time(const struct ep_report_row *row)
{
	double seconds = (double)row->self_ns / 1e9;

	return (struct ep_roofline_time){ seconds,
		row->self_share > 0 ? seconds * row->self_error / row->self_share : NAN };
}

static struct ep_roofline_time time_of_row(const struct survey *s, const struct ep_report_row *row)
{
	const struct ep_report *times = s->request->times;

	if (!times)
		return s->roofline.is_simulated ? no_time : sampled_time(row);
	for (uint32_t i = 0; i < times->procedures.n_rows; i++)
		if (!strcmp(times->procedures.rows[i].name, row->name))
			return sampled_time(&times->procedures.rows[i]);
	return no_time;
}

static int add_row(struct survey *s, const struct ep_metric_scope *scope, uint32_t i)
{
	if (s->request->top && s->roofline.n_points - s->n_before_rows >= s->request->top)
		return 0;
	struct ep_roofline_time time = time_of_row(s, &rows_of(s)->rows[i]);

	return ep_roofline_add(&s->roofline,
		s->request->by_loop ? EP_ROOFLINE_LOOP : EP_ROOFLINE_PROCEDURE, scope,
		s->chosen.models[0], 1, &time);
}

static int add_rows(struct survey *s)
{
	const struct ep_scope_request all = {
		s->request->by_loop ? EP_SCOPE_LOOP : EP_SCOPE_PROCEDURE, 0, NAN, NAN
	};

	s->n_before_rows = s->roofline.n_points;
	return add_scopes(s, &all, add_row);
}

/* ---- the whole roofline ---- */

static double total_of(const struct ep_report *report, const char *name)
{
	for (uint32_t e = 0; e < report->n_events; e++)
		if (!strcmp(report->events[e].name, name))
			return ep_quantity_or(&report->events[e].total.count, 0);
	return 0;
}

static int describe(struct survey *s)
{
	const struct ep_roofline_request *q = s->request;
	double unread = total_of(q->report, "instructions-unread");

	s->roofline.is_simulated = q->report->is_simulated;
	if (unread > 0)
		s->roofline.unread_share = unread / total_of(q->report, "instructions");
	if (q->times && q->times_path) {
		s->roofline.time_source = strdup(q->times_path);
		if (!s->roofline.time_source)
			return -ENOMEM;
	}
	return 0;
}

static int survey_all(struct survey *s)
{
	const struct ep_scope_request whole = { EP_SCOPE_PROGRAM, 0, NAN, NAN };
	int rc = describe(s);

	if (!rc)
		rc = add_scopes(s, &whole, add_run);
	if (!rc && s->roofline.n_points)
		rc = add_phases(s);
	if (!rc && s->roofline.n_points)
		rc = add_rows(s);
	return rc;
}

int ep_roofline_create(
	const struct ep_roofline_request *request, struct ep_roofline *out, struct ep_error *err)
{
	__attribute__((cleanup(finish_survey))) struct survey s = { .request = request };
	const char *const *meta =
		request->trace->n_processes ? request->trace->processes[0].meta : NULL;
	int rc = ep_chosen_models_open(
		&s.chosen, "flops", NULL, ep_trace_cpuid(request->trace), err);

	if (!rc)
		rc = ep_machine_roofs_find(request->roofs_path, meta ? meta[EP_META_CPUID] : NULL,
			&s.roofline.roofs, err);
	if (rc)
		return rc;
	rc = survey_all(&s);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	*out = s.roofline;
	s.roofline = (struct ep_roofline){ 0 };
	return 0;
}
