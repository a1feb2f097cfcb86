// SPDX-License-Identifier: BSD-3-Clause
/*
 * evreport export-training: complete tables, masked as rotations would, to the features and truths
 * that models/train.py reads. One safetensors file; R rows are the slices of S series (a run's
 * event under one rotation), one series after the other.
 */
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/command.h"
#include "reporter/estimate/cell_features.h"
#include "reporter/estimate/commands.h"
#include "reporter/estimate/series.h"

struct options {
	const char *out, *always;
	unsigned n_counters, first_seed, n_seeds;
	char **tables;
	size_t n_tables;
};

struct export
{
	const struct options *options;
	struct ep_table *tables;  /* (n_tables) */
	unsigned char *too_small; /* (n_tables) runs below 0.2 of their program's largest */
	FILE *out;
	uint64_t n_rows, row; /* R, rows written */
	long data_at;         /* where the tensors begin */
	FILE *series_out;
};

/* PROGRAM-RUN.csv.gz: how long is PROGRAM? */
static size_t program_length(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dash = strrchr(name, '-');

	return dash ? (size_t)(dash - path) : strlen(path);
}

static double total_of(const struct ep_table *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		sum += t->values[i];
	return sum;
}

/* Runs that broke off early teach nothing: Wang 2022 drops those below 0.2 of the largest. */
static void find_small(struct export *x)
{
	const struct options *o = x->options;

	for (size_t i = 0; i < o->n_tables; i++)
		for (size_t j = 0; j < o->n_tables; j++) {
			size_t length = program_length(o->tables[i]);
			if (length == program_length(o->tables[j]) &&
				!strncmp(o->tables[i], o->tables[j], length) &&
				total_of(&x->tables[i]) < 0.2 * total_of(&x->tables[j]))
				x->too_small[i] = 1;
		}
}

static int read_tables(struct export *x, struct ep_error *err)
{
	const struct options *o = x->options;
	int rc = 0;

	x->tables = calloc(o->n_tables, sizeof(*x->tables));
	x->too_small = calloc(o->n_tables, 1);
	if (!x->tables || !x->too_small)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < o->n_tables && !rc; i++)
		rc = ep_table_read(o->tables[i], &x->tables[i], err);
	if (!rc)
		find_small(x);
	return rc;
}

static void export_finish(struct export *x)
{
	for (size_t i = 0; x->tables && i < x->options->n_tables; i++)
		ep_table_finish(&x->tables[i]);
	free(x->tables);
	free(x->too_small);
	ep_cleanup_fclose(&x->series_out);
	ep_cleanup_fclose(&x->out);
}

/* The tensors' places depend on the row count alone. */
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

/* judged: 0 measured, 1 unmeasured, -1 unmeasured in the tail, which is part of totals only. */
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

static void note_series(struct export *x, size_t table, const char *event, size_t n_slices)
{
	const char *path = x->options->tables[table], *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	fprintf(x->series_out, "%.*s:%s:%zu;", (int)strcspn(name, "."), name, event, n_slices);
}

static int export_masked(struct export *x, size_t table, unsigned seed, struct ep_error *err)
{
	struct ep_rotation rotation = { x->options->n_counters, seed };
	const struct ep_table *t = &x->tables[table];
	EP_AUTOSERIES struct ep_table_series ts = { 0 };
	EP_AUTOGRID struct ep_grid g = { 0 };
	__attribute__((cleanup(ep_features_finish))) struct ep_features f = { 0 };
	EP_AUTOFREE unsigned char *mask = malloc(t->n_rows * t->n_columns);
	const char *path = x->options->tables[table];
	int rc = ep_table_series_init(&ts, t, path, x->options->always, err);

	if (rc)
		return rc;
	if (!mask)
		return ep_fail(err, -ENOMEM, "out of memory");
	ep_rotation_mask(&ts.series, &rotation, mask);
	ts.series.measured = mask;
	if (ep_grid_init(&g, &ts.series) || ep_features_init(&f, &g))
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t e = 0; e < g.n_events && !rc; e++) {
		if (g.always[e] || !g.samples[e].n)
			continue;
		note_series(x, table, t->names[e], g.n_slices);
		rc = write_series(x, &ts.series, &g, &f, e);
	}
	return rc ? ep_fail(err, rc, "out of memory") : 0;
}

/* Rows that export_masked will write, for the header must be there first. */
static int count_rows(struct export *x, struct ep_error *err)
{
	for (size_t i = 0; i < x->options->n_tables; i++) {
		EP_AUTOSERIES struct ep_table_series ts = { 0 };
		int rc = ep_table_series_init(
			&ts, &x->tables[i], x->options->tables[i], x->options->always, err);
		if (rc)
			return rc;
		for (size_t e = 0; e < ts.series.n_events && !x->too_small[i]; e++)
			if (!ts.series.always[e])
				x->n_rows += (uint64_t)ts.series.n_slices * x->options->n_seeds;
	}
	return 0;
}

/* The header has a fixed room, padded with spaces as safetensors allows; the list of series is a
 * text file beside it. */
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
			",\"%s\":{\"dtype\":\"F32\",\"shape\":[%llu,%zu],\"data_offsets\":[%llu,%"
			"llu]}",
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
	const struct options *o = x->options;
	int rc = read_tables(x, err);

	if (!rc)
		rc = count_rows(x, err);
	if (!rc)
		rc = open_outputs(x, err);
	if (rc)
		return rc;
	write_header(x);
	for (size_t i = 0; i < o->n_tables && !rc; i++) {
		if (x->too_small[i])
			fprintf(stderr,
				"evreport: %s: below 0.2 of its program's largest run, left out\n",
				o->tables[i]);
		for (unsigned s = 0; s < o->n_seeds && !rc && !x->too_small[i]; s++)
			rc = export_masked(x, i, o->first_seed + s, err);
	}
	if (!rc && (fflush(x->out) || ferror(x->out) || fflush(x->series_out)))
		rc = ep_fail_at(err, -EIO, (struct ep_place){ .file = o->out },
			"cannot write all of it (disk full?)");
	return rc;
}

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "always", required_argument, NULL, 'a' },
	{ "counters", required_argument, NULL, 'c' },
	{ "seed", required_argument, NULL, 's' },
	{ "rotations", required_argument, NULL, 'r' },
	{ NULL },
};

static int parse_options(int argc, char **argv, struct options *o)
{
	for (int c; (c = getopt_long(argc, argv, "o:", long_options, NULL)) != -1;) {
		switch (c) {
		case 'o':
			o->out = optarg;
			break;
		case 'a':
			o->always = optarg;
			break;
		case 'c':
			o->n_counters = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			o->first_seed = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			o->n_seeds = (unsigned)strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	}
	o->tables = argv + optind;
	o->n_tables = (size_t)(argc - optind);
	return o->out && o->n_counters && o->n_tables ? 0 : 2;
}

int ep_cmd_export_training(int argc, char **argv)
{
	struct options o = {
		.always = "CYCLES,INSTR", .n_counters = 4, .first_seed = 1, .n_seeds = 1
	};
	__attribute__((cleanup(export_finish))) struct export x = { .options = &o };
	struct ep_error err = { 0 };

	if (parse_options(argc, argv, &o)) {
		fprintf(stderr, "usage: evreport export-training TABLES... -o OUT.safetensors "
				"[--counters 4]\n"
				"       [--always CYCLES,INSTR] [--seed 1] [--rotations 1]\n");
		return 2;
	}
	if (!export_all(&x, &err))
		return 0;
	ep_error_print(&err, "evreport");
	return 1;
}
