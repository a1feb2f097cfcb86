// SPDX-License-Identifier: BSD-3-Clause
/* Collects the report's rows, computes their means, and prints them in three formats. */
#include "reporter/estimate/accuracy_report.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"
#include "common/file.h"

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

/* Appends a copy of text to a NULL-terminated list of n strings. */
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

static int list_estimators(struct ep_accuracy_report *r, struct ep_error *err)
{
	EP_AUTOFREE char *list = strdup(r->request.estimators);
	char *rest = list;
	size_t n = 0;
	int rc = list ? 0 : -ENOMEM;

	for (char *name; !rc && (name = strsep(&rest, ","));) {
		if (!*name)
			continue;
		rc = ep_estimator_check(name, err);
		if (rc)
			return rc;
		rc = append(&r->estimators, n++, name);
	}
	if (!rc && !n)
		rc = append(&r->estimators, 0, "auto");
	return rc ? ep_fail(err, rc, "out of memory") : 0;
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

	kept.nth = r->n_rows;
	if (find_event(r, row->event, &kept.event))
		return -ENOMEM;
	if (EP_ARRAY_RESERVE(r->rows, r->n_rows, r->capacity))
		return -ENOMEM;
	r->rows[r->n_rows++] = kept;
	return 0;
}

/* Returns the name of the run in a path; *out_length: the length of the name without file endings. For
 * ".../b+tree-01.csv.gz" the run is b+tree-01 and the program b+tree. */
static const char *run_name(const char *path, int *out_length)
{
	const char *name = ep_base_name(path);

	*out_length = (int)strcspn(name, ".");
	return name;
}

static int program_length(const char *path)
{
	int whole, length;
	const char *name = run_name(path, &whole);

	for (length = whole; length && name[length] != '-'; length--)
		;
	return length ? length : whole;
}

static bool same_program(const char *a, const char *b)
{
	int length = program_length(a), whole;

	return length == program_length(b) &&
	       !strncmp(run_name(a, &whole), run_name(b, &whole), length);
}

/* The rows over which a mean is taken: the rows of one estimator and one alignment. If event or program_of (a
 * path) is not NULL, only the rows of that event or program. */
struct selection {
	size_t estimator, alignment;
	const char *event, *program_of;
};

static bool selected(const struct ep_accuracy_report *r, const struct ep_accuracy_row *row,
	const struct selection *s)
{
	return row->estimator == s->estimator && row->alignment == s->alignment &&
	       (!s->event || !strcmp(s->event, row->event)) &&
	       (!s->program_of || same_program(s->program_of, r->request.tables[row->table]));
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
		if (same_program(r->request.tables[i], r->request.tables[table]))
			return false;
	return true;
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

	for (size_t i = 0; i < r->request.n_tables; i++) {
		int length;
		if (!first_of_program(r, i))
			continue;
		means(r, &(struct selection){ estimator, alignment, NULL, r->request.tables[i] },
			figures);
		print_line(out, r->estimators[estimator], run_name(r->request.tables[i], &length),
			program_length(r->request.tables[i]), figures);
	}
}

/* Returns the number of alignments; 1 if the request has no list of them: all rows then have alignment 0. */
static size_t n_alignments(const struct ep_accuracy_report *r)
{
	size_t n = 0;

	while (r->request.alignments && r->request.alignments[n])
		n++;
	return n ? n : 1;
}

static void print_aligned(const struct ep_accuracy_report *r, size_t alignment, FILE *out)
{
	double figures[N_FIGURES];

	if (r->request.alignments)
		fprintf(out, "%saligned by %s\n", alignment ? "\n" : "",
			r->request.alignments[alignment]);
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
	fputs("\nRA: relative accuracy, 1 is the truth; RA>=100: of counts of 100 and more; total: error of the\nsum; DTW: distance between the curves, small is good; covered: share of values, and of totals,\ninside their 95 % intervals\n",
		out);
}

static void print_csv(const struct ep_accuracy_report *r, FILE *out)
{
	fprintf(out, "%sestimator,run,event,chosen", r->request.alignments ? "aligned," : "");
	for (size_t k = 0; k < N_FIGURES; k++)
		fprintf(out, ",%s", figure_names[k]);
	fprintf(out, "\n");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct ep_accuracy_row *row = &r->rows[i];
		double figures[N_FIGURES];
		int length;
		const char *run = run_name(r->request.tables[row->table], &length);
		figures_of(&row->accuracy, figures);
		if (r->request.alignments)
			fprintf(out, "%s,", r->request.alignments[row->alignment]);
		fprintf(out, "%s,%.*s,%s,%s", r->estimators[row->estimator], length, run,
			row->event, row->chosen);
		for (size_t k = 0; k < N_FIGURES; k++)
			isnan(figures[k]) ? fprintf(out, ",") : fprintf(out, ",%.6g", figures[k]);
		fprintf(out, "\n");
	}
}

