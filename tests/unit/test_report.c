// SPDX-License-Identifier: BSD-3-Clause
/* Output of derivations: every report over the stored data sets. */
#include "tests/unit/test.h"

#include <json-c/json.h>
#include <limits.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/file.h"
#include "common/formula/formula_file.h"
#include "kernels/report/output.h"

struct subject {
	struct ep_set set;
	struct ep_derivation d;
};

static const char *data_path(const char *set, const char *file)
{
	static char path[PATH_MAX];
	const char *root = getenv("EVPROF_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/tests/data/cat/%s%s", root ? root : ".", set, file);
	return path;
}

static void open_subject(struct subject *subject, const char *name)
{
	struct ep_set_paths paths = { .folder = data_path(name, "") };
	struct ep_error err;

	CHECK_INT(ep_set_read(&subject->set, &paths, &err), 0);
	CHECK_INT(ep_derive(&subject->d, &subject->set, &err), 0);
}

static void close_subject(struct subject *subject)
{
	ep_derivation_finish(&subject->d);
	ep_set_finish(&subject->set);
}

static char *run_report(ep_report_fn report, const char *name)
{
	struct subject subject;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	open_subject(&subject, name);
	report(&subject.d, out);
	fclose(out);
	close_subject(&subject);
	return text;
}

