// SPDX-License-Identifier: BSD-3-Clause
/* Verdicts of evcal check in a formula file: what may be believed, and how it is said. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "common/formula/trust.h"
#include "reporter/formula/formula_view.h"

static const char text[] =
	"evprof-formula 1\n\n[model]\nname = test\n\n"
	"[metric late]\nexpr = middle + 1\nverdict = not tested: X: not measured\n\n"
	"[metric middle]\nexpr = 2 * wrong\n\n"
	"[metric wrong]\nexpr = A\nlevel = 1\nverdict = contradicted: branch: off by 0.5\n\n"
	"[metric repaired]\nexpr = wrong / 2\nverdict = confirmed: branch: within 0\n\n"
	"[metric behind_repaired]\nexpr = repaired * 2\n\n"
	"[metric other]\nexpr = B\n\n"
	"[metric quiet]\nexpr = B\nverdict = not tested: B: not measured\n\n"
	"[metric ring]\nexpr = ring + B\n\n"
	"[metric odd]\nexpr = B\nverdict = maybe\n\n"
	"[metric absent]\nexpr = C\nverdict = contradicted: by C\n";

static const struct {
	const char *name;
	enum ep_trust trust;
	const char *leans_on;
} expected[] = {
	{ "late", EP_TRUST_LEANS, "wrong" },
	{ "middle", EP_TRUST_LEANS, "wrong" },
	{ "wrong", EP_TRUST_CONTRADICTED, NULL },
	{ "repaired", EP_TRUST_CONFIRMED, NULL },
	{ "behind_repaired", EP_TRUST_UNCHECKED, NULL },
	{ "other", EP_TRUST_UNCHECKED, NULL },
	{ "quiet", EP_TRUST_NOT_TESTED, NULL },
	{ "ring", EP_TRUST_UNCHECKED, NULL },
	{ "odd", EP_TRUST_UNCHECKED, NULL },
	{ "absent", EP_TRUST_CONTRADICTED, NULL },
};

static void read_text(struct ep_formula_file *out)
{
	struct ep_error err = { 0 };

	CHECK_MSG(!ep_formula_file_parse("test.formula", text, sizeof(text) - 1, out, &err), "%s",
		err.message);
}

TEST(doubt_spreads_to_what_names_the_metric)
{
	struct ep_metric_trust trusts[EP_ARRAY_SIZE(expected)];
	struct ep_formula_file file = { 0 };

	read_text(&file);
	CHECK_INT(file.n_metrics, EP_ARRAY_SIZE(expected));
	ep_trust_judge(&file, trusts);
	for (size_t i = 0; i < EP_ARRAY_SIZE(expected); i++) {
		const struct ep_formula_metric *source = trusts[i].leans_on;

		CHECK_STR(file.metrics[i].name, expected[i].name);
		CHECK_MSG(trusts[i].trust == expected[i].trust, "%s is %d", expected[i].name,
			(int)trusts[i].trust);
		CHECK_STR(source ? source->name : "none",
			expected[i].leans_on ? expected[i].leans_on : "none");
	}
	ep_formula_file_finish(&file);
}

/* A = 3, B = 4, C not measured, in one of the views; allocated. */
static char *print_view(const char *name, bool shows_details)
{
	static const struct ep_measured three = { 3, 0, 1, 1, true }, four = { 4, 0, 1, 1, true };
	struct ep_metric_value metrics[EP_ARRAY_SIZE(expected)];
	struct ep_formula_file file = { 0 };
	struct ep_values values = { 0 };
	struct ep_model *model = NULL;
	struct ep_error err = { 0 };
	char *printed = NULL;
	size_t size;

	read_text(&file);
	CHECK_INT(ep_model_create(&file, NULL, NULL, &model, &err), 0);
	CHECK_INT(ep_values_set(&values, "A", three) | ep_values_set(&values, "B", four), 0);
	CHECK_INT(ep_model_eval(model, &values, metrics, NULL), 0);
	struct ep_scope_view view = {
		.model = model, .metrics = metrics, .shows_details = shows_details
	};
	FILE *out = open_memstream(&printed, &size);
	CHECK_INT(ep_view_find(name)->print(&view, 1, out), 0);
	fclose(out);
	ep_values_finish(&values);
	ep_model_destroy(model);
	return printed;
}

#define HAS(printed, words)                                                                        \
	CHECK_MSG(strstr(printed, words) != NULL, "no '%s' in:\n%s", words, printed)
#define LACKS(printed, words) CHECK_MSG(!strstr(printed, words), "'%s' in:\n%s", words, printed)

TEST(the_tree_warns_of_values_that_are_there)
{
	EP_AUTOFREE char *printed = print_view("tree", false);

	HAS(printed, "3  [contradicted: see below]\n");
	HAS(printed, "! wrong is not to be relied on: contradicted: branch: off by 0.5\n");
	HAS(printed, "! middle uses wrong, which a calibration contradicts\n");
	HAS(printed, "! late uses wrong, which a calibration contradicts\n");
	LACKS(printed, "! absent");
	LACKS(printed, "! repaired");
	LACKS(printed, "not tested");
	LACKS(printed, "confirmed");
}

TEST(details_say_what_was_not_tested)
{
	EP_AUTOFREE char *printed = print_view("tree", true);

	HAS(printed, "(not tested: B: not measured)\n");
	HAS(printed, "(confirmed: branch: within 0)\n");
	HAS(printed, "(not checked by evcal check)\n");
}

TEST(programs_get_the_verdict_beside_the_value)
{
	EP_AUTOFREE char *csv = print_view("csv", false);
	EP_AUTOFREE char *json = print_view("json", false);

	HAS(csv, ",base,unit,verdict\n");
	HAS(csv, ",wrong,3,0,1,ok,,,contradicted\n");
	HAS(csv, ",middle,6,0,1,ok,,,leans on contradicted\n");
	HAS(csv, ",quiet,4,0,1,ok,,,not tested\n");
	HAS(csv, ",other,4,0,1,ok,,,\n");
	HAS(json, "\"leans_on\":\"wrong\"");
	HAS(json, "\"verdict\":\"contradicted\"");
	HAS(json, "\"verdict_text\":\"not tested: B: not measured\"");
}
