// SPDX-License-Identifier: BSD-3-Clause
/* evreport metrics [OPTIONS] [TRACE...]: loads traces, attributes their counts, evaluates models and prints
 * metrics. */
#include "reporter/command/cmd_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/cmd_report.h"
#include "reporter/command/opened.h"
#include "reporter/command/pager.h"
#include "reporter/command/parameters.h"
#include "reporter/command/phase_load.h"
#include "reporter/command/select.h"
#include "reporter/fill/fill_choose.h"
#include "reporter/formula/formula_view.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/explain.h"
#include "reporter/metrics/scopes.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport metrics [OPTIONS] [TRACE...]\n"
	"\n"
	"Evaluates models on what TRACE counted.\n"
	"\n"
	"  -m, --model NAMES    topdown,lcpi,caches,... or paths of formula files\n"
	"                       (default: the CPU's Top-Down and LCPI, else software events)\n"
	"      --cpu KEY        whose models (default: the trace's CPU)\n"
	"  -b, --by WHAT        program (default), process, thread, procedure, loop, line\n"
	"                       or time\n"
	"  -n, --top N          processes, threads, procedures, loops, lines or pieces of\n"
	"                       time (10); 0 for all\n"
	"  -e, --estimator NAME   fills what was not measured (by the number of\n"
	"                         slices: auto, path or hold)\n"
	"      --region NAME    only what ran in a region that the program has named\n"
	"      --phase N        only this phase of those that evreport phases shows, rounded so\n"
	"      --from SECONDS   only this part of the run (program and time), rounded to the\n"
	"      --to SECONDS     timeline\n"
	"  -s, --sysroot DIR    find programs and libraries below DIR\n"
	"  -f, --format FORMAT  tree (default), tsv, csv or json\n"
	"  -x, --explain METRIC back from this metric to equations, counts and their sources\n" EP_PARAMETER_USAGE
	"      --details        each metric's verdict of evcal check, also where it is no warning\n";

struct metrics_request {
	const char *const *paths; /* NULL-terminated */
	const char *models, *cpu, *sysroot;
	struct ep_parameters parameters;
	struct ep_scope_request scopes;
	struct ep_selection selection; /* only its region is used */
	/* number of the phase that sets from_s and to_s of scopes; 0: none */
	uint32_t phase;
	const struct ep_view *view;
	bool shows_details;
	/* the metric that is to be explained; NULL: all are printed */
	const char *explained;
	const struct ep_filler_ops *filler; /* estimates the counts that slices did not measure */
	struct ep_error err;
};

static const struct {
	const char *name;
	enum ep_scope_by by;
} by_names[] = {
	{ "program", EP_SCOPE_PROGRAM },
	{ "process", EP_SCOPE_PROCESS },
	{ "time", EP_SCOPE_TIME },
	{ "thread", EP_SCOPE_THREAD },
	{ "procedure", EP_SCOPE_PROCEDURE },
	{ "line", EP_SCOPE_LINE },
	{ "loop", EP_SCOPE_LOOP },
};

static int take_by(void *into, const char *value)
{
	enum ep_scope_by *by = into;

	for (size_t i = 0; i < EP_ARRAY_SIZE(by_names); i++) {
		if (strcmp(by_names[i].name, value))
			continue;
		*by = by_names[i].by;
		return 0;
	}
	return -EINVAL;
}

static bool is_cut(const struct ep_scope_request *scopes)
{
	return !isnan(scopes->from_s) || !isnan(scopes->to_s);
}

static const char seconds[] = "seconds since the run began";

/* Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct metrics_request *q, int argc, char **argv)
{
	struct ep_scope_request *scopes = &q->scopes;
	const struct ep_option rows[] = {
		{ "model", 'm', .text = &q->models },
		{ "cpu", .text = &q->cpu },
		{ "by", 'b', .take = take_by, .into = &scopes->by,
			.expected = "program, process, thread, procedure, loop, line or time" },
		{ "top", 'n', .count = &scopes->top, .most = UINT32_MAX,
			.expected = "a number of rows, or 0 for all" },
		{ "estimator", 'e', .take = ep_filler_take, .into = &q->filler,
			.expected = EP_FILLER_EXPECTED },
		{ "region", .text = &q->selection.region },
		{ "phase", .count = &q->phase, .least = 1, .most = UINT32_MAX,
			.expected = EP_PHASE_EXPECTED },
		{ "from", .number = &scopes->from_s, .most = INFINITY, .expected = seconds },
		{ "to", .number = &scopes->to_s, .most = INFINITY, .expected = seconds },
		{ "sysroot", 's', .text = &q->sysroot },
		{ "format", 'f', .take = ep_view_take, .into = &q->view,
			.expected = "tree, tsv, csv or json" },
		{ "param", .take = ep_parameters_take, .into = &q->parameters,
			.expected = EP_PARAMETERS_EXPECTED },
		{ "details", .flag = &q->shows_details },
		{ "explain", 'x', .text = &q->explained },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport metrics", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (optind < argc)
		q->paths = (const char *const *)(argv + optind);
	if (q->phase && is_cut(scopes))
		return ep_options_refuse(
			&options, "--phase already selects a time: leave out --from and --to");
	if ((q->phase || is_cut(scopes)) && scopes->by != EP_SCOPE_PROGRAM &&
		scopes->by != EP_SCOPE_TIME)
		return ep_options_refuse(&options,
			"--phase, --from and --to work with --by program and --by time only");
	return EP_OPTIONS_READ;
}

/* The values of every model in every scope. Each view owns the memory of its metrics and checks. */
struct scope_evaluation {
	struct ep_scope_view *views; /* (n_views), of which the first n_shown are printed */
	size_t n_views, n_shown;
};

