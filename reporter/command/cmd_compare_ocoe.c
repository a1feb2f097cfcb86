// SPDX-License-Identifier: BSD-3-Clause
/*
 * evreport compare-ocoe: fills a multiplexed trace and compares it with traces in which every event was counted in
 * every slice. It prints the figures that evreport accuracy prints, once for slices that are aligned by their numbers
 * (step), once by dynamic time warping (DTW).
 */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/estimate_commands.h"
#include "reporter/command/pair_traces.h"
#include "reporter/estimate/accuracy_report.h"
#include "reporter/estimate/pair.h"
#include "reporter/estimate/series.h"

struct compare_ocoe_options {
	const char *estimators, *format, *weights_path;
	uint32_t band; /* width of the band in slices; 0: no limit */
	char **paths;  /* (n_paths) the multiplexed trace, then the others */
	size_t n_paths;
};

/* A multiplexed trace and the M traces that it is compared with. Slices are aligned in EP_N_ALIGNMENTS ways. */
struct comparison {
	const struct compare_ocoe_options *options;
	struct ep_accuracy_report report;
	struct ep_pair_traces traces;
	struct ep_table_series mpx_series;
	struct ep_dtw_match *matches; /* (EP_N_ALIGNMENTS, M) pairs of slices */
};

/* The multiplexed trace as one estimator filled it. */
struct filled {
	size_t estimator;
	struct ep_fit *fit;
	double *values, *errors; /* (T, E) values and their standard errors */
};

static void filled_finish(struct filled *f)
{
	ep_fit_destroy(f->fit);
	free(f->values);
	free(f->errors);
}

static void comparison_finish(struct comparison *c)
{
	for (size_t i = 0; c->matches && i < EP_N_ALIGNMENTS * c->traces.n_ocoe; i++)
		ep_dtw_match_finish(&c->matches[i]);
	free(c->matches);
	ep_table_series_finish(&c->mpx_series);
	ep_pair_traces_finish(&c->traces);
	ep_accuracy_report_finish(&c->report);
}

/* ---- the traces ---- */

static int read_traces(struct comparison *c, struct ep_error *err)
{
	const struct compare_ocoe_options *o = c->options;
	int rc = ep_pair_traces_read(o->paths, o->n_paths, &c->traces, err);

	if (rc)
		return rc;
	c->matches = calloc(EP_N_ALIGNMENTS * c->traces.n_ocoe, sizeof(*c->matches));
	if (!c->matches)
		return ep_fail(err, -ENOMEM, "out of memory");
	return ep_table_series_init(&c->mpx_series, &c->traces.mpx.table, o->paths[0], NULL, err);
}

static int match_all(struct comparison *c, struct ep_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < EP_N_ALIGNMENTS * c->traces.n_ocoe && !rc; i++)
		rc = ep_pair_match(&c->traces.mpx.table, &c->traces.ocoe[i % c->traces.n_ocoe],
			(enum ep_alignment)(i / c->traces.n_ocoe), c->options->band,
			&c->matches[i]);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

/* Checks that at least one rotated event was counted in every slice of one of the other traces. Names on stderr the
 * rotated events for which there is no such trace. */
static int check_events(const struct comparison *c, struct ep_error *err)
{
	const struct ep_series *s = &c->mpx_series.series;
	size_t n_rotated = 0, n_known = 0;

	for (size_t e = 0; e < s->n_events; e++) {
		if (s->always[e])
			continue;
		n_rotated++;
		if (ep_pair_find(c->traces.ocoe, c->traces.n_ocoe, s->names[e]).table_idx <
			c->traces.n_ocoe)
			n_known++;
		else
			fprintf(stderr,
				"evreport: %s: no OCOE trace counted it in every slice; left out\n",
				s->names[e]);
	}
	if (n_known)
		return 0;
	return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = c->options->paths[0] },
		n_rotated
			? "nothing to compare: none of its rotated events was counted in every slice of an OCOE trace"
			: "nothing to compare: every event was counted in every slice");
}

/* ---- the figures ---- */

/* Adds the figures of one event. The sums and the DTW cost are computed from whole runs, the other figures from the
 * pairs of slices in match. */
