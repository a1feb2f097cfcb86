// SPDX-License-Identifier: BSD-3-Clause
/* Finds verdicts. A data set has P points and D expectations, the formulas have I inputs and M metrics. */
#include "kernels/check/judge.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "kernels/derive/noise.h"
#include "kernels/report/report.h"
#include "kernels/sets.h"

const char *const ep_judge_verdict_name[] = { "not tested", "confirmed", "contradicted" };

/* ---- events ---- */

/* Writes an event's name without the parts that formulas and tables may write differently:
 * "skx::EVENT:MASK:u" becomes "EVENT:MASK". */
static void bare_name(const char *name, char *out, size_t size)
{
	const char *colons = strstr(name, "::");
	size_t length;

	/* in rapl:::ENERGY the part before the colons is a component of PAPI's, not a PMU */
	if (colons && colons[2] != ':')
		name = colons + 2;
	snprintf(out, size, "%s", name);
	length = strlen(out);
	if (length > 2 && out[length - 2] == ':' && strchr("ukh", out[length - 1]))
		out[length - 2] = '\0';
}

static long find_event(const struct ep_set *set, const char *name)
{
	const struct ep_labels *names = &set->events.names;
	char wanted[256], other[256];

	bare_name(name, wanted, sizeof(wanted));
	for (size_t e = 0; e < names->n; e++) {
		bare_name(names->items[e], other, sizeof(other));
		if (!strcmp(wanted, other))
			return (long)e;
	}
	return -1;
}

static const double *event_rows(const struct ep_set *set, long event, size_t *out_n_reps)
{
	const struct ep_events *events = &set->events;

	*out_n_reps = events->first_row[event + 1] - events->first_row[event];
	return events->values + events->first_row[event] * events->n_points;
}

/* Returns the event's largest RNMSE over pairs of repetitions (noise.h); 0 for events that are zero in all runs. */
static double event_noise(const struct ep_set *set, long event)
{
	size_t n_reps;
	const double *rows = event_rows(set, event, &n_reps);
	EP_AUTOFREE double *sums = malloc(n_reps * sizeof(*sums));

	if (!sums || ep_noise_all_zero(rows, n_reps * set->events.n_points))
		return 0;
	return ep_noise_max_rnmse(rows, n_reps, set->events.n_points, sums);
}

/* Computes out (P) = E r, the event's expected counts at each point, from the basis E and the event's known response r
 * to some expectations. Returns false if the response needs an expectation that the basis does not have, or uses none
 * of those that it has. */
static bool expect_response(
	const struct ep_set *set, const struct ep_labelled *known, size_t row, double *out)
{
	size_t n_dims = set->basis.columns.n, n_used = 0;

	memset(out, 0, set->events.n_points * sizeof(*out));
	for (size_t c = 0; c < known->columns.n; c++) {
		double response = known->values[row * known->columns.n + c];
		long dim = ep_labels_find(&set->basis.columns, known->columns.items[c]);

		if (response == 0)
			continue;
		if (dim < 0)
			return false;
		n_used++;
		for (size_t p = 0; p < set->events.n_points; p++)
			out[p] += response * set->basis.values[p * n_dims + (size_t)dim];
	}
	return n_used > 0;
}

/* Compares two curves; the verdict names the point where their difference is largest. */
static void compare_curves(const struct ep_set *set, const double *measured, const double *expected,
	struct ep_finding *finding)
{
	double squares = 0, scale = 0, worst = -1;
	size_t worst_point = 0;

	for (size_t p = 0; p < set->events.n_points; p++) {
		double difference = fabs(measured[p] - expected[p]);

		squares += difference * difference;
		scale += expected[p] * expected[p];
		if (difference > worst) {
			worst = difference;
			worst_point = p;
		}
	}
	if (scale == 0) {
		snprintf(finding->why, sizeof(finding->why), "%s: none of its points shows it",
			set->name);
		return;
	}
	double error = sqrt(squares / scale);
	bool is_close = error <= set->params.projection_cut;
	finding->verdict = is_close ? EP_JUDGED_CONFIRMED : EP_JUDGED_CONTRADICTED;
	snprintf(finding->why, sizeof(finding->why),
		is_close ? "%s: within %.2g"
			 : "%s: off by %.2g; at %s it is %.4g where %.4g is expected",
		set->name, error, set->basis.rows.items[worst_point], measured[worst_point],
		expected[worst_point]);
}