static void finish_evaluation(struct scope_evaluation *e)
{
	for (size_t i = 0; i < e->n_views; i++) {
		free((void *)e->views[i].metrics);
		free((void *)e->views[i].checks);
	}
	free(e->views);
}

static int evaluate_one(
	struct scope_evaluation *e, struct ep_model *model, const struct ep_metric_scope *scope)
{
	const struct ep_formula_file *file = ep_model_file(model);
	struct ep_metric_value *metrics = calloc(file->n_metrics + 1, sizeof(*metrics));
	struct ep_check_value *checks = calloc(file->n_checks + 1, sizeof(*checks));

	e->views[e->n_views++] = (struct ep_scope_view){
		.scope = scope->name,
		.n_samples = scope->n_samples,
		.model = model,
		.metrics = metrics,
		.checks = checks,
		.utf8 = ep_terminal_is_utf8(),
	};
	return metrics && checks ? ep_metric_scope_eval(scope, model, metrics, checks) : -ENOMEM;
}

/* Tells whether the model has a value, and at least half of its metrics have their events. A value that is withheld
 * because its counts are mixed counts as a value. */
static bool is_counted(const struct ep_scope_view *view)
{
	uint32_t n_metrics = 0, n_missing = 0, n_values = 0;

	for (uint32_t i = 0; i < ep_model_file(view->model)->n_metrics; i++) {
		enum ep_absence absence = view->metrics[i].result.absence;

		if (!(view->metrics[i].metric->level >= 1))
			continue;
		n_metrics++;
		n_values += !absence || absence == EP_ABSENT_MIXED;
		n_missing += absence == EP_ABSENT_MISSING;
	}
	return n_values && 2 * n_missing <= n_metrics;
}

static void say_dropped(const struct ep_scope_view *view)
{
	const char *name = ep_model_file(view->model)->name;

	const char *cpu = ep_model_file(view->model)->cpu;

	/* there is no message about a generic model, which is for every CPU: the user did not ask for it */
	if (name && (!cpu || strcmp(cpu, "generic") != 0))
		fprintf(stderr,
			"evreport metrics: %s is left out: the run did not count its events. Where there is a PMU 'evprof run -m %s' does; --model %s shows what there is\n",
			name, name, name);
}

/* Leaves out models that have few values. Called only if the user named no models. */
static void drop_empty_views(struct scope_evaluation *e, uint32_t n_models)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < e->n_views; i++) {
		struct ep_scope_view view = e->views[i];

		if (!is_counted(&view)) {
			/* one message for a model's first scope is enough */
			if (i < n_models)
				say_dropped(&view);
			continue;
		}
		e->views[i] = e->views[n_kept];
		e->views[n_kept++] = view;
	}
	e->n_shown = n_kept;
}

static bool lacks_time(const struct ep_scope_view *view)
{
	for (uint32_t i = 0; i < ep_model_file(view->model)->n_metrics; i++) {
		const struct ep_result *result = &view->metrics[i].result;

		if (result->absence == EP_ABSENT_MISSING && result->subject &&
			!strcmp(result->subject, "duration_time"))
			return true;
	}
	return false;
}

static void say_simulated(const struct scope_evaluation *e)
{
	for (size_t i = 0; i < e->n_shown; i++) {
		if (!lacks_time(&e->views[i]))
			continue;
		fputs("evreport metrics: nothing is known per second (duration_time): valgrind simulated the run, and the time that this took is not the program's\n",
			stderr);
		return;
	}
}

