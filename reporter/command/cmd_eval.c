// SPDX-License-Identifier: BSD-3-Clause
/* evreport eval: reads named values and prints metrics. The command serves tests, and users who have counts but no
 * trace. */
#include "reporter/command/cmd_eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/model.h"
#include "common/formula/parse.h"
#include "common/options.h"
#include "reporter/formula/formula_view.h"
#include "reporter/formula/import.h"
#include "reporter/formula/values_file.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport eval (--metrics FILE | --model NAME [--cpu KEY]) --values FILE [OPTIONS]\n"
	"\n"
	"  --metrics FILE      a formula file, perf or perfmon metric JSON, a likwid group,\n"
	"                      or a folder of JSON files\n"
	"  --model NAME        a model that came with evprof: topdown, lcpi, ...\n"
	"  --cpu KEY           whose: skx, zen2, a64fx, ... (default: this machine's)\n"
	"  --values FILE       lines NAME<TAB>VALUE[<TAB>SOURCE_COUNT[<TAB>STANDARD_ERROR\n"
	"                      [<TAB>COVERAGE]]]; '-' is not measured; NAME #literal, ? and\n"
	"                      cpuid set those; '-' as FILE is standard input\n"
	"  --param NAME=VALUE  sets a parameter of the formulas\n"
	"  --perf-semantics    what perf of Linux 6.12 computes\n"
	"  --format FORMAT     tsv (default), tree, csv or json\n";

struct eval_request {
	const char *metrics, *model, *cpu, *values;
	const char **parameters; /* (n_parameters) texts "NAME=VALUE" */
	int n_parameters;
	const struct ep_view *view;
	bool perf_semantics;
	struct ep_error err;
};

static int take_parameter(void *into, const char *value)
{
	struct eval_request *q = into;

	q->parameters[q->n_parameters++] = value;
	return 0;
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct eval_request *q, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "metrics", .text = &q->metrics },
		{ "model", .text = &q->model },
		{ "cpu", .text = &q->cpu },
		{ "values", .text = &q->values },
		{ "param", .take = take_parameter, .into = q },
		{ "perf-semantics", .flag = &q->perf_semantics },
		{ "format", .take = ep_view_take, .into = &q->view,
			.expected = "tsv, tree, csv or json" },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport eval", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (optind < argc)
		return ep_options_refuse(&options, "unexpected argument");
	if (!q->metrics == !q->model)
		return ep_options_refuse(&options, "give either --metrics or --model");
	if (!q->values)
		return ep_options_refuse(&options, "--values is missing");
	return EP_OPTIONS_READ;
}

static int fail_no_model(struct eval_request *q, const struct ep_catalog *catalog, const char *cpu)
{
	char known[768] = "";
	size_t size = 0;

	for (uint32_t i = 0; i < catalog->n_entries; i++) {
		const struct ep_catalog_entry *e = &catalog->entries[i];

		if (e->cpu && !strcmp(e->name, q->model) && size < sizeof(known))
			size += (size_t)snprintf(known + size, sizeof(known) - size, " %s", e->cpu);
	}
	if (!size)
		return ep_fail(&q->err, -ENOENT, "no model '%s'", q->model);
	return ep_fail(&q->err, -ENOENT, "no model '%s' for %s; --cpu can be:%s", q->model,
		cpu ? cpu : "this CPU", known);
}

/* Finds the model's file and reads it as the only file of an import. */
static int read_model(struct eval_request *q, struct ep_import *out)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	EP_AUTOFREE char *cpuid = ep_catalog_own_cpuid();
	const struct ep_catalog_entry *entry = NULL;
	const char *cpu = q->cpu;
	struct ep_formula_file *file;
	int rc = ep_catalog_open(&catalog, &q->err);

	if (rc)
		return rc;
	if (!cpu)
		cpu = ep_catalog_cpu_of(&catalog, cpuid);
	if (cpu)
		entry = ep_catalog_find(&catalog, q->model, cpu);
	if (!entry)
		return fail_no_model(q, &catalog, cpu);
	file = ep_import_file(out, "");
	if (!file)
		return ep_fail(&q->err, -ENOMEM, "out of memory");
	return ep_catalog_read(&catalog, entry, file, &q->err);
}

