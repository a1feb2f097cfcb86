// SPDX-License-Identifier: BSD-3-Clause
/*
 * evreport export-training: writes the features and truths that models/train.py learns from. They come from complete
 * tables, parts of which are masked as a rotation would, and from pairs of a multiplexed trace and complete traces.
 * The output is one safetensors file. Its R rows are the slices of S series, one series after the other; a series is
 * one event of a run under one rotation.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/options.h"
#include "reporter/command/estimate_commands.h"
#include "reporter/command/pair_traces.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/pair.h"
#include "reporter/estimate/series.h"

struct export_options {
	const char *out, *always;
	uint32_t n_counters, first_seed, n_seeds;
	char **tables; /* (n_tables) paths of complete tables */
	char **pairs;  /* (n_pairs) lists "MPX,OCOE,..."; reading replaces commas by NUL */
	size_t n_tables, n_pairs;
};

struct run {
	const char *path;
	struct ep_table table;   /* complete counts */
	unsigned char *measured; /* (T, E) measured cells of a pair; NULL: rotations choose them */
	bool is_small;           /* counts add up to below 0.2 of its program's largest run */
};

struct export
{
	const struct export_options *options;
	struct run *runs; /* (n_runs) first tables, then pairs */
	size_t n_runs;
	FILE *out;
	uint64_t n_rows, row; /* R, and the number of rows written */
	long data_at;         /* offset in the file where the tensors begin */
	FILE *series_out;
};

/* Returns the length of PROGRAM in a path "PROGRAM-RUN.csv.gz". */
static size_t program_length(const char *path)
{
	const char *dash = strrchr(ep_base_name(path), '-');

	return dash ? (size_t)(dash - path) : strlen(path);
}

static double total_of(const struct ep_table *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		sum += t->values[i];
	return sum;
}

/* Marks runs whose sum of counts is below 0.2 of the sum of the same program's largest run. Such runs ended early, and
 * a model learns nothing from them. Wang 2022 drops them, too. */
static void find_small(struct export *x)
{
	for (size_t i = 0; i < x->n_runs; i++)
		for (size_t j = 0; j < x->n_runs; j++) {
			struct run *a = &x->runs[i], *b = &x->runs[j];
			size_t length = program_length(a->path);
			if (length == program_length(b->path) &&
				!strncmp(a->path, b->path, length) &&
				total_of(&a->table) < 0.2 * total_of(&b->table))
				a->is_small = true;
		}
}