static void judge_measured(const struct ep_set *set, long event, const double *expected,
	double *scratch, struct ep_finding *finding)
{
	size_t n_reps;
	const double *rows = event_rows(set, event, &n_reps);
	double noise = event_noise(set, event);

	if (noise > set->params.tau) {
		snprintf(finding->why, sizeof(finding->why),
			"%s: too noisy to say (max RNMSE %.2g)", set->name, noise);
		return;
	}
	ep_noise_combine(rows, n_reps, set->events.n_points, set->params.combine, scratch);
	compare_curves(set, scratch, expected, finding);
}

static void judge_in_set(const struct ep_judgement *judgement, const struct ep_set *set,
	double *curves, struct ep_finding *finding)
{
	long event = find_event(set, finding->name);
	char bare[256];

	if (event < 0)
		return;
	bare_name(finding->name, bare, sizeof(bare));
	snprintf(finding->why, sizeof(finding->why),
		"measured with the kernels of %s, but there is no known value to compare it with",
		set->name);
	for (size_t k = 0; k < judgement->n_known; k++)
		for (size_t row = 0; row < judgement->known[k].rows.n; row++)
			if (!fnmatch(judgement->known[k].rows.items[row], bare, 0) &&
				expect_response(set, &judgement->known[k], row, curves)) {
				judge_measured(
					set, event, curves, curves + set->events.n_points, finding);
				return;
			}
}

static size_t max_points(const struct ep_judgement *judgement)
{
	size_t most = 1;

	for (size_t s = 0; s < judgement->n_sets; s++)
		if (judgement->sets[s].events.n_points > most)
			most = judgement->sets[s].events.n_points;
	return most;
}

static int judge_events(struct ep_judgement *judgement, const struct ep_program *program)
{
	EP_AUTOFREE double *curves = malloc(2 * max_points(judgement) * sizeof(*curves));
	size_t n = ep_program_n_inputs(program);

	judgement->events = calloc(n + 1, sizeof(*judgement->events));
	if (!curves || !judgement->events)
		return -ENOMEM;
	judgement->n_events = n;
	for (size_t i = 0; i < n; i++) {
		struct ep_finding *finding = &judgement->events[i];

		if (ep_program_input_kind(program, (uint32_t)i) != EP_INPUT_EVENT)
			continue;
		finding->name = strdup(ep_program_input_name(program, (uint32_t)i));
		if (!finding->name)
			return -ENOMEM;
		snprintf(finding->why, sizeof(finding->why), "not measured");
		for (size_t s = 0; s < judgement->n_sets && !finding->verdict; s++)
			judge_in_set(judgement, &judgement->sets[s], curves, finding);
	}
	return 0;
}

/* ---- metrics ---- */

/* Returns the index of the signature whose name is the metric's name or its sentence; -1: there is none. */
static long find_signature(const struct ep_set *set, const struct ep_formula_metric *metric)
{
	char name[128], about[128], other[128];

	ep_report_slug(metric->name, name, sizeof(name));
	ep_report_slug(metric->about ? metric->about : metric->name, about, sizeof(about));
	for (size_t m = 0; m < set->signatures.rows.n; m++) {
		ep_report_slug(set->signatures.rows.items[m], other, sizeof(other));
		if (!strcmp(name, other) || !strcmp(about, other))
			return (long)m;
	}
	return -1;
}

static void expect_signature(const struct ep_set *set, size_t metric, double *out)
{
	size_t n_dims = set->basis.columns.n;

	for (size_t p = 0; p < set->events.n_points; p++) {
		out[p] = 0;
		for (size_t d = 0; d < n_dims; d++)
			out[p] += set->basis.values[p * n_dims + d] *
				  set->signatures.values[metric * n_dims + d];
	}
}

/* Sets columns[i] to the counts (P) of the event that is input i of the formulas (I inputs). columns[i] stays NULL if
 * the input is no event, or if the set does not have the event. */
