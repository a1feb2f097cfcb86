// SPDX-License-Identifier: BSD-3-Clause
/* The shipped Top-Down and LCPI models on count sets with known results; every golden value was
 * recomputed with perf's own evaluator when it was made. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/formula/catalog.h"
#include "common/formula/model.h"
#include "tests/unit/corpus.h"

struct golden {
	const char *model;
	struct tsv events, expected;
	struct ep_catalog catalog;
	struct ep_model *loaded;
	char loaded_cpu[64];
};

static bool load(struct golden *g, const char *cpu)
{
	const struct ep_catalog_entry *entry;
	struct ep_formula_file file;
	struct ep_error err = { 0 };
	int rc;

	if (g->loaded && !strcmp(g->loaded_cpu, cpu))
		return true;
	ep_model_destroy(g->loaded);
	g->loaded = NULL;
	snprintf(g->loaded_cpu, sizeof(g->loaded_cpu), "%s", cpu);
	entry = ep_catalog_find(&g->catalog, g->model, cpu);
	CHECK_MSG(entry, "no %s for %s", g->model, cpu);
	if (!entry)
		return false;
	rc = ep_formula_file_read(entry->path, &file, &err);
	CHECK_MSG(!rc, "%s: %s", err.where, err.message);
	if (!rc)
		rc = ep_model_create(&file, NULL, NULL, &g->loaded, &err);
	return !rc;
}

static void collect_case(const struct golden *g, const char *name, struct ep_values *out)
{
	for (size_t i = 0; i < g->events.n_rows; i++) {
		char **row = g->events.rows[i];
		struct ep_measured m = { atof(row[4]), 0, 1, 1, *row[4] && strcmp(row[4], "-") };

		if (!strcmp(row[0], name))
			CHECK_INT(ep_values_set(out, row[3], m), 0);
	}
}

static char *status_of(const struct ep_metric_value *value)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ep_metric_value_print_status(value, out);
	fclose(out);
	return text;
}

/* Which of several missing events is named first is the order of the formula's text. */
static bool same_status(const char *actual, const char *expected)
{
	if (!strncmp(expected, "missing:", 8))
		return !strncmp(actual, "missing:", 8);
	return !strcmp(actual, expected);
}

static int find_metric(const struct ep_formula_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->n_metrics; i++)
		if (!strcmp(file->metrics[i].name, name))
			return (int)i;
	return -1;
}

static void check_row(struct golden *g, char **row, const struct ep_metric_value *metrics)
{
	int idx = find_metric(ep_model_file(g->loaded), row[2]);
	EP_AUTOFREE char *status = idx < 0 ? NULL : status_of(&metrics[idx]);

	CHECK_MSG(idx >= 0, "%s has no metric %s", row[1], row[2]);
	if (idx < 0)
		return;
	CHECK_MSG(same_status(status, row[4]), "%s %s: %s, expected %s", row[0], row[2], status,
		row[4]);
	if (strcmp(row[3], "-") && *row[3])
		CHECK_MSG(corpus_is_close(metrics[idx].result.value, atof(row[3])),
			"%s %s: %.17g, expected %s", row[0], row[2], metrics[idx].result.value,
			row[3]);
	else
		CHECK_MSG(metrics[idx].result.absence, "%s %s: should be absent", row[0], row[2]);
}

static void check_all(struct golden *g)
{
	struct ep_metric_value metrics[128];
	const char *last_case = "";

	for (size_t i = 0; i < g->expected.n_rows; i++) {
		char **row = g->expected.rows[i];

		if (strcmp(row[0], last_case)) {
			struct ep_values values = { 0 };

			last_case = row[0];
			if (!load(g, row[1]))
				continue;
			CHECK(ep_model_file(g->loaded)->n_metrics <= 128);
			collect_case(g, row[0], &values);
			CHECK_INT(ep_model_eval(g->loaded, &values, metrics, NULL), 0);
			ep_values_finish(&values);
		}
		if (g->loaded)
			check_row(g, row, metrics);
	}
}

