// SPDX-License-Identifier: BSD-3-Clause
/* view_text.c and view_json.c of advise: pages made here, of which each line is known. */
#include "tests/unit/test.h"

#include <json-c/json.h>

#include "common/cleanup.h"
#include "reporter/advise/advise_view.h"

static struct ep_remedy remedies[] = {
	{ .id = "sort-first",
		.category = "branches",
		.subcategory = "a",
		.text = "Sort first",
		.when = "Data is in no order",
		.before = "if (x[i])",
		.after = "",
		.gcc_flags = "-O3",
		.clang_flags = "-O3",
		.tags = "br-i",
		.origin = "" },
	{ .id = "no-branch",
		.category = "branches",
		.subcategory = "b",
		.text = "Use a mask",
		.when = "",
		.before = "",
		.after = "",
		.gcc_flags = "-O2",
		.clang_flags = "-O1",
		.tags = "br-i",
		.origin = "" },
};
static const struct ep_advice advice = { NULL, remedies, 2 };
static struct ep_report_row rows[] = {
	{ .name = "sort(int*, int)",
		.short_name = "sort",
		.module = "/bin/app",
		.self_share = 0.6,
		.self_ns = 600000000,
		.hot_file = "/src/sort.c",
		.hot_line = 12 },
	{ .name = "copy", .module = "/bin/app", .self_share = 0.3, .self_ns = 300000000 },
};
static struct ep_report report = { .trace_path = "trace.gz" };
static struct ep_assessment items[2];
static struct ep_assessments assessments;
static struct ep_advise_page page;

static void make_page(void)
{
	char root[4200];
	struct ep_error err;

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	memset(items, 0, sizeof(items));
	for (int i = 0; i < 2; i++) {
		items[i].row = &rows[i];
		items[i].overall = (struct ep_lcpi){ i ? 0.5 : 3, 0, 0, NULL };
		for (int s = 0; s < EP_N_SYMPTOMS; s++)
			items[i].symptoms[s] = items[i].remedied[s] = NAN;
		items[i].remedied[EP_SYMPTOM_BRANCHES] = 2;
		items[i].miss_ratio = items[i].mispredicted = NAN;
		for (int c = 0; c < EP_N_CATEGORIES; c++)
			items[i].categories[c] = (struct ep_lcpi){ 1, 0.25, 0, NULL };
	}
	items[0].categories[EP_CATEGORY_BRANCHES] = (struct ep_lcpi){ 2, NAN, 0, NULL };
	items[0].categories[EP_CATEGORY_FP] =
		(struct ep_lcpi){ NAN, NAN, EP_ABSENT_MISSING, "FAD_INS" };
	items[0].categories[EP_CATEGORY_DATA_TLB] =
		(struct ep_lcpi){ NAN, NAN, EP_ABSENT_DIV0, NULL };
	assessments = (struct ep_assessments){ .items = items, .n_items = 2, .threshold = 1.5 };
	CHECK_MSG(!ep_chosen_models_open(&assessments.models, "lcpi", NULL, "valgrind", &err), "%s",
		err.message);
	page = (struct ep_advise_page){ &report, &assessments, &advice, 3, { .width = 100 } };
}

/* The caller's to free. */
static char *print(int (*view)(const struct ep_advise_page *page, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(view(&page, out), 0);
	fclose(out);
	ep_chosen_models_close(&assessments.models);
	return text;
}

/* The value at keys and indexes with dots between; "none" where there is no such key. */
static const char *at(json_object *object, const char *keys)
{
	EP_AUTOFREE char *copy = strdup(keys);
	char *rest = copy, *key;

	while ((key = strsep(&rest, "."))) {
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, (size_t)atoi(key));
		else if (!json_object_object_get_ex(object, key, &object))
			return "none";
	}
	return object ? json_object_get_string(object) : "null";
}

