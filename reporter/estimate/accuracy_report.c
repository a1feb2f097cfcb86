// SPDX-License-Identifier: BSD-3-Clause
/* Rows of figures, their means, and the three formats. */
#include "reporter/estimate/accuracy_report.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

enum { N_FIGURES = 6 };
static const char *const figure_names[N_FIGURES] = { "ra", "ra_100", "total_error", "dtw",
	"covered", "total_covered" };

static void figures_of(const struct ep_accuracy *a, double out[N_FIGURES])
{
	const double figures[N_FIGURES] = { a->ra, a->ra_100, a->total_error, a->dtw, a->covered,
		a->total_covered };

	memcpy(out, figures, sizeof(figures));
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void ep_accuracy_report_finish(struct ep_accuracy_report *r)
{
	free_list(r->estimators);
	free_list(r->events);
	free(r->rows);
	*r = (struct ep_accuracy_report){ 0 };
}

/* Appends a copy to a NULL-terminated list of n strings. */
static int append(char ***list, size_t n, const char *text)
{
	char **bigger = realloc(*list, (n + 2) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	*list = bigger;
	bigger[n] = strdup(text);
	bigger[n + 1] = NULL;
	return bigger[n] ? 0 : -ENOMEM;
}

int ep_accuracy_report_init(struct ep_accuracy_report *out, const char *estimators,
	const char *const *tables, size_t n_tables)
{
	EP_AUTOFREE char *list = strdup(estimators);
	char *rest = list;
	size_t n = 0;
	int rc = list ? 0 : -ENOMEM;

	*out = (struct ep_accuracy_report){ .tables = tables, .n_tables = n_tables };
	for (char *name; !rc && (name = strsep(&rest, ","));)
		if (*name)
			rc = append(&out->estimators, n++, name);
	return rc || n ? rc : append(&out->estimators, 0, "auto");
}

static int find_event(struct ep_accuracy_report *r, const char *name, const char **out_kept)
{
	size_t i = 0;
	int rc = 0;

	while (i < r->n_events && strcmp(r->events[i], name))
		i++;
	if (i == r->n_events)
		rc = append(&r->events, r->n_events++, name);
	*out_kept = rc ? NULL : r->events[i];
	return rc;
}

int ep_accuracy_report_add(struct ep_accuracy_report *r, const struct ep_accuracy_row *row)
{
	struct ep_accuracy_row kept = *row;

	if (find_event(r, row->event, &kept.event))
		return -ENOMEM;
	if (r->n_rows == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 256;
		struct ep_accuracy_row *bigger = realloc(r->rows, capacity * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		r->rows = bigger;
		r->capacity = capacity;
	}
	r->rows[r->n_rows++] = kept;
	return 0;
}

/* ".../b+tree-01.csv.gz": the run is b+tree-01, the program b+tree. */
static const char *run_name(const char *path, int *out_length)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	*out_length = (int)strcspn(name, ".");
	return name;
}

static bool same_program(const char *a, const char *b)
{
	int n_a, n_b;
	const char *x = run_name(a, &n_a), *y = run_name(b, &n_b);

	while (n_a && x[n_a] != '-')
		n_a--;
	while (n_b && y[n_b] != '-')
		n_b--;
	return n_a == n_b && !strncmp(x, y, n_a);
}

/* Which rows a mean takes: of one estimator, and of an event or a program where given. */
struct selection {
	size_t estimator, alignment;
	const char *event, *program_of;
};

static bool selected(const struct ep_accuracy_report *r, const struct ep_accuracy_row *row,
	const struct selection *s)
{
	return row->estimator == s->estimator && row->alignment == s->alignment &&
	       (!s->event || !strcmp(s->event, row->event)) &&
	       (!s->program_of || same_program(s->program_of, r->tables[row->table]));
}

static void means(
	const struct ep_accuracy_report *r, const struct selection *s, double out[N_FIGURES])
{
	size_t n[N_FIGURES] = { 0 };

	memset(out, 0, N_FIGURES * sizeof(*out));
	for (size_t i = 0; i < r->n_rows; i++) {
		double figures[N_FIGURES];
		if (!selected(r, &r->rows[i], s))
			continue;
		figures_of(&r->rows[i].accuracy, figures);
		for (size_t k = 0; k < N_FIGURES; k++)
			if (!isnan(figures[k])) {
				out[k] += figures[k];
				n[k]++;
			}
	}
	for (size_t k = 0; k < N_FIGURES; k++)
		out[k] = n[k] ? out[k] / n[k] : NAN;
}

static void print_line(FILE *out, const char *estimator, const char *of, int of_length,
	const double figures[N_FIGURES])
{
	fprintf(out, "%-10s %-22.*s", estimator, of_length, of);
	for (size_t k = 0; k < N_FIGURES; k++)
		fprintf(out,
			isnan(figures[k]) ? "      -  "
			: k == 3          ? " %8.2f"
					  : " %8.3f",
			figures[k]);
	fprintf(out, "\n");
}

static bool first_of_program(const struct ep_accuracy_report *r, size_t table)
{
	for (size_t i = 0; i < table; i++)
		if (same_program(r->tables[i], r->tables[table]))
			return false;
	return true;
}

static int program_length(const char *path)
{
	int length, whole;
	const char *name = run_name(path, &length);

	for (whole = length; length && name[length] != '-'; length--)
		;
	return length ? length : whole;
}

static void print_events(
	const struct ep_accuracy_report *r, size_t estimator, size_t alignment, FILE *out)
{
	double figures[N_FIGURES];

	for (size_t e = 0; e < r->n_events; e++) {
		means(r, &(struct selection){ estimator, alignment, r->events[e], NULL }, figures);
		print_line(out, r->estimators[estimator], r->events[e], 22, figures);
	}
}

static void print_programs(
	const struct ep_accuracy_report *r, size_t estimator, size_t alignment, FILE *out)
{
	double figures[N_FIGURES];

	for (size_t i = 0; i < r->n_tables; i++) {
		int length;
		if (!first_of_program(r, i))
			continue;
		means(r, &(struct selection){ estimator, alignment, NULL, r->tables[i] }, figures);
		print_line(out, r->estimators[estimator], run_name(r->tables[i], &length),
			program_length(r->tables[i]), figures);
	}
}

/* One without a name where there are none. */
static size_t n_alignments(const struct ep_accuracy_report *r)
{
	size_t n = 0;

	while (r->alignments && r->alignments[n])
		n++;
	return n ? n : 1;
}

static void print_aligned(const struct ep_accuracy_report *r, size_t alignment, FILE *out)
{
	double figures[N_FIGURES];

	if (r->alignments)
		fprintf(out, "%saligned by %s\n", alignment ? "\n" : "", r->alignments[alignment]);
	fprintf(out, "%-10s %-22s       RA  RA>=100    total      DTW  covered  total covered\n",
		"estimator", "mean over");
	for (size_t k = 0; r->estimators[k]; k++) {
		print_events(r, k, alignment, out);
		print_programs(r, k, alignment, out);
		means(r, &(struct selection){ k, alignment, NULL, NULL }, figures);
		print_line(out, r->estimators[k], "all", 3, figures);
	}
}

static void print_text(const struct ep_accuracy_report *r, FILE *out)
{
	for (size_t a = 0; a < n_alignments(r); a++)
		print_aligned(r, a, out);
	fputs("\nRA: relative accuracy, 1 is the truth; RA>=100: of counts of 100 and more; total: "
	      "error "
	      "of the\nsum; DTW: distance between the curves, small is good; covered: share of "
	      "values, "
	      "and of totals,\ninside their 95 % intervals\n",
		out);
}

static void print_csv(const struct ep_accuracy_report *r, FILE *out)
{
	fprintf(out, "%sestimator,run,event,chosen", r->alignments ? "aligned," : "");
	for (size_t k = 0; k < N_FIGURES; k++)
		fprintf(out, ",%s", figure_names[k]);
	fprintf(out, "\n");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct ep_accuracy_row *row = &r->rows[i];
		double figures[N_FIGURES];
		int length;
		const char *run = run_name(r->tables[row->table], &length);
		figures_of(&row->accuracy, figures);
		if (r->alignments)
			fprintf(out, "%s,", r->alignments[row->alignment]);
		fprintf(out, "%s,%.*s,%s,%s", r->estimators[row->estimator], length, run,
			row->event, row->chosen);
		for (size_t k = 0; k < N_FIGURES; k++)
			isnan(figures[k]) ? fprintf(out, ",") : fprintf(out, ",%.6g", figures[k]);
		fprintf(out, "\n");
	}
}

static void print_json_figures(FILE *out, const double figures[N_FIGURES])
{
	for (size_t k = 0; k < N_FIGURES; k++)
		isnan(figures[k]) ? fprintf(out, ",\"%s\":null", figure_names[k])
				  : fprintf(out, ",\"%s\":%.6g", figure_names[k], figures[k]);
}

static void print_json_alignment(const struct ep_accuracy_report *r, size_t alignment, FILE *out)
{
	if (r->alignments)
		fprintf(out, "\"aligned\":\"%s\",", r->alignments[alignment]);
}

static void print_json_means(const struct ep_accuracy_report *r, FILE *out)
{
	double figures[N_FIGURES];
	const char *separator = "";

	for (size_t a = 0; a < n_alignments(r); a++)
		for (size_t k = 0; r->estimators[k]; k++) {
			means(r, &(struct selection){ k, a, NULL, NULL }, figures);
			fprintf(out, "%s{", separator);
			print_json_alignment(r, a, out);
			fprintf(out, "\"estimator\":\"%s\"", r->estimators[k]);
			print_json_figures(out, figures);
			fprintf(out, "}");
			separator = ",";
		}
}

static void print_json_row(
	const struct ep_accuracy_report *r, const struct ep_accuracy_row *row, FILE *out)
{
	double figures[N_FIGURES];
	int length;
	const char *run = run_name(r->tables[row->table], &length);

	fprintf(out, "\n{");
	print_json_alignment(r, row->alignment, out);
	fprintf(out, "\"estimator\":\"%s\",\"run\":\"%.*s\",\"event\":\"%s\",\"chosen\":\"%s\"",
		r->estimators[row->estimator], length, run, row->event, row->chosen);
	figures_of(&row->accuracy, figures);
	print_json_figures(out, figures);
	fprintf(out, "}");
}

static void print_json(const struct ep_accuracy_report *r, FILE *out)
{
	fprintf(out, "{\"all\":[");
	print_json_means(r, out);
	fprintf(out, "],\"rows\":[");
	for (size_t i = 0; i < r->n_rows; i++) {
		fprintf(out, "%s", i ? "," : "");
		print_json_row(r, &r->rows[i], out);
	}
	fprintf(out, "]}\n");
}

static const struct {
	const char *name;
	void (*print)(const struct ep_accuracy_report *, FILE *);
} formats[] = {
	{ "text", print_text },
	{ "csv", print_csv },
	{ "json", print_json },
};

/* Threads finish in any order. */
static int by_place(const void *a, const void *b)
{
	const struct ep_accuracy_row *x = a, *y = b;

	if (x->alignment != y->alignment)
		return x->alignment < y->alignment ? -1 : 1;
	if (x->estimator != y->estimator)
		return x->estimator < y->estimator ? -1 : 1;
	return (x->table > y->table) - (x->table < y->table);
}

int ep_accuracy_report_print(
	struct ep_accuracy_report *r, const char *format, FILE *out, struct ep_error *err)
{
	qsort(r->rows, r->n_rows, sizeof(*r->rows), by_place);
	for (size_t i = 0; i < EP_ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, format)) {
			formats[i].print(r, out);
			return 0;
		}
	return ep_fail(err, -EINVAL, "no format \"%s\" (text, json, csv)", format);
}