static int set_parameter(struct eval_request *q, struct ep_formula_file *file, const char *text)
{
	EP_AUTOFREE char *name = strndup(text, strcspn(text, "="));
	int rc = ep_formula_file_set_parameter(file, text, &q->err);

	if (rc != -ENOENT)
		return rc;
	if (!name || !ep_formula_file_add_parameter(file, name))
		return ep_fail(&q->err, -ENOMEM, "out of memory");
	return ep_formula_file_set_parameter(file, text, &q->err);
}

/* The models of an import, one for each file, and their results. */
struct file_evaluation {
	struct ep_model **models;
	struct ep_scope_view *views;
	uint32_t n;
};

static void finish_evaluation(struct file_evaluation *e)
{
	for (uint32_t i = 0; i < e->n; i++) {
		free((void *)e->views[i].metrics);
		free((void *)e->views[i].checks);
		ep_model_destroy(e->models[i]);
	}
	free(e->models);
	free(e->views);
}

static int evaluate(struct eval_request *q, struct ep_model *model, const struct ep_values *values,
	struct ep_scope_view *out)
{
	const struct ep_formula_file *file = ep_model_file(model);
	struct ep_metric_value *metrics = calloc(file->n_metrics + 1, sizeof(*metrics));
	struct ep_check_value *checks = calloc(file->n_checks + 1, sizeof(*checks));
	int rc = -ENOMEM;

	*out = (struct ep_scope_view){
		.model = model,
		.metrics = metrics,
		.checks = checks,
		.perf_semantics = q->perf_semantics,
		.utf8 = ep_terminal_is_utf8(),
	};
	if (metrics && checks && q->perf_semantics)
		rc = ep_model_eval_perf(model, values, metrics);
	else if (metrics && checks)
		rc = ep_model_eval(model, values, metrics, checks);
	return rc ? ep_fail(&q->err, rc, "out of memory") : 0;
}

static int eval_file(struct eval_request *q, struct ep_formula_file *file,
	const struct ep_values *values, struct file_evaluation *e)
{
	/* A value that the user gives for an intermediate result of a shipped model is used instead of the
	 * formula. */
	const struct ep_names *overridden = q->model ? &values->names : NULL;
	int rc = 0;

	for (int i = 0; !rc && i < q->n_parameters; i++)
		rc = set_parameter(q, file, q->parameters[i]);
	if (!rc)
		rc = ep_model_create(
			file, overridden, values->runtime_parameter, &e->models[e->n], &q->err);
	if (rc)
		return rc;
	e->n++;
	return evaluate(q, e->models[e->n - 1], values, &e->views[e->n - 1]);
}

static int run(struct eval_request *q)
{
	__attribute__((cleanup(ep_import_finish))) struct ep_import import = { 0 };
	__attribute__((cleanup(ep_values_finish))) struct ep_values values = { 0 };
	__attribute__((cleanup(finish_evaluation))) struct file_evaluation e = { 0 };
	int rc = ep_values_file_read(q->values, &values, &q->err);

	if (!rc)
		rc = q->metrics ? ep_import_read(q->metrics, &import, &q->err)
				: read_model(q, &import);
	if (rc)
		return rc;
	e.models = calloc(import.n_files + 1, sizeof(*e.models));
	e.views = calloc(import.n_files + 1, sizeof(*e.views));
	if (!e.models || !e.views)
		return ep_fail(&q->err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; !rc && i < import.n_files; i++)
		rc = eval_file(q, &import.files[i], &values, &e);
	if (!rc && q->view->print(e.views, e.n, stdout))
		rc = ep_fail(&q->err, -ENOMEM, "out of memory");
	return rc;
}

int ep_cmd_eval(int argc, char **argv)
{
	EP_AUTOFREE const char **parameters = calloc((size_t)argc + 1, sizeof(*parameters));
	struct eval_request q = { .parameters = parameters, .view = ep_view_find("tsv") };
	int status = parameters ? parse_arguments(&q, argc, argv) : 1;

	if (status != EP_OPTIONS_READ)
		return status;
	if (run(&q)) {
		ep_error_print(&q.err, "evreport eval");
		return 1;
	}
	return 0;
}