static int bind_columns(
	const struct ep_judgement *judgement, const struct ep_set *set, double **columns)
{
	size_t n_reps, n_points = set->events.n_points;

	for (size_t i = 0; i < judgement->n_events; i++) {
		long event =
			judgement->events[i].name ? find_event(set, judgement->events[i].name) : -1;

		if (event < 0)
			continue;
		const double *rows = event_rows(set, event, &n_reps);
		columns[i] = malloc(n_points * sizeof(double));
		if (!columns[i])
			return -ENOMEM;
		ep_noise_combine(rows, n_reps, n_points, set->params.combine, columns[i]);
	}
	return 0;
}

static void free_columns(double **columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(columns[i]);
	free(columns);
}

/* Sets each input to the value of its column at a point; an input without a column is not measured. */
static void bind_point(
	const double *const *columns, size_t point, size_t n_inputs, struct ep_measured *inputs)
{
	for (size_t i = 0; i < n_inputs; i++)
		if (columns[i])
			inputs[i] = (struct ep_measured){
				.value = columns[i][point],
				.coverage = 1,
				.source_count = 1,
				.is_measured = !isnan(columns[i][point]),
			};
}

/* Computes one metric at all points from the I columns of P counts. Sets out (P), to NaN where the metric is absent. */
static int evaluate_points(const struct ep_program *program, const double *const *columns,
	size_t n_points, size_t metric, double *out)
{
	size_t n_inputs = ep_program_n_inputs(program);
	EP_AUTOFREE struct ep_measured *inputs = calloc(n_inputs + 1, sizeof(*inputs));
	EP_AUTOFREE struct ep_result *results =
		calloc(ep_program_n_definitions(program) + 1, sizeof(*results));
	struct ep_scratch *scratch;

	if (!inputs || !results || ep_scratch_create(program, &scratch))
		return -ENOMEM;
	for (size_t p = 0; p < n_points; p++) {
		bind_point(columns, p, n_inputs, inputs);
		ep_program_eval(program, inputs, scratch, results);
		out[p] = results[metric].absence ? NAN : results[metric].value;
	}
	ep_scratch_destroy(scratch);
	return 0;
}

/* Computes one metric at all points of one set. */
static int evaluate_metric(const struct ep_judgement *judgement, const struct ep_set *set,
	const struct ep_program *program, size_t metric, double *out)
{
	size_t n_inputs = judgement->n_events;
	double **columns = calloc(n_inputs + 1, sizeof(*columns));
	int rc = columns ? bind_columns(judgement, set, columns) : -ENOMEM;

	if (!rc)
		rc = evaluate_points(
			program, (const double *const *)columns, set->events.n_points, metric, out);
	if (columns)
		free_columns(columns, n_inputs);
	return rc;
}