static int evaluate(struct metrics_request *q, const struct ep_chosen_models *chosen,
	const struct ep_metric_scopes *scopes)
{
	__attribute__((cleanup(finish_evaluation))) struct scope_evaluation e = { 0 };
	int rc = 0;

	e.views = calloc((size_t)chosen->n_models * scopes->n_scopes + 1, sizeof(*e.views));
	if (!e.views)
		return -ENOMEM;
	for (uint32_t s = 0; s < scopes->n_scopes; s++)
		for (uint32_t m = 0; !rc && m < chosen->n_models; m++)
			rc = evaluate_one(&e, chosen->models[m], &scopes->scopes[s]);
	e.n_shown = e.n_views;
	for (size_t i = 0; i < e.n_views; i++)
		e.views[i].shows_details = q->shows_details;
	if (!rc && !q->models)
		drop_empty_views(&e, chosen->n_models);
	if (!rc && !e.n_shown)
		return ep_fail(&q->err, -ENODATA,
			"the trace has no events of this CPU's models; 'evprof plan' says which to count, --model names other models");
	if (!rc && scopes->n_scopes && scopes->scopes[0].report->is_simulated)
		say_simulated(&e);
	if (!rc)
		ep_pager_start();
	return rc ? rc : q->view->print(e.views, e.n_shown, stdout);
}

static int explain_scope(struct metrics_request *q, const struct ep_chosen_models *chosen,
	const struct ep_metric_scope *scope, const struct ep_layout *layout)
{
	int rc = -ENOENT;

	for (uint32_t m = 0; rc == -ENOENT && m < chosen->n_models; m++)
		rc = ep_explain(scope, chosen->models[m], q->explained, layout);
	if (rc == -ENOENT)
		return ep_fail(&q->err, rc,
			"these models have no metric '%s': leave --explain out to list their metrics, or choose other models by --model",
			q->explained);
	return rc ? ep_fail(&q->err, rc, "out of memory") : 0;
}

static int explain(struct metrics_request *q, const struct ep_chosen_models *chosen,
	const struct ep_metric_scopes *scopes)
{
	struct ep_view_options look = { 0 };
	int rc = 0;

	ep_terminal_look(&look, true, EP_COLOUR_AUTO);
	ep_pager_start();
	const struct ep_layout layout = { stdout, look.width, look.utf8, look.colour };

	for (uint32_t s = 0; !rc && s < scopes->n_scopes; s++) {
		printf("%s%s\n\n", s ? "\n" : "", scopes->scopes[s].name);
		rc = explain_scope(q, chosen, &scopes->scopes[s], &layout);
	}
	return rc;
}

static int evaluate_report(
	struct metrics_request *q, const struct ep_report *report, const char *cpuid)
{
	__attribute__((cleanup(ep_chosen_models_close))) struct ep_chosen_models chosen = { 0 };
	__attribute__((cleanup(ep_metric_scopes_finish))) struct ep_metric_scopes scopes = { 0 };
	const struct ep_model_choice choice = { q->models, q->cpu, cpuid, q->parameters.texts };
	int rc = ep_chosen_models_open_choice(&chosen, &choice, &q->err);

	if (rc)
		return rc;
	rc = ep_metric_scopes_create(report, &q->scopes, &chosen.table, &scopes);
	if (!rc && q->explained)
		return explain(q, &chosen, &scopes);
	if (!rc)
		rc = evaluate(q, &chosen, &scopes);
	return rc && rc != -ENODATA ? ep_fail(&q->err, rc, "out of memory") : rc;
}

static uint32_t n_bins_for(const struct metrics_request *q)
{
	return q->scopes.by == EP_SCOPE_TIME && q->scopes.top ? q->scopes.top : EP_TIMELINE_BINS;
}

static int take_phase(struct metrics_request *q)
{
	const struct ep_phase_question question = { q->paths, q->sysroot, q->selection.region };
	double times_s[2];
	int rc = ep_phase_find_times(&question, q->phase, times_s, &q->err);

	if (rc)
		return rc;
	q->scopes.from_s = times_s[0];
	q->scopes.to_s = times_s[1];
	return 0;
}

static int take_region(struct metrics_request *q, struct ep_report_options *options)
{
	const struct ep_load_options names = { .filler = ep_filler_default(q->paths).filler };

	options->region = q->selection.region;
	return ep_selection_find(&q->selection, q->paths, &names, &q->err);
}

int ep_cmd_metrics(int argc, char **argv)
{
	struct metrics_request q = { .paths = ep_default_traces(),
		.scopes = { .top = 10, .from_s = NAN, .to_s = NAN },
		.selection = { .to_s = INFINITY },
		.view = ep_view_find("tree") };
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report opened = { 0 };
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	struct ep_report_options options = {
		.top = q.scopes.top,
		.n_bins = n_bins_for(&q),
		.loops = q.scopes.by == EP_SCOPE_LOOP,
		.trace_paths = q.paths,
		.filler = q.filler,
	};
	rc = take_region(&q, &options);
	if (!rc && q.phase)
		rc = take_phase(&q);
	if (!rc)
		rc = ep_opened_report_create(&options, q.sysroot, &opened, &q.err);
	if (!rc)
		rc = evaluate_report(&q, opened.report, ep_trace_cpuid(opened.trace));
	if (rc)
		ep_error_print(&q.err, "evreport metrics");
	return rc ? 1 : 0;
}