/* Creates an object with the members that all objects of the report begin with. */
static struct json_object *object_of(
	const struct ep_accuracy_report *r, size_t estimator, size_t alignment)
{
	struct json_object *object = json_object_new_object();

	if (r->request.alignments)
		json_object_object_add(object, "aligned",
			json_object_new_string(r->request.alignments[alignment]));
	json_object_object_add(
		object, "estimator", json_object_new_string(r->estimators[estimator]));
	return object;
}

/* Prints the object with the figures to out, and releases it. */
static void print_object(struct json_object *object, const double figures[N_FIGURES], FILE *out)
{
	static char six_digits[] = "%.6g";

	for (size_t k = 0; k < N_FIGURES; k++) {
		struct json_object *figure =
			isnan(figures[k]) ? NULL : json_object_new_double(figures[k]);
		if (figure)
			json_object_set_serializer(
				figure, json_object_double_to_json_string, six_digits, NULL);
		json_object_object_add(object, figure_names[k], figure);
	}
	fputs(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), out);
	json_object_put(object);
}

static void print_json_means(const struct ep_accuracy_report *r, FILE *out)
{
	double figures[N_FIGURES];

	for (size_t a = 0; a < n_alignments(r); a++)
		for (size_t k = 0; r->estimators[k]; k++) {
			means(r, &(struct selection){ k, a, NULL, NULL }, figures);
			fputs(a || k ? "," : "", out);
			print_object(object_of(r, k, a), figures, out);
		}
}

static void print_json_row(
	const struct ep_accuracy_report *r, const struct ep_accuracy_row *row, FILE *out)
{
	struct json_object *object = object_of(r, row->estimator, row->alignment);
	double figures[N_FIGURES];
	int length;
	const char *run = run_name(r->request.tables[row->table], &length);

	json_object_object_add(object, "run", json_object_new_string_len(run, length));
	json_object_object_add(object, "event", json_object_new_string(row->event));
	json_object_object_add(object, "chosen", json_object_new_string(row->chosen));
	figures_of(&row->accuracy, figures);
	print_object(object, figures, out);
}

static void print_json(const struct ep_accuracy_report *r, FILE *out)
{
	fprintf(out, "{\"schema\":\"evprof-%s-1\",\"all\":[",
		r->request.alignments ? "compare-ocoe" : "accuracy");
	print_json_means(r, out);
	fprintf(out, "],\"rows\":[");
	for (size_t i = 0; i < r->n_rows; i++) {
		fprintf(out, i ? ",\n" : "\n");
		print_json_row(r, &r->rows[i], out);
	}
	fprintf(out, "]}\n");
}

static const struct format {
	const char *name;
	void (*print)(const struct ep_accuracy_report *, FILE *);
} formats[] = {
	{ "text", print_text },
	{ "csv", print_csv },
	{ "json", print_json },
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

int ep_accuracy_report_init(struct ep_accuracy_report *out,
	const struct ep_accuracy_request *request, struct ep_error *err)
{
	*out = (struct ep_accuracy_report){ .request = *request };
	if (!find_format(request->format))
		return ep_fail(err, -EINVAL, "no format \"%s\" (text, json, csv)", request->format);
	return list_estimators(out, err);
}

/* Compares rows by their place in the request, since threads add rows in any order. */
static int by_place(const void *a, const void *b)
{
	const struct ep_accuracy_row *x = a, *y = b;
	const size_t of_x[] = { x->alignment, x->estimator, x->table, x->nth };
	const size_t of_y[] = { y->alignment, y->estimator, y->table, y->nth };

	for (size_t i = 0; i < EP_ARRAY_SIZE(of_x); i++)
		if (of_x[i] != of_y[i])
			return of_x[i] < of_y[i] ? -1 : 1;
	return 0;
}

void ep_accuracy_report_print(struct ep_accuracy_report *r, FILE *out)
{
	qsort(r->rows, r->n_rows, sizeof(*r->rows), by_place);
	find_format(r->request.format)->print(r, out);
}