TEST(reports_say_what_they_should)
{
	static const struct {
		const char *set;
		ep_report_fn report;
		const char *text;
	} rows[] = {
		{ "spr-branch", ep_report_table,
			"353 events: 86 zero, 142 noisy (max RNMSE > 1e-10), 54 not representable "
			"(residual > 0.01), 71 kept\n" },
		{ "spr-branch", ep_report_table,
			"Conditional Branches Not Taken.  exact       small    small  "
			"BR_INST_RETIRED:COND - BR_INST_RETIRED:COND_TAKEN\n" },
		{ "spr-branch", ep_report_table,
			"not definable: no chosen event responds to CE\n" },
		{ "spr-cpu-flops", ep_report_table,
			"SP FMA Instrs.  partial  2.36e-01 2.36e-01  0.8 " },
		{ "spr-dcache", ep_report_table,
			"L3 Hits.    close       small 1.05e-02  MEM_LOAD_RETIRED:L3_HIT\n" },
		{ "degenerate-nothing-left", ep_report_table,
			"no event survived the noise filter and the projection" },
		{ "spr-cpu-flops", ep_report_presets,
			"PRESET,PAPI_DP_OPS,DERIVED_POSTFIX,N0|N1|2|*|+|N2|4|*|+|N3|8|*|+|,"
			"FP_ARITH_INST_RETIRED:SCALAR_DOUBLE,FP_ARITH_INST_RETIRED:128B_PACKED_"
			"DOUBLE,"
			"FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE,FP_ARITH_INST_RETIRED:512B_"
			"PACKED_"
			"DOUBLE\n" },
		{ "spr-branch", ep_report_presets,
			"PRESET,PAPI_BR_PRC,DERIVED_SUB,BR_INST_RETIRED:COND,BR_MISP_RETIRED\n" },
		{ "spr-branch", ep_report_presets,
			"PRESET,PAPI_BR_TKN,NOT_DERIVED,BR_INST_RETIRED:COND_TAKEN\n" },
		{ "spr-branch", ep_report_presets,
			"# Conditional Branches Executed.: not definable by this CPU's events\n" },
		{ "readings-flops", ep_report_presets,
			"EVENT,EVCAL_INSTRS,DERIVED_POSTFIX,N0|4|*|3|/|,FP_INSTRS_TIMES_3_4\n" },
		{ "degenerate-one-repetition", ep_report_presets,
			"# Mispredicted Branches.: no coefficient is left after rounding\n" },
		{ "spr-dcache", ep_report_formula,
			"[metric l2_misses]\n"
			"expr = MEM_LOAD_RETIRED:L1_MISS - L2_RQSTS:DEMAND_DATA_RD_HIT\n"
			"level = 1\nkind = count\nabout = L2 Misses.\nerror = 0.00318" },
		{ "spr-cpu-flops", ep_report_formula,
			"note = Not definable by this CPU's events: SP FMA Instrs. (error 0.236, "
			"no chosen "
			"event separates " },
		{ "spr-dcache", ep_report_variability_svg, "threshold tau</text>" },
		{ "spr-dcache", ep_report_curves_svg, "MEM_LOAD_RETIRED:L3_HIT</text>" },
		{ "spr-dcache", ep_report_metrics_svg, "L2 Misses.</text>" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOFREE char *text = run_report(rows[i].report, rows[i].set);

		CHECK_MSG(strstr(text, rows[i].text), "row %zu: \"%s\" is not in:\n%s", i,
			rows[i].text, text);
	}
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

TEST(pictures_show_every_value)
{
	EP_AUTOFREE char *variability = run_report(ep_report_variability_svg, "spr-dcache");
	EP_AUTOFREE char *curves = run_report(ep_report_curves_svg, "spr-dcache");
	EP_AUTOFREE char *metrics = run_report(ep_report_metrics_svg, "spr-dcache");

	CHECK_INT(count(variability, "<circle"), 160 - 23); /* all but the zero events */
	CHECK_INT(count(curves, "<polyline"), 4);
	CHECK_INT(count(metrics, "<polyline"), 6);
	CHECK_INT(count(metrics, "<circle"), 6 * 24);
	CHECK_INT(count(metrics, "nan"), 0);
}

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

/* Everything the reference's results hold but what belongs to its own comparisons. */
TEST(json_has_the_reference_keys)
{
	static const char *const own[] = { "alternative_readings", "classes",
		"definable_same_in_all_readings", "chosen_same_set_in_all_readings" };
	EP_AUTOFREE char *golden_text = NULL;
	EP_AUTOFREE char *text = run_report(ep_report_json, "spr-branch");
	struct ep_error err;
	size_t size;

	CHECK_INT(
		ep_file_read(data_path("spr-branch", "/golden.json.gz"), &golden_text, &size, &err),
		0);
	struct json_object *golden = json_tokener_parse(golden_text),
			   *ours = json_tokener_parse(text);
	for (size_t i = 0; i < EP_ARRAY_SIZE(own); i++)
		json_object_object_del(golden, own[i]);
	json_object_object_foreach(golden, key, value)
		CHECK_MSG(json_object_is_type(get(ours, key), json_object_get_type(value)),
			"key %s is missing or of another type", key);
	CHECK(json_object_equal(get(ours, "status"), get(golden, "status")));
	CHECK(json_object_equal(get(ours, "chosen"), get(golden, "chosen")));
	CHECK(json_object_equal(get(ours, "definable"), get(golden, "definable")));
	CHECK(json_object_equal(get(ours, "counts"), get(golden, "counts")));
	CHECK_INT(json_object_object_length(get(ours, "variability")),
		json_object_object_length(get(golden, "variability")));
	json_object_put(golden);
	json_object_put(ours);
}

TEST(formula_files_are_what_the_reporter_reads_and_writes)
{
	static const struct {
		const char *set;
		uint32_t n_metrics;
	} rows[] = { { "spr-branch", 6 }, { "spr-cpu-flops", 4 }, { "spr-dcache", 6 },
		{ "mi250x-gpu-flops", 4 }, { "readings-flops", 1 },
		{ "degenerate-nothing-left", 0 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		EP_AUTOFREE char *text = run_report(ep_report_formula, rows[i].set);
		EP_AUTOFREE char *again = NULL;
		struct ep_formula_file file;
		struct ep_error err;
		size_t size;
		int rc = ep_formula_file_parse("x.formula", text, strlen(text), &file, &err);

		CHECK_MSG(!rc, "%s: %s: %s", rows[i].set, err.where, err.message);
		if (rc)
			continue;
		CHECK_INT(file.n_metrics, rows[i].n_metrics);
		FILE *out = open_memstream(&again, &size);
		CHECK_INT(ep_formula_file_write(&file, out), 0);
		fclose(out);
		CHECK_STR(again, text);
		ep_formula_file_finish(&file);
	}
}

TEST(slugs)
{
	char slug[32];

	ep_report_slug("SP FMA Instrs.", slug, sizeof(slug));
	CHECK_STR(slug, "sp_fma_instrs");
	ep_report_slug("..a--b", slug, sizeof(slug));
	CHECK_STR(slug, "a_b");
}

TEST(a_file_that_cannot_be_written_leaves_nothing)
{
	char folder[] = "/tmp/evprof-report-XXXXXX", path[64];
	struct subject subject;
	struct ep_error err;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/x.json", folder);
	mkdir(path, 0777); /* a folder stands in the way */
	open_subject(&subject, "spr-branch");
	CHECK(ep_output_report(path, ep_report_json, &subject.d, &err) < 0);
	CHECK_STR(err.where, path);
	close_subject(&subject);
	CHECK_INT(rmdir(path), 0);
	CHECK_INT(rmdir(folder), 0); /* fails when a temporary file was left */
}