TEST(json_says_what_is_not_known)
{
	static const struct {
		const char *keys, *value;
	} expected[] = {
		{ "trace", "trace.gz" },
		{ "good_cycles_per_instruction", "1.5" },
		{ "procedures.0.name", "sort(int*, int)" },
		{ "procedures.0.file", "/src/sort.c" },
		{ "procedures.0.line", "12" },
		{ "procedures.0.overall.standard_error", "0.0" },
		{ "procedures.0.overall.range", "okay" },
		{ "procedures.0.overall.missing", "none" },
		{ "procedures.0.categories.0.standard_error", "0.25" },
		/* an error that is not known is no number, and a count that is missing no 0 */
		{ "procedures.0.categories.3.standard_error", "null" },
		{ "procedures.0.categories.3.cycles_per_instruction", "2.0" },
		{ "procedures.0.categories.2.cycles_per_instruction", "null" },
		{ "procedures.0.categories.2.missing", "FAD_INS" },
		{ "procedures.0.categories.4.missing", "null" },
		{ "procedures.0.remedies.0.id", "sort-first" },
		{ "procedures.0.remedies.0.after", "null" },
		{ "procedures.0.remedies.1.clang_flags", "-O1" },
		{ "procedures.1.file", "null" },
		{ "procedures.1.line", "none" },
	};
	json_object *root, *list;
	char *text;

	make_page();
	text = print(ep_advise_print_json);
	root = json_tokener_parse(text);
	CHECK(root != NULL);
	for (size_t i = 0; i < EP_ARRAY_SIZE(expected); i++) {
		const char *value = at(root, expected[i].keys);

		CHECK_MSG(!strcmp(value, expected[i].value), "%s is %s, expected %s",
			expected[i].keys, value, expected[i].value);
	}
	/* what is fine needs no remedy */
	json_object_object_get_ex(
		json_object_array_get_idx(json_object_object_get(root, "procedures"), 1),
		"remedies", &list);
	CHECK_INT(json_object_array_length(list), 0);
	json_object_put(root);
	free(text);
}

TEST(times_of_callgrind_are_named)
{
	char *text;

	make_page();
	report.is_exact = true;
	text = print(ep_advise_print_text);
	CHECK(strstr(text, "  Time      callgrind's estimate of cycles, a cycle for a nanosecond"));
	free(text);
	report.is_exact = false;
	make_page();
	report.is_simulated = true; /* as of a region */
	text = print(ep_advise_print_text);
	CHECK(strstr(text, "  Time      the simulator's, many times what the program takes"));
	free(text);
	report.is_simulated = false;
}

TEST(text_has_a_line_for_each)
{
	static const char *const expected[] = {
		"evreport advise  trace.gz\n",
		"sort  60.0 % of the CPU time (600 ms), most of it at sort.c:12\n",
		"  floating-point instr      -         FAD_INS was not counted\n",
		"  data TLB                  -         not known\n",
		/* 1.5 is a range of ten cells */
		"  overall                3.00         >>>>>>>>>>>>>>>>>>>>\n",
		"  data accesses          1.00 +-0.50  >>>>>>>\n",
		"  branch instructions    2.00 +-?     >>>>>>>>>>>>>\n",
		"  1. Sort first\n     where  Data is in no order\n     before if (x[i])\n"
		"     gcc    -O3\n"
		"  2. Use a mask\n     gcc    -O2\n     clang  -O1\n",
		"copy  30.0 % of the CPU time (300 ms)\n",
		"  This is fine: 0.50 cycles an instruction, 1.50 count as good.",
	};
	char *text;

	make_page();
	text = print(ep_advise_print_text);
	for (size_t i = 0; i < EP_ARRAY_SIZE(expected); i++)
		CHECK_MSG(strstr(text, expected[i]), "no \"%s\" in:\n%s", expected[i], text);
	CHECK(!strstr(text, "after"));
	free(text);
}

TEST(few_samples_are_said_to_be)
{
	static const struct {
		uint64_t n_samples;
		bool is_said;
	} cases[] = { { 0, false }, { 13, true }, { 99, true }, { 100, false } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		report.n_samples = cases[i].n_samples;
		make_page();
		EP_AUTOFREE char *text = print(ep_advise_print_text);

		CHECK((strstr(text, "  Samples   only ") != NULL) == cases[i].is_said);
	}
	report.n_samples = 0;
}