static int read_pair(char *list, struct run *out, struct ep_error *err)
{
	char *paths[64], *rest = list;
	size_t n = 0;
	EP_AUTOPAIRTRACES struct ep_pair_traces traces = { 0 };
	int rc;

	while (n < EP_ARRAY_SIZE(paths) && (paths[n] = strsep(&rest, ",")))
		n++;
	out->path = paths[0];
	if (n < 2 || rest)
		return ep_fail(err, -EINVAL,
			"--pair %s: expected MPX.gz,OCOE.gz[,OCOE.gz...], at most %zu traces", list,
			EP_ARRAY_SIZE(paths));
	rc = ep_pair_traces_read(paths, n, &traces, err);
	if (rc)
		return rc;
	rc = ep_pair_complete(
		&traces.mpx.table, traces.ocoe, traces.n_ocoe, &out->table, &out->measured);
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

static int read_runs(struct export *x, struct ep_error *err)
{
	const struct export_options *o = x->options;
	int rc = 0;

	x->runs = calloc(o->n_tables + o->n_pairs, sizeof(*x->runs));
	if (!x->runs)
		return ep_fail(err, -ENOMEM, "out of memory");
	x->n_runs = o->n_tables + o->n_pairs;
	for (size_t i = 0; i < o->n_tables && !rc; i++) {
		x->runs[i].path = o->tables[i];
		rc = ep_table_read(o->tables[i], &x->runs[i].table, err);
	}
	for (size_t i = 0; i < o->n_pairs && !rc; i++)
		rc = read_pair(o->pairs[i], &x->runs[o->n_tables + i], err);
	if (!rc)
		find_small(x);
	return rc;
}

static void export_finish(struct export *x)
{
	for (size_t i = 0; i < x->n_runs; i++) {
		ep_table_finish(&x->runs[i].table);
		free(x->runs[i].measured);
	}
	free(x->runs);
	ep_cleanup_fclose(&x->series_out);
	ep_cleanup_fclose(&x->out);
}

/* The tensors of the file, in their order. Their offsets depend on the number of rows only. */
enum { BASE, TRUTH, JUDGED, EXPOSURE, FEATURES };
static const size_t tensor_columns[] = { 1, 1, 1, 1, EP_N_FEATURES };

static uint64_t tensor_at(const struct export *x, int tensor)
{
	uint64_t at = 0;

	for (int i = 0; i < tensor; i++)
		at += x->n_rows * tensor_columns[i] * sizeof(float);
	return at;
}

static void write_floats(struct export *x, int tensor, const float *values, size_t n_rows)
{
	size_t columns = tensor_columns[tensor];

	fseek(x->out, x->data_at + (long)(tensor_at(x, tensor) + x->row * columns * 4), SEEK_SET);
	fwrite(values, sizeof(float), n_rows * columns, x->out);
}

/* Writes the tensors of one series. The tensor judged is 0 for a measured slice, 1 for an unmeasured one, and -1
 * for an unmeasured slice in the tail, which counts only in totals. */
static int write_series(struct export *x, const struct ep_series *truth, const struct ep_grid *g,
	const struct ep_features *f, size_t e)
{
	size_t n = g->n_slices, n_kept = n > ep_tail_slices(n) ? n - ep_tail_slices(n) : 0;
	EP_AUTOFREE float *column = calloc(n * 4, sizeof(*column));

	if (!column)
		return -ENOMEM;
	for (size_t t = 0; t < n; t++) {
		double count = truth->values[t * truth->n_events + e];
		column[t] = (float)f->base[e * n + t];
		column[n + t] = (float)(count / g->exposure[t]);
		column[2 * n + t] = g->measured[e * n + t] ? 0 : t >= n_kept ? -1 : 1;
		column[3 * n + t] = (float)g->exposure[t];
	}
	for (int i = BASE; i <= EXPOSURE; i++)
		write_floats(x, i, column + (size_t)i * n, n);
	write_floats(x, FEATURES, f->x + e * n * EP_N_FEATURES, n);
	x->row += n;
	return 0;
}

static void note_series(struct export *x, const struct run *run, const char *event, size_t n_slices)
{
	const char *name = ep_base_name(run->path);

	fprintf(x->series_out, "%.*s:%s:%zu;", (int)strcspn(name, "."), name, event, n_slices);
}

/* Makes a series of a run. Events that the multiplexed run of a pair measured in every slice are taken as always
 * on. */
static int run_series(const struct export *x, const struct run *run, struct ep_table_series *out,
	struct ep_error *err)
{
	struct ep_table masked = run->table;

	if (!run->measured)
		return ep_table_series_init(out, &run->table, run->path, x->options->always, err);
	masked.measured = run->measured;
	return ep_table_series_init(out, &masked, run->path, NULL, err);
}

static unsigned n_rotations(const struct export *x, const struct run *run)
{
	if (run->is_small)
		return 0;
	return run->measured ? 1 : x->options->n_seeds;
}

static int export_masked(
	struct export *x, const struct run *run, unsigned seed, struct ep_error *err)
{
	struct ep_rotation rotation = { x->options->n_counters, seed };
	const struct ep_table *t = &run->table;
	EP_AUTOSERIES struct ep_table_series ts = { 0 };
	EP_AUTOGRID struct ep_grid g = { 0 };
	__attribute__((cleanup(ep_features_finish))) struct ep_features f = { 0 };
	EP_AUTOFREE unsigned char *mask = malloc(t->n_rows * t->n_columns + 1);
	int rc = run_series(x, run, &ts, err);

	if (rc)
		return rc;
	if (!mask)
		return ep_fail(err, -ENOMEM, "out of memory");
	if (run->measured)
		memcpy(mask, run->measured, t->n_rows * t->n_columns);
	else
		ep_rotation_mask(&ts.series, &rotation, mask);
	ts.series.measured = mask;
	if (ep_grid_init(&g, &ts.series) || ep_features_init(&f, &g))
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t e = 0; e < g.n_events && !rc; e++) {
		if (g.always[e] || !g.samples[e].n)
			continue;
		note_series(x, run, t->names[e], g.n_slices);
		rc = write_series(x, &ts.series, &g, &f, e);
	}
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

/* Checks that each event that takes turns is measured at least once. export_masked() writes no series for an event that
 * is never measured, but count_rows() would count its rows for the header. */
static int check_turns(const struct export *x, const struct run *run, const struct ep_series *s,
	struct ep_error *err)
{
	size_t n_rotated = 0, n_groups;

	for (size_t e = 0; e < s->n_events; e++)
		n_rotated += !s->always[e];
	n_groups = (n_rotated + x->options->n_counters - 1) / x->options->n_counters;
	if (run->measured || s->n_slices >= n_groups)
		return 0;
	return ep_fail_at(err, -EINVAL, (struct ep_place){ .file = run->path },
		"%zu slices, fewer than the %zu groups that take turns (--counters)", s->n_slices,
		n_groups);
}

/* Counts the rows that export_masked() will write. The header has their number, and is written before them. */
static int count_rows(struct export *x, struct ep_error *err)
{
	for (size_t i = 0; i < x->n_runs; i++) {
		EP_AUTOSERIES struct ep_table_series ts = { 0 };
		uint64_t n_before = x->n_rows;
		int rc = run_series(x, &x->runs[i], &ts, err);
		if (!rc)
			rc = check_turns(x, &x->runs[i], &ts.series, err);
		if (rc)
			return rc;
		for (size_t e = 0; e < ts.series.n_events; e++)
			if (!ts.series.always[e])
				x->n_rows +=
					(uint64_t)ts.series.n_slices * n_rotations(x, &x->runs[i]);
		if (x->runs[i].measured && !x->runs[i].is_small && x->n_rows == n_before)
			return ep_fail_at(err, -EINVAL,
				(struct ep_place){ .file = x->runs[i].path },
				"nothing to learn: no event took turns whose true counts the OCOE traces have");
	}
	return 0;
}

/* The header has a fixed size; the rest is padded with spaces, as safetensors allows. The list of series is a text
 * file beside the output. */
enum { HEADER_BYTES = 4096 - 8 };

static void write_header(struct export *x)
{
	static const char *const names[] = { "base", "truth", "judged", "exposure", "features" };
	char header[HEADER_BYTES + 1];
	int n = snprintf(header, sizeof(header), "{\"__metadata__\":{\"features\":\"%s\"}",
		EP_FEATURES_NAME);
	uint64_t length = HEADER_BYTES;

	for (int i = 0; i < (int)EP_ARRAY_SIZE(names); i++)
		n += snprintf(header + n, sizeof(header) - (size_t)n,
			",\"%s\":{\"dtype\":\"F32\",\"shape\":[%llu,%zu],\"data_offsets\":[%llu,%llu]}",
			names[i], (unsigned long long)x->n_rows, tensor_columns[i],
			(unsigned long long)tensor_at(x, i),
			(unsigned long long)tensor_at(x, i + 1));
	n += snprintf(header + n, sizeof(header) - (size_t)n, "}");
	memset(header + n, ' ', sizeof(header) - (size_t)n);
	fwrite(&length, sizeof(length), 1, x->out);
	fwrite(header, 1, HEADER_BYTES, x->out);
	x->data_at = HEADER_BYTES + 8;
}

static int open_outputs(struct export *x, struct ep_error *err)
{
	EP_AUTOFREE char *list = NULL;
	const char *path = x->options->out;

	if (asprintf(&list, "%s.series", path) < 0)
		return ep_fail(err, -ENOMEM, "out of memory");
	x->out = fopen(path, "wbe");
	x->series_out = fopen(list, "we");
	if (!x->out || !x->series_out)
		return ep_fail_at(err, -errno, (struct ep_place){ .file = path },
			"cannot write: %s", strerror(errno));
	return 0;
}

static int export_all(struct export *x, struct ep_error *err)
{
	const struct export_options *o = x->options;
	int rc = read_runs(x, err);

	if (!rc)
		rc = count_rows(x, err);
	if (!rc)
		rc = open_outputs(x, err);
	if (rc)
		return rc;
	write_header(x);
	for (size_t i = 0; i < x->n_runs && !rc; i++) {
		const struct run *run = &x->runs[i];
		if (run->is_small)
			fprintf(stderr,
				"evreport: %s: below 0.2 of its program's largest run, left out\n",
				run->path);
		for (unsigned k = 0; k < n_rotations(x, run) && !rc; k++)
			rc = export_masked(x, run, o->first_seed + k, err);
	}
	if (!rc && (fflush(x->out) || ferror(x->out) || fflush(x->series_out)))
		rc = ep_fail_at(err, -EIO, (struct ep_place){ .file = o->out },
			"cannot write all of it (disk full?)");
	return rc;
}

static const char usage[] =
	"usage: evreport export-training [TABLE.csv...] [--pair MPX.gz,OCOE.gz,...]... -o FILE\n"
	"\n"
	"Writes what models/train.py learns from: features and truths of complete tables, parts of\n"
	"which are hidden, and of traces whose events took turns with traces that counted them in\n"
	"every slice. FILE is safetensors; the list of its series stands in FILE.series.\n"
	"\n"
	"      --pair MPX,OCOE[,OCOE...]   as evreport compare-ocoe takes them; as often as needed\n"
	"      --counters N       counters that the tables' events take turns on (4)\n"
	"      --always EVENTS    counted in every slice: a clock, then work (CYCLES,INSTR)\n"
	"      --seed N           hides other parts (1)\n"
	"      --rotations N      times that each table is used, each with other parts hidden (1)\n";

static int take_pair(void *into, const char *value)
{
	struct export_options *o = into;

	/* value is a text of argv; read_pair() may write to it */
	o->pairs[o->n_pairs++] = (char *)value;
	return 0;
}

/* Reads the arguments. Returns EP_OPTIONS_READ, or the exit status. */
static int parse_options(struct export_options *o, int argc, char **argv)
{
	const struct ep_option rows[] = {
		{ "output", 'o', .text = &o->out },
		{ "always", .text = &o->always },
		{ "counters", .count = &o->n_counters, .least = 1, .most = UINT32_MAX,
			.expected = "a number, at least 1" },
		{ "seed", .count = &o->first_seed, .most = UINT32_MAX, .expected = "a number" },
		{ "rotations", .count = &o->n_seeds, .most = UINT32_MAX, .expected = "a number" },
		{ "pair", .take = take_pair, .into = o },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "evreport export-training", .usage = usage, .rows = rows
	};
	int status = ep_options_read(&options, argc, argv);

	if (status != EP_OPTIONS_READ)
		return status;
	o->tables = argv + optind;
	o->n_tables = (size_t)(argc - optind);
	if (!o->out)
		return ep_options_refuse(&options, "where to? name a file with -o");
	if (!(o->n_tables + o->n_pairs))
		return ep_options_refuse(
			&options, "no input: name tables, or pairs of traces with --pair");
	return EP_OPTIONS_READ;
}

int ep_cmd_export_training(int argc, char **argv)
{
	EP_AUTOFREE char **pairs = calloc((size_t)argc, sizeof(*pairs));
	struct export_options o = { .always = "CYCLES,INSTR",
		.n_counters = 4,
		.first_seed = 1,
		.n_seeds = 1,
		.pairs = pairs };
	__attribute__((cleanup(export_finish))) struct export x = { .options = &o };
	struct ep_error err = { 0 };
	int status = pairs ? parse_options(&o, argc, argv) : 1;

	if (status != EP_OPTIONS_READ)
		return status;
	if (!export_all(&x, &err))
		return 0;
	ep_error_print(&err, "evreport");
	return 1;
}
