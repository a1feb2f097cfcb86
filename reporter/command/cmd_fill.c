// SPDX-License-Identifier: BSD-3-Clause
/* evreport fill: reads a table with gaps, and writes the complete table and its standard errors. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/estimate_commands.h"
#include "reporter/estimate/series.h"

struct fill_options {
	const char *in, *out, *errors, *always;
	struct ep_fit_options fit;
};

static void cleanup_fit(struct ep_fit **fit)
{
	ep_fit_destroy(*fit);
}

/* Marks the cells that are known. Unknown values become empty cells. */
static void mark_known(struct ep_table *t)
{
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
		t->measured[i] = !isnan(t->values[i]);
		if (isnan(t->values[i]))
			t->values[i] = 0;
	}
}

static int write_tables(const struct fill_options *o, const struct ep_table *in,
	const struct ep_fit *fit, struct ep_error *err)
{
	EP_AUTOTABLE struct ep_table values = { 0 };
	EP_AUTOTABLE struct ep_table errors = { 0 };
	int rc = ep_table_init(&values, in->n_rows, in->n_columns, in->names);

	if (!rc)
		rc = ep_table_init(&errors, in->n_rows, in->n_columns, in->names);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	ep_fit_fill(fit, values.values, errors.values);
	mark_known(&values);
	mark_known(&errors);
	rc = ep_table_write(o->out, &values, 15, err);
	if (!rc && o->errors)
		rc = ep_table_write(o->errors, &errors, 6, err);
	return rc;
}

/* Prints findings on stderr, since standard output may be the table. */
static void print_findings(const struct ep_table *t, const struct ep_fit *fit, size_t n_dropped)
{
	if (n_dropped)
		fprintf(stderr,
			"evreport: %zu values are no counts (negative or above 2^63): dropped\n",
			n_dropped);
	for (size_t e = 0; e < t->n_columns; e++)
		if (!strcmp(ep_fit_event(fit, e).estimator, "missing"))
			fprintf(stderr, "evreport: %s was never measured: missing\n", t->names[e]);
}

static void print_summary(const struct ep_table *t, const struct ep_fit *fit)
{
	printf("%-32s %-10s %9s %13s %16s %14s\n", "event", "estimator", "coverage",
		"holdout error", "total", "+- (95 %)");
	for (size_t e = 0; e < t->n_columns; e++) {
		struct ep_event_fit of = ep_fit_event(fit, e);
		printf("%-32s %-10s %8.1f%%", t->names[e], of.estimator, 100 * of.coverage);
		if (isnan(of.holdout_error))
			printf(" %13s", "-");
		else
			printf(" %12.1f%%", 100 * of.holdout_error);
		if (isnan(of.total))
			printf(" %16s %14s\n", "-", "-");
		else
			printf(" %16.0f %14.0f\n", of.total, 1.96 * of.total_error);
	}
}

static int fill(const struct fill_options *o, struct ep_error *err)
{
	EP_AUTOTABLE struct ep_table t = { 0 };
	EP_AUTOSERIES struct ep_table_series ts = { 0 };
	__attribute__((cleanup(cleanup_fit))) struct ep_fit *fit = NULL;
	size_t n_dropped;
	int rc = ep_table_read(o->in, &t, err);

	if (rc)
		return rc;
	n_dropped = ep_table_drop_bad(&t);
	rc = ep_table_series_init(&ts, &t, o->in, o->always, err);
	if (!rc)
		rc = ep_fit(&ts.series, &o->fit, &fit, err);
	if (!rc)
		rc = write_tables(o, &t, fit, err);
	if (rc)
		return rc;
	print_findings(&t, fit, n_dropped);
	if (strcmp(o->out, "-"))
		print_summary(&t, fit);
	return 0;
}

static const char usage[] =
	"usage: evreport fill IN.csv[.gz] [OPTIONS]\n"
	"\n"
	"Fills the gaps of a table of counts: a header of event names, a row per slice, an empty\n"
	"cell where nothing was measured.\n"
	"\n"
	"  -o FILE              the complete table (default: standard output)\n"
	"      --errors FILE    the standard errors, 0 where measured\n"
	"      --estimator NAME see below (default: auto)\n"
	"      --always EVENTS  counted in every slice: a clock, then work, as in CYCLES,INSTR\n"
	"                       (default: the columns without a gap)\n"
	"      --weights FILE   a network's, in place of the built-in ones\n"
	"\n"
	"estimators:\n";

static void print_estimators(FILE *out)
{
	for (const char *const *name = ep_estimator_names(); *name; name++)
		fprintf(out, "  %-10s %s\n", *name, ep_estimator_summary(*name));
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct fill_options *o, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &o->out },
		{ "estimator", .text = &o->fit.estimator,
			.expected = "auto, " EP_ESTIMATORS_EXPECTED },
		{ "errors", .text = &o->errors },
		{ "always", .text = &o->always },
		{ "weights", .text = &o->fit.weights_path },
		{ NULL },
	};
	const struct ep_options options = { .command = "evreport fill",
		.usage = usage,
		.print_more = print_estimators,
		.rows = rows };
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	o->in = argv[optind];
	if (optind + 1 != argc)
		return ep_options_refuse(&options, "name one table, a CSV file");
	return EP_OPTIONS_READ;
}

int ep_cmd_fill(int argc, char **argv)
{
	struct fill_options o = { .out = "-" };
	struct ep_error err = { 0 };
	int status = parse_options(&o, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (!fill(&o, &err))
		return 0;
	ep_error_print(&err, "evreport");
	return 1;
}