static void run_golden(const char *model, const char *events, const char *expected, size_t n_rows)
{
	struct golden g = { .model = model };
	struct ep_error err = { 0 };
	char root[4096];

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_MSG(!ep_catalog_open(&g.catalog, &err), "%s: %s", err.where, err.message);
	CHECK(tsv_read_source(events, &g.events));
	CHECK(tsv_read_source(expected, &g.expected));
	CHECK_INT(g.expected.n_rows, n_rows);
	check_all(&g);
	ep_model_destroy(g.loaded);
	ep_catalog_close(&g.catalog);
	tsv_finish(&g.events);
	tsv_finish(&g.expected);
}

TEST(topdown_golden_cases)
{
	run_golden("topdown", "tests/data/formulas/topdown-golden-events.tsv.gz",
		"tests/data/formulas/topdown-golden-expected.tsv.gz", 2744);
}

TEST(lcpi_golden_cases)
{
	run_golden("lcpi", "tests/data/formulas/lcpi-golden-events.tsv.gz",
		"tests/data/formulas/lcpi-golden-expected.tsv.gz", 1440);
}

static struct ep_model *model_of(const char *text)
{
	struct ep_formula_file file = { 0 };
	struct ep_model *model = NULL;
	struct ep_error err = { 0 };

	CHECK_MSG(!ep_formula_file_parse("f", text, strlen(text), &file, &err) &&
			  !ep_model_create(&file, NULL, NULL, &model, &err),
		"%s: %s", err.where, err.message);
	return model;
}

static void set(struct ep_values *values, const char *name, double value, double error)
{
	CHECK_INT(ep_values_set(
			  values, name, (struct ep_measured){ value, error, 1, 1, !isnan(value) }),
		0);
}

TEST(checks_allow_for_tolerance_and_error)
{
	struct ep_model *model = model_of("evprof-formula 1\n[metric m]\nexpr = a\n"
					  "[check equal]\nexpr = a\nequals = b\ntolerance = 0.1\n"
					  "[check most]\nexpr = a\nat_most = b\n"
					  "[check least]\nexpr = a\nat_least = b\n"
					  "[check unknown]\nexpr = a\nequals = z\n");
	static const struct {
		double a, error;
		enum ep_check_state equal, most, least;
	} cases[] = {
		{ 100, 0, EP_CHECK_HOLDS, EP_CHECK_HOLDS, EP_CHECK_HOLDS },
		{ 109, 0, EP_CHECK_HOLDS, EP_CHECK_BROKEN, EP_CHECK_HOLDS },
		{ 120, 0, EP_CHECK_BROKEN, EP_CHECK_BROKEN, EP_CHECK_HOLDS },
		{ 120, 6, EP_CHECK_HOLDS, EP_CHECK_BROKEN, EP_CHECK_HOLDS },
		{ 120, 11, EP_CHECK_HOLDS, EP_CHECK_HOLDS, EP_CHECK_HOLDS },
		{ 80, 0, EP_CHECK_BROKEN, EP_CHECK_HOLDS, EP_CHECK_BROKEN },
		{ NAN, 0, EP_CHECK_UNKNOWN, EP_CHECK_UNKNOWN, EP_CHECK_UNKNOWN },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_values values = { 0 };
		struct ep_metric_value metric;
		struct ep_check_value checks[4];

		set(&values, "a", cases[i].a, cases[i].error);
		set(&values, "b", 100, 0);
		CHECK_INT(ep_model_eval(model, &values, &metric, checks), 0);
		CHECK_INT(checks[0].state, cases[i].equal);
		CHECK_INT(checks[1].state, cases[i].most);
		CHECK_INT(checks[2].state, cases[i].least);
		CHECK_INT(checks[3].state, EP_CHECK_UNKNOWN);
		ep_values_finish(&values);
	}
	ep_model_destroy(model);
}

