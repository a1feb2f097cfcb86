// SPDX-License-Identifier: BSD-3-Clause
/* evreport explain [OPTIONS] [NAME]: prints definitions from the formula files and remedies from the advice. No
 * trace is read. */
#include "reporter/command/cmd_explain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/options.h"
#include "reporter/advise/advise_view.h"
#include "reporter/advise/subject.h"
#include "reporter/command/pager.h"
#include "reporter/metrics/choose.h"
#include "reporter/metrics/explain.h"
#include "reporter/view/terminal.h"

static const char usage[] =
	"usage: evreport explain [OPTIONS] [NAME]\n"
	"\n"
	"What a metric (Memory_Bound) or a category of advise (\"data accesses\") means: its equations down\n"
	"to the events of a CPU, their source, and what can be tried against it. Without NAME: what there\n"
	"is. evreport metrics --explain NAME TRACE goes from a run's value to its counts.\n"
	"\n"
	"      --cpu KEY          whose models (default: this machine's; where there are none, those of\n"
	"                         valgrind's simulated machine)\n"
	"  -m, --model NAMES      only these: topdown,lcpi,caches,... or paths of formula files\n"
	"  -n, --top N            remedies (0, which is all)\n"
	"      --color WHEN       auto (on a terminal, the default), always or never\n";

struct explain_request {
	const char *subject; /* name to explain; NULL: list all names */
	const char *cpu, *models;
	uint32_t n_remedies;
	enum ep_colour colour;
	struct ep_chosen_models chosen;
	struct ep_advice advice;
	struct ep_layout layout;
	struct ep_error err;
};

static void request_finish(struct explain_request *q)
{
	ep_chosen_models_close(&q->chosen);
	ep_advice_finish(&q->advice);
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_arguments(struct explain_request *q, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "cpu", .text = &q->cpu },
		{ "model", 'm', .text = &q->models },
		{ "top", 'n', .count = &q->n_remedies, .most = EP_REMEDIES_MOST,
			.expected = "a number of remedies" },
		{ "color", .take = ep_colour_take, .into = &q->colour,
			.expected = EP_COLOUR_EXPECTED },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport explain", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (argc - optind > 1)
		return ep_options_refuse(&options,
			"only one name at a time; put a name of two words in quotes: evreport explain \"data accesses\"");
	q->subject = optind < argc ? argv[optind] : NULL;
	return EP_OPTIONS_READ;
}

/* ---- choice of models ---- */

/* Returns the CPU whose models are used. A machine without models of its own gets the models for programs inside
 * valgrind, since valgrind can run on any machine. */
static const char *find_cpu(const struct explain_request *q, const struct ep_catalog *catalog)
{
	EP_AUTOFREE char *cpuid = q->cpu ? NULL : ep_catalog_own_cpuid();
	const char *cpu = q->cpu ? q->cpu : ep_catalog_cpu_of(catalog, cpuid);

	return cpu ? cpu : "valgrind";
}

static bool is_in_list(const char *list, const char *name)
{
	size_t size = strlen(name);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, name, size) && (!list[size] || list[size] == ','))
			return true;
	}
	return false;
}

static int add_name(char **list, const char *name)
{
	char *longer = NULL;

	if (*list && is_in_list(*list, name))
		return 0;
	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", name) < 0)
		return -ENOMEM;
	free(*list);
	*list = longer;
	return 0;
}

static int add_models_of(char **list, const struct ep_catalog *catalog, const char *cpu)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < catalog->n_entries; i++) {
		const struct ep_catalog_entry *entry = &catalog->entries[i];

		if (entry->name && entry->cpu && !strcmp(entry->cpu, cpu))
			rc = add_name(list, entry->name);
	}
	return rc;
}

/* Lists the models of a CPU, then the generic models. Top-Down comes first, since most users ask for its metrics. */
static int list_models(const struct ep_catalog *catalog, const char *cpu, char **out)
{
	static const char *const first[] = { "topdown", "lcpi" };
	int rc = 0;

	for (size_t i = 0; !rc && i < EP_ARRAY_SIZE(first); i++)
		if (ep_catalog_find(catalog, first[i], cpu))
			rc = add_name(out, first[i]);
	if (!rc)
		rc = add_models_of(out, catalog, cpu);
	return rc ? rc : add_models_of(out, catalog, "generic");
}

/* Checks that the CPU has models. Returns 0, or -ENOENT with a message that lists the CPUs that have some. */
static int check_cpu(struct explain_request *q, const struct ep_catalog *catalog)
{
	EP_AUTOFREE char *keys = NULL;

	for (uint32_t i = 0; i < catalog->n_entries; i++) {
		const char *cpu = catalog->entries[i].cpu;

		if (cpu && !strcmp(cpu, q->cpu))
			return 0;
		if (cpu && add_name(&keys, cpu))
			return ep_fail(&q->err, -ENOMEM, "out of memory");
	}
	return ep_fail(&q->err, -ENOENT, "no CPU is called '%s' here; there are models of %s",
		q->cpu, keys ? keys : "none");
}

static int open_models(struct explain_request *q)
{
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	EP_AUTOFREE char *all = NULL;
	int rc = ep_catalog_open(&catalog, &q->err);

	if (rc)
		return rc;
	q->cpu = find_cpu(q, &catalog);
	rc = check_cpu(q, &catalog);
	if (rc)
		return rc;
	if (!q->models && list_models(&catalog, q->cpu, &all))
		return ep_fail(&q->err, -ENOMEM, "out of memory");
	rc = ep_chosen_models_open(&q->chosen, q->models ? q->models : all, q->cpu, NULL, &q->err);
	q->cpu = NULL; /* the catalog owned the text */
	return rc ? rc : ep_advice_read_shipped(&q->advice, &q->err);
}

