// SPDX-License-Identifier: BSD-3-Clause
/*
 * evreport accuracy: hides parts of complete tables as a rotation of events would, fills them, and prints how far the
 * estimators are from the truth. Several threads (--jobs; by default one for each CPU) work at once, each on a table of
 * its own.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "reporter/command/estimate_commands.h"
#include "reporter/estimate/accuracy_report.h"
#include "reporter/estimate/series.h"

#define MAX_JOBS 64

struct accuracy_options {
	const char *always, *estimators, *format, *weights_path;
	uint32_t n_counters, seed, n_jobs;
	uint32_t band; /* width of the band in slices; 0: no limit */
	char **tables;
	size_t n_tables;
};

struct accuracy_job {
	const struct accuracy_options *options;
	struct ep_accuracy_report *report;
	atomic_size_t next;
	pthread_mutex_t lock;
	struct ep_error err; /* the error of the first thread that failed */
	int rc;
};

/* Fills a masked table by one estimator, and adds the estimator's errors to the report. */
static int judge(struct accuracy_job *job, const struct ep_table_series *ts, size_t table,
	size_t estimator, struct ep_error *err)
{
	const struct ep_series *s = &ts->series;
	struct ep_fit_options options = {
		.estimator = job->report->estimators[estimator],
		.weights_path = job->options->weights_path,
	};
	size_t n_cells = s->n_slices * s->n_events;
	EP_AUTOFREE double *values = malloc(n_cells * sizeof(*values));
	EP_AUTOFREE double *errors = malloc(n_cells * sizeof(*errors));
	struct ep_fit *fit;
	int rc;

	if (!values || !errors)
		return ep_fail(err, -ENOMEM, "out of memory");
	rc = ep_fit(s, &options, &fit, err);
	if (rc)
		return rc;
	ep_fit_fill(fit, values, errors);
	pthread_mutex_lock(&job->lock);
	for (size_t e = 0; e < s->n_events && !rc; e++) {
		struct ep_accuracy_row row = {
			.table = table, .estimator = estimator, .event = s->names[e]
		};
		if (s->always[e])
			continue;
		row.accuracy = ep_accuracy_of(s, values, errors, fit, e, job->options->band);
		snprintf(row.chosen, sizeof(row.chosen), "%s", ep_fit_event(fit, e).estimator);
		rc = ep_accuracy_report_add(job->report, &row);
	}
	pthread_mutex_unlock(&job->lock);
	ep_fit_destroy(fit);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

static int check_complete(const struct ep_table *t, const char *path, struct ep_error *err)
{
	struct ep_place place = { .file = path };

	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		if (!t->measured[i]) {
			place.line = (unsigned)(i / t->n_columns) + 2;
			place.column = (unsigned)(i % t->n_columns) + 1;
			return ep_fail_at(err, -EINVAL, place,
				"no count of %s; accuracy needs complete tables",
				t->names[i % t->n_columns]);
		}
	return 0;
}

static int judge_table(struct accuracy_job *job, size_t table, struct ep_error *err)
{
	const struct accuracy_options *o = job->options;
	struct ep_rotation rotation = { o->n_counters, o->seed };
	const char *path = o->tables[table];
	EP_AUTOTABLE struct ep_table t = { 0 };
	EP_AUTOSERIES struct ep_table_series ts = { 0 };
	EP_AUTOFREE unsigned char *mask = NULL;
	int rc = ep_table_read(path, &t, err);

	if (!rc)
		ep_table_drop_bad(&t);
	if (!rc)
		rc = check_complete(&t, path, err);
	if (!rc)
		rc = ep_table_series_init(&ts, &t, path, o->always, err);
	if (rc)
		return rc;
	mask = malloc(t.n_rows * t.n_columns);
	if (!mask)
		return ep_fail(err, -ENOMEM, "out of memory");
	ep_rotation_mask(&ts.series, &rotation, mask);
	ts.series.measured = mask;
	for (size_t k = 0; job->report->estimators[k] && !rc; k++)
		rc = judge(job, &ts, table, k, err);
	return rc;
}

static void *work(void *data)
{
	struct accuracy_job *job = data;
	struct ep_error err = { 0 };

	for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->options->n_tables;) {
		int rc = judge_table(job, i, &err);
		if (!rc)
			continue;
		pthread_mutex_lock(&job->lock);
		if (!job->rc) {
			job->rc = rc;
			job->err = err;
		}
		pthread_mutex_unlock(&job->lock);
		return NULL;
	}
	return NULL;
}