TEST(thresholds_and_flags)
{
	struct ep_model *model =
		model_of("evprof-formula 1\n"
			 "[metric s]\nexpr = a\nkind = share\nthreshold = s > 0.2\n"
			 "[metric c]\nexpr = a\nkind = count\n"
			 "[metric v]\nexpr = a\n");
	static const struct {
		double a;
		bool over, negative[3], above[3];
	} cases[] = {
		{ 0.1, false, { false }, { false } }, { 0.3, true, { false }, { false } },
		{ 1.5, true, { false }, { true, false, false } },
		{ -0.5, false, { true, true, false }, { false } },
		{ -1e-10, false, { false }, { false } }, /* rounding */
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_values values = { 0 };
		struct ep_metric_value metrics[3];

		set(&values, "a", cases[i].a, 0);
		CHECK_INT(ep_model_eval(model, &values, metrics, NULL), 0);
		CHECK_INT(metrics[0].is_over_threshold, cases[i].over);
		for (int m = 0; m < 3; m++) {
			CHECK_INT(metrics[m].is_negative, cases[i].negative[m]);
			CHECK_INT(metrics[m].is_above_one, cases[i].above[m]);
		}
		ep_values_finish(&values);
	}
	ep_model_destroy(model);
}

/* ---- floating point and memory, against what is known of programs ---- */

struct known {
	const char *name;
	double value;
};

static double metric_of(const char *path, const char *metric, const struct known *known)
{
	__attribute__((cleanup(ep_values_finish))) struct ep_values values = { 0 };
	struct ep_formula_file file = { 0 };
	struct ep_model *model = NULL;
	struct ep_error err = { 0 };
	double value = NAN;
	char full[4200];

	snprintf(full, sizeof(full), "%s/formulas/%s", getenv("EVPROF_SOURCE_ROOT"), path);
	CHECK_MSG(!ep_formula_file_read(full, &file, &err), "%s: %s", err.where, err.message);
	CHECK_INT(ep_model_create(&file, NULL, NULL, &model, &err), 0);
	if (!model)
		return NAN;
	for (; known->name; known++)
		CHECK_INT(ep_values_set(&values, known->name,
				  (struct ep_measured){ .value = known->value,
					  .coverage = 1,
					  .source_count = 1,
					  .is_measured = true }),
			0);
	EP_AUTOFREE struct ep_metric_value *metrics =
		calloc(ep_model_file(model)->n_metrics + 1, sizeof(*metrics));
	int idx = ep_model_find_metric(model, metric);

	CHECK_MSG(idx >= 0, "%s has no %s", path, metric);
	if (idx >= 0 && !ep_model_eval(model, &values, metrics, NULL) &&
		!metrics[idx].result.absence)
		value = metrics[idx].result.value;
	ep_model_destroy(model);
	return value;
}

#define INTEL_FLOPS(n)                                                                             \
	{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", n },                                              \
		{ "FP_ARITH_INST_RETIRED:SCALAR_SINGLE", 0 },                                      \
		{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0 },                                 \
		{ "FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE", 0 },                                 \
		{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", 0 },                                 \
		{ "FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE", 0 },                                 \
		{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 0 },                                 \
	{                                                                                          \
		"FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", 0                                      \
	}

/* Expectations of the CAT paper on arithmetic intensity for memory beyond the caches: DDOT reads 16
 * N bytes for 2 N operations, DGEMV of N x N moves 8 (N^2 + 2 N) and 64 N, a line for each element
 * that it writes, DGEMM reads 24 N^2 and writes 8 N^2 by elements or 64 N^2 by lines. Prefetchers
 * fetch 19 of 20 lines of a stream. */
TEST(arithmetic_intensity_is_of_all_traffic)
{
	const double n = 1e4;
	const struct {
		const char *what;
		double flop, read, written;
	} rows[] = {
		{ "DDOT", 2 * n, 16 * n, 0 },
		{ "DGEMV", 2 * n * n, 8 * (n * n + 2 * n), 64 * n },
		{ "DGEMM by elements", 2 * n * n * n, 24 * n * n, 8 * n * n },
		{ "DGEMM by lines", 2 * n * n * n, 24 * n * n, 64 * n * n },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		double read = rows[i].read, all = read + rows[i].written;
		const struct known of_run[] = { INTEL_FLOPS(rows[i].flop),
			{ "MEM_LOAD_RETIRED:L3_MISS", read / 64 / 20 }, { "memory_bytes", all },
			{ NULL, 0 } };
		const struct known of_procedure[] = { INTEL_FLOPS(rows[i].flop),
			{ "MEM_LOAD_RETIRED:L3_MISS", read / 64 / 20 }, { NULL, 0 } };

		CHECK_CLOSE(metric_of("intel/skx/flops.formula", "Arithmetic_Intensity", of_run),
			rows[i].flop / all, 1e-9 * rows[i].flop / all);
		/* of a procedure nobody knows: 20 times as much would be shown by demand misses */
		CHECK_MSG(isnan(metric_of(
				  "intel/skx/flops.formula", "Arithmetic_Intensity", of_procedure)),
			"%s", rows[i].what);
		CHECK_CLOSE(metric_of("intel/skx/flops.formula", "FLOP_per_Demand_Miss_Byte",
				    of_procedure),
			20 * rows[i].flop / read, 1e-9 * 20 * rows[i].flop / read);
	}
}