static bool all_finite(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

/* Compares the metric with the signature of the same name, in a set that has both the signature and the
 * metric's events. */
static int judge_by_signature(const struct ep_judgement *judgement,
	const struct ep_program *program, const struct ep_formula_metric *metric, size_t metric_idx,
	double *curves, struct ep_finding *finding)
{
	for (size_t s = 0; s < judgement->n_sets; s++) {
		const struct ep_set *set = &judgement->sets[s];
		long signature = find_signature(set, metric);
		double *measured = curves + set->events.n_points;

		if (signature < 0)
			continue;
		int rc = evaluate_metric(judgement, set, program, metric_idx, measured);
		if (rc)
			return rc;
		if (!all_finite(measured, set->events.n_points))
			continue;
		expect_signature(set, (size_t)signature, curves);
		compare_curves(set, measured, curves, finding);
		return 0;
	}
	return 0;
}

/* Judges a metric without a signature by its events: it gets the worst verdict among them. */
static void judge_by_events(
	const struct ep_judgement *judgement, const bool *used, struct ep_finding *finding)
{
	const struct ep_finding *untested = NULL;
	size_t n_used = 0;

	for (size_t i = 0; i < judgement->n_events; i++) {
		const struct ep_finding *event = &judgement->events[i];

		if (!used[i] || !event->name)
			continue;
		n_used++;
		if (event->verdict == EP_JUDGED_CONTRADICTED) {
			finding->verdict = EP_JUDGED_CONTRADICTED;
			snprintf(finding->why, sizeof(finding->why), "it uses %.80s, %.160s",
				event->name, event->why);
			return;
		}
		if (event->verdict == EP_JUDGED_NOT_TESTED && !untested)
			untested = event;
	}
	if (untested || !n_used) {
		snprintf(finding->why, sizeof(finding->why),
			untested ? "%.80s: %.160s" : "it uses no event",
			untested ? untested->name : "", untested ? untested->why : "");
		return;
	}
	finding->verdict = EP_JUDGED_CONFIRMED;
	snprintf(finding->why, sizeof(finding->why), "each of its %zu events is", n_used);
}

static int judge_metrics(struct ep_judgement *judgement, struct ep_model *model)
{
	const struct ep_formula_file *file = ep_model_file(model);
	const struct ep_program *program = ep_model_program(model);
	EP_AUTOFREE double *curves = malloc(2 * max_points(judgement) * sizeof(*curves));
	EP_AUTOFREE bool *used = calloc(judgement->n_events + 1, sizeof(*used));
	int rc = 0;

	judgement->metrics = calloc(file->n_metrics + 1, sizeof(*judgement->metrics));
	if (!curves || !used || !judgement->metrics)
		return -ENOMEM;
	judgement->n_metrics = file->n_metrics;
	for (size_t m = 0; m < file->n_metrics && !rc; m++) {
		struct ep_finding *finding = &judgement->metrics[m];

		finding->name = strdup(file->metrics[m].name);
		if (!finding->name)
			return -ENOMEM;
		rc = judge_by_signature(judgement, program, &file->metrics[m], m, curves, finding);
		memset(used, 0, judgement->n_events * sizeof(*used));
		ep_program_mark_inputs(program, (uint32_t)m, used);
		if (!finding->verdict)
			judge_by_events(judgement, used, finding);
	}
	return rc;
}

int ep_judge_run(struct ep_judgement *judgement, struct ep_model *model, struct ep_error *err)
{
	int rc = 0;

	for (; !rc && ep_known_events[judgement->n_known]; judgement->n_known++)
		rc = ep_labelled_parse(&judgement->known[judgement->n_known], "known events",
			ep_known_events[judgement->n_known], "event", err);
	if (rc)
		return rc;
	if (judge_events(judgement, ep_model_program(model)) || judge_metrics(judgement, model))
		return ep_fail(err, -ENOMEM, "out of memory");
	return 0;
}

/* ---- output ---- */

static void print_findings(
	const struct ep_finding *findings, size_t n, const char *title, FILE *out)
{
	int width = (int)strlen(title);

	for (size_t i = 0; i < n; i++)
		if (findings[i].name && (int)strlen(findings[i].name) > width)
			width = (int)strlen(findings[i].name);
	fprintf(out, "%-*s  %-12s  why\n", width, title, "verdict");
	for (size_t i = 0; i < n; i++)
		if (findings[i].name)
			fprintf(out, "%-*s  %-12s  %s\n", width, findings[i].name,
				ep_judge_verdict_name[findings[i].verdict], findings[i].why);
}

void ep_judge_print(const struct ep_judgement *judgement, FILE *out)
{
	print_findings(judgement->events, judgement->n_events, "event", out);
	fputc('\n', out);
	print_findings(judgement->metrics, judgement->n_metrics, "metric", out);
}

char *ep_judge_verdict_text(const struct ep_finding *finding, const struct ep_params *origin)
{
	char *text;
	int n = asprintf(&text, "%s: %s%s%s%s%s", ep_judge_verdict_name[finding->verdict],
		finding->why, origin->cpu[0] ? " on " : "", origin->cpu,
		origin->date[0] ? ", " : "", origin->date);

	return n < 0 ? NULL : text;
}

static void free_names(struct ep_finding *findings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(findings[i].name);
	free(findings);
}

void ep_judge_finish(struct ep_judgement *judgement)
{
	for (size_t s = 0; s < judgement->n_sets; s++)
		ep_set_finish(&judgement->sets[s]);
	free(judgement->sets);
	for (size_t k = 0; k < judgement->n_known; k++)
		ep_labelled_finish(&judgement->known[k]);
	free_names(judgement->events, judgement->n_events);
	free_names(judgement->metrics, judgement->n_metrics);
	*judgement = (struct ep_judgement){ 0 };
}