TEST(as_many_remedies_as_asked_for)
{
	char *text;

	make_page();
	page.n_remedies = 1;
	text = print(ep_advise_print_text);
	CHECK(strstr(text, "1. Sort first") && !strstr(text, "2. Use a mask"));
	free(text);
	make_page();
	page.n_remedies = 0;
	text = print(ep_advise_print_text);
	CHECK(!strstr(text, "What to try") && !strstr(text, "Sort first"));
	free(text);
}

/* Where everything was counted throughout, there is no column for errors. */
static void forget_errors(void)
{
	for (int i = 0; i < 2; i++)
		for (int c = 0; c < EP_N_CATEGORIES; c++)
			items[i].categories[c].error = 0;
}

/* A bar that is longer than the line, or than any bar, ends in a plus. */
TEST(long_bars_are_cut)
{
	char *text;

	make_page();
	forget_errors();
	items[0].overall.value = 7.5; /* fifty cells: as long as a bar can be */
	text = print(ep_advise_print_text);
	CHECK(strstr(text, "  overall                7.50  "
			   ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>\n"));
	free(text);
	make_page();
	forget_errors();
	items[0].overall.value = 20;
	text = print(ep_advise_print_text);
	CHECK(strstr(text, "  overall               20.00  "
			   ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>+\n"));
	free(text);
	make_page();
	forget_errors();
	page.options.width = 45;
	text = print(ep_advise_print_text);
	CHECK(strstr(text, "  overall                3.00  >>>>>>>>>>>>>+\n"));
	free(text);
}

/* The second run's is the first's, with a count less, and its copy is mixed. */
TEST(two_runs_share_a_bar_where_both_are_known)
{
	static const char *const lines[] = {
		"\n  Run 1     trace.gz: -, 0 s\n  Run 2     later.gz: -, 0 s\n",
		"\nsort  60.0 % and 60.0 % of the CPU time (600 ms and 600 ms)\n",
		"  overall                3.00          2.25         >>>>>>>>>>>>>>>11111\n",
		"  data accesses          1.00 +-0.50   2.50 +-0.50  >>>>>>>2222222222\n",
		"  instruction accesses   1.00 +-0.50      -         L1_ICA was not counted (run 2)\n",
		"  floating-point instr      -          1.00 +-0.50  FAD_INS was not counted (run 1)\n",
		"  branch instructions    2.00 +-?      2.00 +-?     >>>>>>>>>>>>>\n",
		"  What to try for run 1, the most promising first\n",
		"\ncopy  30.0 % of the CPU time of run 1 (300 ms)\n",
		"  This is fine in run 1: 0.50 cycles an instruction",
		"\ncopy  30.0 % of the CPU time of run 2 (300 ms)\n  Its counts are mixed",
	};
	struct ep_report later = { .trace_path = "later.gz" };
	struct ep_assessment others[2];
	struct ep_assessments second;
	struct ep_section rows_of_both[] = { { { &items[0], &others[0] } },
		{ { &items[1], &others[1] } } };
	struct ep_sections sections = { rows_of_both, 2 };
	struct ep_advise_page other;
	char *text;

	make_page();
	memcpy(others, items, sizeof(others));
	others[0].overall.value = 2.25;
	others[0].categories[EP_CATEGORY_DATA].value = 2.5;
	others[0].categories[EP_CATEGORY_CODE] =
		(struct ep_lcpi){ NAN, NAN, EP_ABSENT_MISSING, "L1_ICA" };
	others[0].categories[EP_CATEGORY_FP] = (struct ep_lcpi){ 1, 0.25, 0, NULL };
	others[1].is_mixed = true;
	second = assessments;
	second.items = others;
	other = page;
	other.report = &later;
	other.assessments = &second;
	page.second = &other;
	page.sections = &sections;
	text = print(ep_advise_print_text);
	for (size_t i = 0; i < EP_ARRAY_SIZE(lines); i++)
		CHECK_MSG(strstr(text, lines[i]), "no \"%s\" in\n%s", lines[i], text);
	free(text);
}