/* 100 instructions of each width; a vector's fused multiply-add does four operations in double precision. */
TEST(operations_of_power_are_not_its_instructions)
{
	static const char *const files[] = { "ibm/power9/flops.formula",
		"ibm/power10/flops.formula" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(files); i++) {
		const char *dp = i ? "PM_DPP_FLOP_CMPL" : "PM_DP_QP_FLOP_CMPL";
		const struct known double_only[] = { { "PM_1FLOP_CMPL", 100 },
			{ "PM_2FLOP_CMPL", 100 }, { "PM_4FLOP_CMPL", 100 }, { "PM_8FLOP_CMPL", 0 },
			{ "PM_FLOP_CMPL", 300 }, { dp, 300 }, { "PM_SP_FLOP_CMPL", 0 },
			{ NULL, 0 } };
		const struct known none[] = { { "PM_1FLOP_CMPL", 0 }, { "PM_2FLOP_CMPL", 0 },
			{ "PM_4FLOP_CMPL", 0 }, { "PM_8FLOP_CMPL", 0 }, { "PM_FLOP_CMPL", 0 },
			{ dp, 0 }, { "PM_SP_FLOP_CMPL", 0 }, { NULL, 0 } };

		CHECK_CLOSE(metric_of(files[i], "FLOP", double_only), 700, 1e-9);
		CHECK_CLOSE(metric_of(files[i], "DP_FLOP", double_only), 700, 1e-9);
		CHECK_CLOSE(metric_of(files[i], "SP_FLOP", double_only), 0, 1e-9);
		CHECK_CLOSE(metric_of(files[i], "FP_INS", double_only), 300, 1e-9);
		CHECK_CLOSE(metric_of(files[i], "DP_FLOP", none), 0, 1e-9);
	}
}

/* LCPI without latencies is nothing but its first line. */
TEST(every_cpu_has_latencies_and_their_source)
{
	static const char *const names[] = { "CPI_threshold", "CPU_freq", "L1_dlat", "L1_ilat",
		"L2_lat", "mem_lat", "TLB_lat", "BR_lat", "BR_miss_lat", "FP_lat", "FP_slow_lat" };
	__attribute__((cleanup(ep_catalog_close))) struct ep_catalog catalog = { 0 };
	struct ep_error err = { 0 };
	char root[4200];
	int n_cpus = 0;

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_INT(ep_catalog_open(&catalog, &err), 0);
	for (uint32_t i = 0; i < catalog.n_entries; i++) {
		__attribute__((
			cleanup(ep_formula_file_finish))) struct ep_formula_file file = { 0 };

		if (strcmp(catalog.entries[i].name, "lcpi") != 0 || !catalog.entries[i].serves ||
			strstr(catalog.entries[i].path, "/generic/"))
			continue;
		n_cpus++;
		CHECK_INT(ep_formula_file_read(catalog.entries[i].path, &file, &err), 0);
		CHECK_MSG(file.source && strstr(file.source, "confidence"), "%s has no source",
			catalog.entries[i].path);
		for (size_t k = 0; k < EP_ARRAY_SIZE(names); k++) {
			double value = NAN;

			for (uint32_t p = 0; p < file.n_parameters; p++)
				if (!strcmp(file.parameters[p].name, names[k]))
					value = file.parameters[p].value;
			CHECK_MSG(value > 0, "%s: %s", catalog.entries[i].path, names[k]);
		}
	}
	CHECK_INT(n_cpus, 15);
}