static int judge_event(struct comparison *c, const struct filled *f, struct ep_accuracy_row *row,
	size_t event, struct ep_true_event at)
{
	const struct ep_series *s = &c->mpx_series.series;
	const struct ep_table *ocoe = &c->traces.ocoe[at.table_idx];
	const struct ep_dtw_match *match =
		&c->matches[row->alignment * c->traces.n_ocoe + at.table_idx];
	struct ep_event_fit of = ep_fit_event(f->fit, event);
	size_t n = s->n_slices;
	EP_AUTOFREE double *truth = ep_pair_truth(ocoe, at.column, match);
	EP_AUTOFREE double *values = ep_column_copy(f->values, n, s->n_events, event);
	EP_AUTOFREE double *errors = ep_column_copy(f->errors, n, s->n_events, event);
	EP_AUTOFREE double *whole =
		ep_column_copy(ocoe->values, ocoe->n_rows, ocoe->n_columns, at.column);
	EP_AUTOFREE unsigned char *measured = malloc(n + 1);

	if (!truth || !values || !errors || !whole || !measured)
		return -ENOMEM;
	for (size_t t = 0; t < n; t++)
		measured[t] = s->measured[t * s->n_events + event];
	row->accuracy = ep_accuracy_of_slices(
		&(struct ep_accuracy_column){ match->n, truth, values, errors, measured });
	ep_accuracy_set_total(&row->accuracy, &of, whole, ocoe->n_rows);
	row->accuracy.dtw = ep_accuracy_dtw(values, n, whole, ocoe->n_rows, c->options->band);
	snprintf(row->chosen, sizeof(row->chosen), "%s", of.estimator);
	return ep_accuracy_report_add(&c->report, row);
}

static int judge_events(struct comparison *c, const struct filled *f)
{
	const struct ep_series *s = &c->mpx_series.series;
	int rc = 0;

	for (size_t i = 0; i < EP_N_ALIGNMENTS * s->n_events && !rc; i++) {
		size_t e = i % s->n_events;
		struct ep_accuracy_row row = { .estimator = f->estimator,
			.alignment = i / s->n_events,
			.event = s->names[e] };
		struct ep_true_event at =
			ep_pair_find(c->traces.ocoe, c->traces.n_ocoe, s->names[e]);

		if (!s->always[e] && at.table_idx < c->traces.n_ocoe)
			rc = judge_event(c, f, &row, e, at);
	}
	return rc;
}

static int judge_estimator(struct comparison *c, size_t estimator, struct ep_error *err)
{
	const struct ep_series *s = &c->mpx_series.series;
	struct ep_fit_options options = { .estimator = c->report.estimators[estimator],
		.weights_path = c->options->weights_path };
	size_t n_cells = s->n_slices * s->n_events;
	__attribute__((cleanup(filled_finish))) struct filled f = { .estimator = estimator,
		.values = malloc(n_cells * sizeof(double)),
		.errors = malloc(n_cells * sizeof(double)) };
	int rc;

	if (!f.values || !f.errors)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = ep_fit(s, &options, &f.fit, err);
	if (rc)
		return rc;
	ep_fit_fill(f.fit, f.values, f.errors);
	return judge_events(c, &f) ? ep_fail(err, -ENOMEM, "out of memory") : 0;
}

static int compare(const struct compare_ocoe_options *o, struct ep_error *err)
{
	__attribute__((cleanup(comparison_finish))) struct comparison c = { .options = o };
	int rc = ep_accuracy_report_init(&c.report,
		&(struct ep_accuracy_request){ .estimators = o->estimators,
			.format = o->format,
			.tables = (const char *const *)o->paths,
			.n_tables = 1,
			.alignments = ep_alignment_names },
		err);

	if (!rc)
		rc = read_traces(&c, err);
	if (!rc)
		rc = check_events(&c, err);
	if (!rc)
		rc = match_all(&c, err);
	for (size_t k = 0; !rc && c.report.estimators[k]; k++)
		rc = judge_estimator(&c, k, err);
	if (!rc)
		ep_accuracy_report_print(&c.report, stdout);
	return rc;
}

/* ---- the command ---- */

static const char usage[] =
	"usage: evreport compare-ocoe MPX.gz OCOE.gz... [OPTIONS]\n"
	"\n"
	"How far are the estimates of a trace whose events took turns (MPX) from traces in which\n"
	"each event was counted in every slice (OCOE; several may cover different events)? Of runs\n"
	"of the same program with the same period.\n"
	"\n"
	"      --estimator LIST   any of auto (default), " EP_ESTIMATORS_EXPECTED "\n"
	"      --band SLICES      limits the time warping that aligns the traces (no limit)\n"
	"      --weights FILE     a network's, in place of the built-in ones\n"
	"      --format FORMAT    text (default), json or csv\n";

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct compare_ocoe_options *o, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "estimator", .text = &o->estimators,
			.expected = "auto, " EP_ESTIMATORS_EXPECTED },
		{ "format", .text = &o->format },
		{ "band", .count = &o->band, .most = UINT32_MAX,
			.expected = "a number of slices, or 0 for no limit" },
		{ "weights", .text = &o->weights_path },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport compare-ocoe", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	o->paths = argv + optind;
	o->n_paths = (size_t)(argc - optind);
	if (o->n_paths < 2)
		return ep_options_refuse(&options,
			"name the trace whose events took turns, then one and more in which each was counted in every slice");
	return EP_OPTIONS_READ;
}

int ep_cmd_compare_ocoe(int argc, char **argv)
{
	struct compare_ocoe_options o = { .estimators = "auto", .format = "text" };
	struct ep_error err = { 0 };
	int status = parse_options(&o, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	if (!compare(&o, &err))
		return 0;
	ep_error_print(&err, "evreport");
	return 1;
}
