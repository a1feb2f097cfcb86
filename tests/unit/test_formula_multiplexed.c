// SPDX-License-Identifier: BSD-3-Clause
/*
 * From groups to error bars: recorded tables played slice by slice as if the CPU had four counters,
 * the groups those of the plan, gaps filled by interpolation. The metrics of what was measured have
 * to lie within twice their standard error of the full table's, nine times in ten.
 * The tables lie outside the tree; without them the test skips.
 */
#include "tests/unit/test.h"

#include <glob.h>

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/plan.h"
#include "common/table.h"

enum { MAX_EVENTS = 32, MAX_METRICS = 64, MAX_GROUPS = 16 };

struct groups {
	int column[MAX_GROUPS][MAX_EVENTS]; /* -1 ends a group */
	int n;
};

struct score {
	size_t n_inside, n_values;
};

static void read_groups(const struct ep_table *table, struct groups *out)
{
	struct ep_event_plan_request request = {
		.models = "topdown,caches,branches", .cpu = "ocoe", .n_counters = 4
	};
	struct ep_event_plan *plan = NULL;
	struct ep_error err = { 0 };
	EP_AUTOFREE char *events = NULL;

	CHECK_MSG(!ep_event_plan_create(&request, &plan, &err), "%s", err.message);
	events = ep_event_plan_events(plan);
	ep_event_plan_destroy(plan);
	for (char *rest = events, *group; (group = strsep(&rest, ";")); out->n++) {
		int n = 0;

		for (char *name; (name = strsep(&group, ","));) {
			out->column[out->n][n] = ep_table_column(table, name);
			CHECK_MSG(out->column[out->n][n++] >= 0, "no column %s", name);
		}
		out->column[out->n][n] = -1;
	}
}

static bool is_measured(const struct groups *groups, size_t slice, int column)
{
	const int *c = groups->column[slice % groups->n];

	while (*c >= 0 && *c != column)
		c++;
	return *c == column;
}

/* Sum with straight lines between measured slices. Its standard error: the spread of what was
 * measured from one measured slice to the next, once for each unmeasured slice and once for all of
 * them together. */
static struct ep_measured estimate(
	const struct ep_table *table, const struct groups *groups, int column)
{
	struct ep_measured m = { .source_count = 1 };
	double last = NAN, squares = 0, n_measured = 0, n_filled = 0;
	size_t last_slice = 0;

	for (size_t k = 0; k < table->n_rows; k++) {
		double value = table->values[k * table->n_columns + column];
		double n_between = (double)(k - last_slice - 1);

		if (!is_measured(groups, k, column))
			continue;
		if (isnan(last)) {
			m.value += value * (double)k;
			n_filled += (double)k;
		} else {
			m.value += n_between * (last + value) / 2;
			n_filled += n_between;
			squares += (value - last) * (value - last);
		}
		m.value += value;
		n_measured++;
		last = value;
		last_slice = k;
	}
	m.value += last * (double)(table->n_rows - 1 - last_slice);
	n_filled += (double)(table->n_rows - 1 - last_slice);
	m.is_measured = n_measured > 1;
	m.coverage = n_measured / (double)table->n_rows;
	if (m.is_measured)
		m.standard_error = sqrt(
			squares / (2 * (n_measured - 1)) * n_filled * (1 + n_filled / n_measured));
	return m;
}

static struct ep_measured whole(const struct ep_table *table, int column)
{
	struct ep_measured m = { .coverage = 1, .source_count = 1, .is_measured = true };

	for (size_t k = 0; k < table->n_rows; k++)
		m.value += table->values[k * table->n_columns + column];
	return m;
}

static bool reads_instruction_misses(const struct ep_model *model, uint32_t metric)
{
	const struct ep_program *program = ep_model_program(model);
	bool used[MAX_EVENTS];

	CHECK(ep_program_n_inputs(program) <= MAX_EVENTS);
	ep_program_mark_inputs(program, metric, used);
	for (uint32_t i = 0; i < ep_program_n_inputs(program); i++)
		if (used[i] && (!strcmp(ep_program_input_name(program, i), "L1I_MISS") ||
				       !strcmp(ep_program_input_name(program, i), "LLI_MISS")))
			return true;
	return false;
}