static int run_job(struct accuracy_job *job, struct ep_error *err)
{
	pthread_t threads[MAX_JOBS];
	unsigned n = job->options->n_jobs, n_started = 0;

	while (n_started < n && !pthread_create(&threads[n_started], NULL, work, job))
		n_started++;
	if (!n_started)
		work(job);
	for (unsigned i = 0; i < n_started; i++)
		pthread_join(threads[i], NULL);
	*err = job->err;
	return job->rc;
}

static const char usage[] =
	"usage: evreport accuracy TABLE.csv[.gz]... [OPTIONS]\n"
	"\n"
	"Hides parts of complete tables (a header of event names, a row per slice) as a CPU with few\n"
	"counters would leave them, fills them, and says how far each estimator is from the truth.\n"
	"\n"
	"      --counters N       counters that the events take turns on (4)\n"
	"      --always EVENTS    counted in every slice: a clock, then work (CYCLES,INSTR)\n"
	"      --estimator LIST   any of auto (default), " EP_ESTIMATORS_EXPECTED "\n"
	"      --seed N           hides other parts (0)\n"
	"      --band SLICES      limits the time warping of the DTW cost (no limit)\n"
	"      --weights FILE     a network's, in place of the built-in ones\n"
	"      --jobs N           tables worked on at once (one for each CPU)\n"
	"      --format FORMAT    text (default), json or csv\n";

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct accuracy_options *o, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "always", .text = &o->always },
		{ "counters", .count = &o->n_counters, .least = 1, .most = UINT32_MAX,
			.expected = "a number, at least 1" },
		{ "estimator", .text = &o->estimators,
			.expected = "auto, " EP_ESTIMATORS_EXPECTED },
		{ "format", .text = &o->format },
		{ "seed", .count = &o->seed, .most = UINT32_MAX, .expected = "a number" },
		{ "band", .count = &o->band, .most = UINT32_MAX,
			.expected = "a number of slices, or 0 for no limit" },
		{ "jobs", .count = &o->n_jobs, .least = 1, .most = MAX_JOBS,
			.expected = "a number from 1 to 64" },
		{ "weights", .text = &o->weights_path },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport accuracy", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	o->tables = argv + optind;
	o->n_tables = (size_t)(argc - optind);
	return o->n_tables ? EP_OPTIONS_READ
			   : ep_options_refuse(&options, "which tables? name CSV files");
}

static int accuracy(const struct accuracy_options *o, struct ep_error *err)
{
	__attribute__((
		cleanup(ep_accuracy_report_finish))) struct ep_accuracy_report report = { 0 };
	struct accuracy_job job = {
		.options = o, .report = &report, .lock = PTHREAD_MUTEX_INITIALIZER
	};
	int rc = ep_accuracy_report_init(&report,
		&(struct ep_accuracy_request){ .estimators = o->estimators,
			.format = o->format,
			.tables = (const char *const *)o->tables,
			.n_tables = o->n_tables },
		err);

	if (!rc)
		rc = run_job(&job, err);
	if (!rc)
		ep_accuracy_report_print(&report, stdout);
	return rc;
}

int ep_cmd_accuracy(int argc, char **argv)
{
	struct accuracy_options o = { .always = "CYCLES,INSTR",
		.n_counters = 4,
		.estimators = "auto",
		.format = "text",
		.n_jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
	struct ep_error err = { 0 };
	int status;

	o.n_jobs = o.n_jobs > MAX_JOBS ? MAX_JOBS : o.n_jobs;
	status = parse_options(&o, argc, argv);
	if (status != EP_OPTIONS_READ)
		return status;
	if (!accuracy(&o, &err))
		return 0;
	ep_error_print(&err, "evreport");
	return 1;
}