/* ---- one subject ---- */

static struct ep_model *find_model(const struct explain_request *q, const char *name)
{
	for (uint32_t i = 0; i < q->chosen.n_models; i++)
		if (!strcmp(ep_model_file(q->chosen.models[i])->name, name))
			return q->chosen.models[i];
	return NULL;
}

static void put_remedies(
	const struct explain_request *q, const struct ep_remedy *const *remedies, uint32_t n)
{
	uint32_t n_shown = q->n_remedies && q->n_remedies < n ? q->n_remedies : n;

	fputs("\nWhat to try\n", q->layout.out);
	if (!n)
		fputs("  There are no remedies for this one.\n", q->layout.out);
	for (uint32_t i = 0; i < n_shown; i++)
		ep_remedy_print(&q->layout, i + 1, remedies[i]);
}

static int put_definition(struct explain_request *q, struct ep_model *model, const char *metric)
{
	const struct ep_metric_scope definition = { .table = &q->chosen.table };
	int rc = ep_explain(&definition, model, metric, &q->layout);

	return rc ? ep_fail(&q->err, rc, "out of memory") : 0;
}

static int explain_category(struct explain_request *q, enum ep_category category)
{
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	uint32_t n = ep_subject_category_remedies(category, &q->advice, remedies);
	struct ep_model *model = find_model(q, "lcpi");
	const char *metric = model ? ep_subject_category_metric(category, model) : NULL;
	int rc = 0;

	fprintf(q->layout.out, "%s, a category of advise\n", ep_category_name(category));
	fputs("  ", q->layout.out);
	ep_put_wrapped(&q->layout,
		"An upper bound: the CPU hides a part of it by doing several things at once, so that the categories do not add up. A long bar is a possible cause, a short one is none.",
		2);
	fputc('\n', q->layout.out);
	if (metric)
		rc = put_definition(q, model, metric);
	else
		fputs("There is no LCPI model of this CPU.\n", q->layout.out);
	if (!rc)
		put_remedies(q, remedies, n);
	return rc;
}

static void put_place(
	const struct explain_request *q, const struct ep_model *model, const char *metric)
{
	const struct ep_formula_file *file = ep_model_file(model);
	const struct ep_formula_metric *of = &file->metrics[ep_model_find_metric(model, metric)];
	char text[400];
	int n = snprintf(
		text, sizeof(text), "In %s: %s", file->name, file->title ? file->title : "");

	if (of->level >= 1 && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, "; level %.0f", of->level);
	if (of->parent && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - (size_t)n, ", a part of %s", of->parent);
	ep_put_wrapped(&q->layout, text, 0);
	fputc('\n', q->layout.out);
}

static int explain_metric(struct explain_request *q, struct ep_model *model, const char *metric)
{
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	uint32_t n = ep_subject_metric_remedies(model, metric, &q->advice, remedies);
	int rc;

	put_place(q, model, metric);
	rc = put_definition(q, model, metric);
	if (!rc)
		put_remedies(q, remedies, n);
	return rc;
}

/* Returns a metric's name as the file spells it; NULL: the model does not have it. */
static const char *find_metric(const struct ep_model *model, const char *wanted)
{
	const struct ep_formula_file *file = ep_model_file(model);

	for (uint32_t i = 0; i < file->n_metrics; i++)
		if (ep_subject_is_named(file->metrics[i].name, wanted))
			return file->metrics[i].name;
	return NULL;
}

static int explain_subject(struct explain_request *q)
{
	int category = ep_subject_find_category(q->subject);

	if (category >= 0)
		return explain_category(q, (enum ep_category)category);
	for (uint32_t i = 0; i < q->chosen.n_models; i++) {
		const char *metric = find_metric(q->chosen.models[i], q->subject);

		if (metric)
			return explain_metric(q, q->chosen.models[i], metric);
	}
	return ep_fail(&q->err, -ENOENT,
		"nothing is called '%s' in the models of this CPU; evreport explain alone lists what there is, --cpu names another CPU",
		q->subject);
}

/* ---- list of all names ---- */

static void put_metrics(const struct explain_request *q, const struct ep_formula_file *file)
{
	ep_put_heading(&q->layout, file->name, file->title ? file->title : "");
	for (uint32_t i = 0; i < file->n_metrics; i++) {
		const struct ep_formula_metric *metric = &file->metrics[i];
		int indent = metric->level >= 1 ? 2 * (int)metric->level : 2;

		if (!(metric->level >= 1))
			continue;
		fprintf(q->layout.out, "%*s%s  ", indent, "", metric->name);
		ep_put_wrapped(&q->layout, metric->about ? metric->about : "", 8);
	}
}

static int put_list(const struct explain_request *q)
{
	fputs("Categories of advise\n", q->layout.out);
	for (int i = 0; i < EP_N_CATEGORIES; i++)
		fprintf(q->layout.out, "  %s\n", ep_category_name((enum ep_category)i));
	for (uint32_t i = 0; i < q->chosen.n_models; i++)
		put_metrics(q, ep_model_file(q->chosen.models[i]));
	return 0;
}

int ep_cmd_explain(int argc, char **argv)
{
	__attribute__((cleanup(request_finish))) struct explain_request q = { 0 };
	struct ep_view_options look = { 0 };
	int status = parse_arguments(&q, argc, argv), rc;

	if (status != EP_OPTIONS_READ)
		return status;
	rc = open_models(&q);
	if (!rc) {
		ep_terminal_look(&look, true, q.colour);
		ep_pager_start();
		q.layout = (struct ep_layout){ stdout, look.width, look.utf8, look.colour };
		rc = q.subject ? explain_subject(&q) : put_list(&q);
	}
	if (rc)
		ep_error_print(&q.err, "evreport explain");
	return rc ? 1 : 0;
}