static void evaluate(struct ep_model *model, const struct ep_table *table,
	const struct groups *groups, struct ep_metric_value *out)
{
	struct ep_values values = { 0 };

	for (size_t c = 0; c < table->n_columns; c++)
		CHECK_INT(ep_values_set(&values, table->names[c],
				  groups ? estimate(table, groups, (int)c) : whole(table, (int)c)),
			0);
	CHECK_INT(ep_model_eval(model, &values, out, NULL), 0);
	ep_values_finish(&values);
}

static void compare(struct ep_model *model, const struct ep_table *table,
	const struct groups *groups, struct score scores[2])
{
	struct ep_metric_value full[MAX_METRICS], estimated[MAX_METRICS];

	CHECK(ep_model_file(model)->n_metrics <= MAX_METRICS);
	evaluate(model, table, NULL, full);
	evaluate(model, table, groups, estimated);
	for (uint32_t i = 0; i < ep_model_file(model)->n_metrics; i++) {
		const struct ep_result *e = &estimated[i].result, *f = &full[i].result;

		struct score *score = &scores[reads_instruction_misses(model, i)];

		if (!(full[i].metric->level >= 1) || f->absence)
			continue;
		score->n_values++;
		score->n_inside +=
			!e->absence && fabs(e->value - f->value) <= 2 * e->standard_error + 1e-12;
	}
}

static struct ep_model *load_model(const struct ep_catalog *catalog, const char *name)
{
	const struct ep_catalog_entry *entry = ep_catalog_find(catalog, name, "ocoe");
	struct ep_formula_file file;
	struct ep_model *model = NULL;
	struct ep_error err = { 0 };

	CHECK_MSG(entry && !ep_formula_file_read(entry->path, &file, &err) &&
			  !ep_model_create(&file, NULL, NULL, &model, &err),
		"%s: %s", name, err.message);
	return model;
}

static void find_tables(glob_t *found)
{
	char pattern[4096];
	const char *root = getenv("EVPROF_SOURCE_ROOT");

	snprintf(pattern, sizeof(pattern), "%s/../shared/data/ocoe/*.csv.gz", root);
	if (glob(pattern, 0, NULL, found)) {
		printf("1..0 # SKIP recorded tables that are not ours to hand on: no "
		       "../shared/data/ocoe\n");
		exit(0);
	}
	snprintf(pattern, sizeof(pattern), "%s/formulas", root);
	setenv("EVPROF_FORMULAS", pattern, 1);
}

TEST(metrics_of_multiplexed_tables_are_within_their_error_bars)
{
	static const char *const names[] = { "topdown", "caches", "branches" };
	struct ep_catalog catalog = { 0 };
	struct ep_model *models[3];
	struct score scores[2] = { 0 }; /* others, instruction-cache metrics */
	glob_t found = { 0 };
	struct ep_error err = { 0 };

	find_tables(&found);
	CHECK_INT(ep_catalog_open(&catalog, &err), 0);
	for (size_t m = 0; m < 3; m++)
		models[m] = load_model(&catalog, names[m]);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		EP_AUTOTABLE struct ep_table table = { 0 };
		struct groups groups = { 0 };

		CHECK_MSG(!ep_table_read(found.gl_pathv[i], &table, &err), "%s", err.message);
		read_groups(&table, &groups);
		CHECK(groups.n > 1);
		for (size_t m = 0; m < 3; m++)
			compare(models[m], &table, &groups, scores);
	}
	for (int i = 0; i < 2; i++)
		printf("# %s metrics: %zu of %zu values within their error bars\n",
			i ? "instruction-cache" : "other", scores[i].n_inside, scores[i].n_values);
	CHECK(scores[0].n_values > 800);
	CHECK((double)scores[0].n_inside >= 0.9 * (double)scores[0].n_values);
	for (size_t m = 0; m < 3; m++)
		ep_model_destroy(models[m]);
	ep_catalog_close(&catalog);
	globfree(&found);
}
