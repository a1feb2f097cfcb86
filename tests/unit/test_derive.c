// SPDX-License-Identifier: BSD-3-Clause
/* The whole analysis against the stored results of an independent implementation (numpy). */
#include "tests/unit/test.h"

#include <errno.h>
#include <json-c/json.h>

#include "bench/cat_large.h"
#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/parse.h"
#include "kernels/derive/derive.h"
#include "kernels/report/report.h"

static const char *data_path(const char *set, const char *file)
{
	static char path[4096];
	const char *root = getenv("EVPROF_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/tests/data/cat/%s%s%s", root ? root : ".", set,
		*file ? "/" : "", file);
	return path;
}

static struct json_object *read_json(const char *path)
{
	EP_AUTOFREE char *text = NULL;
	struct ep_error err;
	size_t size;

	if (ep_file_read(path, &text, &size, &err)) {
		CHECK_MSG(0, "%s: %s", path, err.message);
		return NULL;
	}
	return json_tokener_parse(text);
}

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

/* Both small, or equal to 1e-9: different summation orders, condition numbers below 100. */
static void check_error(const char *what, double actual, double expected)
{
	bool small = expected < EP_SMALL_ERROR && actual < EP_SMALL_ERROR;

	CHECK_MSG(small || fabs(actual - expected) <= 1e-9 * fabs(expected),
		"%s is %.17g, expected %.17g", what, actual, expected);
}

/* An unreachable metric's error is 1 less the rounding noise of its coefficients times the norm of
 * the chosen events, 1e12 in one set: only its size is defined. */
static void check_metric_error(const char *what, double actual, double expected)
{
	if (expected > 0.999)
		CHECK_MSG(actual > 0.999 && actual <= 1 + 1e-12, "%s is %.17g, expected %.17g",
			what, actual, expected);
	else
		check_error(what, actual, expected);
}

static void check_status(const struct ep_derivation *d, struct json_object *golden)
{
	const struct ep_labels *names = &d->set->events.names;

	CHECK_INT(names->n, json_object_object_length(get(golden, "status")));
	for (size_t e = 0; e < names->n; e++) {
		struct json_object *value;

		CHECK_STR(ep_event_status_name[d->screen.status[e]],
			json_object_get_string(get(get(golden, "status"), names->items[e])));
		value = get(get(golden, "variability"), names->items[e]);
		CHECK_INT(isnan(d->screen.variability[e]), !value);
		if (value)
			check_error("variability", d->screen.variability[e],
				json_object_get_double(value));
		value = get(get(golden, "projection_residual"), names->items[e]);
		CHECK_INT(isnan(d->screen.residual[e]), !value);
		if (value)
			check_error(
				"residual", d->screen.residual[e], json_object_get_double(value));
	}
}

static double number_at(struct json_object *golden, const char *key, size_t i)
{
	return json_object_get_double(json_object_array_get_idx(get(golden, key), i));
}

static void check_chosen(const struct ep_derivation *d, struct json_object *golden)
{
	struct json_object *chosen = get(golden, "chosen");
	size_t n_dims = d->set->basis.columns.n;

	CHECK_INT(d->n_chosen, json_object_array_length(chosen));
	for (size_t k = 0; k < d->n_chosen; k++) {
		const char *name = d->set->events.names.items[d->pivots[k].candidate];
		struct json_object *x = get(get(golden, "representation"), name);

		CHECK_STR(name, json_object_get_string(json_object_array_get_idx(chosen, k)));
		/* a column of 1e12 holds noise that reaches alpha: 6e-9 of its score */
		CHECK_CLOSE(d->pivots[k].score, number_at(golden, "chosen_scores", k), 1e-8);
		CHECK_CLOSE(d->pivots[k].norm, number_at(golden, "chosen_norms", k), 1e-9);
		for (size_t i = 0; i < n_dims; i++) {
			double expected = json_object_get_double(json_object_array_get_idx(x, i));
			/* relative to the column: its zeros hold that much rounding noise */
			double scale = fmax(1, d->pivots[k].norm);

			CHECK_MSG(fabs(d->x[k * n_dims + i] - expected) <= 1e-12 * scale,
				"%s[%zu] is %.17g, expected %.17g", name, i, d->x[k * n_dims + i],
				expected);
		}
	}
}

static void check_coefficient(
	const char *metric, const char *event, double actual, struct json_object *expected)
{
	double value = expected ? json_object_get_double(expected) : 0;

	CHECK_MSG(fabs(actual - value) <= 1e-12 * fmax(1, fabs(value)),
		"%s: %s is %.17g, expected %.17g", metric, event, actual, value);
}

static void check_metric(const struct ep_derivation *d, size_t m, struct json_object *golden)
{
	const char *name = d->set->signatures.rows.items[m];

	CHECK_STR(name, json_object_get_string(get(golden, "name")));
	check_metric_error(name, d->fits[m].error, json_object_get_double(get(golden, "error")));
	check_metric_error(name, d->fits[m].rounded_error,
		json_object_get_double(get(golden, "rounded_error")));
	for (size_t k = 0; k < d->n_chosen; k++) {
		const char *event = d->set->events.names.items[d->pivots[k].candidate];

		check_coefficient(name, event, d->coefficients[m * d->n_chosen + k],
			get(get(golden, "coefficients"), event));
		check_coefficient(name, event, d->rounded[m * d->n_chosen + k],
			get(get(golden, "rounded"), event));
	}
}

static void check_definable(const struct ep_derivation *d, struct json_object *golden)
{
	struct json_object *definable = get(golden, "definable");
	size_t n = 0;

	for (size_t m = 0; m < d->set->signatures.rows.n; m++)
		if (ep_derivation_fitness(d, m) <= EP_FITNESS_CLOSE)
			CHECK_STR(d->set->signatures.rows.items[m],
				json_object_get_string(json_object_array_get_idx(definable, n++)));
	CHECK_INT(n, json_object_array_length(definable));
}

static void check_set(const char *name)
{
	struct ep_set_paths paths = { .folder = data_path(name, "") };
	struct ep_derivation d;
	struct ep_error err;
	struct ep_set set;
	int rc = ep_set_read(&set, &paths, &err);

	CHECK_MSG(!rc, "%s: %s", err.where, err.message);
	if (rc)
		return;
	CHECK_INT(ep_derive(&d, &set, &err), 0);
	struct json_object *golden = read_json(data_path(name, "golden.json.gz"));
	check_status(&d, golden);
	check_chosen(&d, golden);
	for (size_t m = 0; m < set.signatures.rows.n; m++)
		check_metric(&d, m, json_object_array_get_idx(get(golden, "metrics"), m));
	check_definable(&d, golden);
	json_object_put(golden);
	ep_derivation_finish(&d);
	ep_set_finish(&set);
}

#define SET_TEST(ident, folder)                                                                    \
	TEST(ident)                                                                                \
	{                                                                                          \
		check_set(folder);                                                                 \
	}

SET_TEST(cpu_flops_table_v, "spr-cpu-flops")
SET_TEST(gpu_flops_table_vi, "mi250x-gpu-flops")
SET_TEST(branches_table_vii, "spr-branch")
SET_TEST(data_cache_table_viii, "spr-dcache")
SET_TEST(readings_branch, "readings-branch")
SET_TEST(readings_flops, "readings-flops")
SET_TEST(nothing_left, "degenerate-nothing-left")
SET_TEST(one_event_below_beta, "degenerate-one-event")
SET_TEST(one_repetition, "degenerate-one-repetition")

static void check_large_metric(const struct ep_derivation *d, size_t m, struct json_object *golden)
{
	check_metric_error("error", d->fits[m].error, json_object_get_double(get(golden, "error")));
	for (size_t k = 0; k < d->n_chosen; k++) {
		const char *event = d->set->events.names.items[d->pivots[k].candidate];

		check_coefficient(d->set->signatures.rows.items[m], event,
			d->rounded[m * d->n_chosen + k], get(get(golden, "rounded"), event));
	}
}

static void check_large(struct json_object *golden)
{
	struct json_object *chosen = get(golden, "chosen");
	size_t n_events = json_object_get_int64(get(golden, "events"));
	struct ep_derivation d;
	struct ep_error err;
	struct ep_set set;
	int rc = cat_large_init(&set, json_object_get_string(get(golden, "basis")), n_events,
		json_object_get_int64(get(golden, "seed")),
		json_object_get_int64(get(golden, "reps")), &err);

	CHECK_MSG(!rc, "%s: %s", err.where, err.message);
	CHECK_INT(ep_derive(&d, &set, &err), 0);
	for (int s = 0; s < EP_EVENT_N_STATUS; s++)
		CHECK_INT(d.screen.counts[s],
			json_object_get_int64(get(golden, ep_event_status_name[s])));
	CHECK_INT(d.n_chosen, json_object_array_length(chosen));
	for (size_t k = 0; k < d.n_chosen; k++)
		CHECK_STR(set.events.names.items[d.pivots[k].candidate],
			json_object_get_string(json_object_array_get_idx(chosen, k)));
	for (size_t m = 0; m < set.signatures.rows.n; m++)
		check_large_metric(&d, m, json_object_array_get_idx(get(golden, "metrics"), m));
	ep_derivation_finish(&d);
	cat_large_finish(&set);
}

TEST(large_generated_sets)
{
	struct json_object *golden = read_json(data_path("golden_large.json.gz", ""));

	CHECK_INT(json_object_array_length(golden), 4);
	for (size_t i = 0; i < json_object_array_length(golden); i++)
		check_large(json_object_array_get_idx(golden, i));
	json_object_put(golden);
}

/* "1e+16" would be a name, a sign and a number in a formula, "branch-misses" a difference. */
TEST(combinations_are_written_as_formulas_read_them)
{
	static const char *const without_place[] = { "two words", "a*b", "min", "17", "" };
	const char *events[] = { "msr/tsc/", "branch-misses" };
	struct ep_pivot pivots[] = { { .candidate = 0 }, { .candidate = 1 } };
	double rounded[] = { 1e16, -2.5e-7 };
	struct ep_set set = { .events.names = { .items = events, .n = 2 } };
	struct ep_derivation d = {
		.set = &set, .n_chosen = 2, .pivots = pivots, .rounded = rounded
	};
	EP_AUTOFREE char *text = NULL;
	size_t size;
	struct ep_ast tree = { 0 };
	FILE *out = open_memstream(&text, &size);

	CHECK(!ep_report_combination_tree(&d, 0, &tree));
	CHECK(!ep_formula_print(&tree, out));
	fclose(out);
	CHECK_STR(text, "1e16 * msr@tsc@ - 2.5e-07 * branch\\-misses");
	ep_ast_finish(&tree);
	for (size_t i = 0; i < EP_ARRAY_SIZE(without_place); i++) {
		events[1] = without_place[i];
		CHECK_INT(ep_report_combination_tree(&d, 0, &tree), -EINVAL);
	}
}
