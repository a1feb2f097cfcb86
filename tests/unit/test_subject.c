// SPDX-License-Identifier: BSD-3-Clause
/* Subjects of evreport explain, on the shipped models and remedies. */
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "reporter/advise/subject.h"

static struct ep_chosen_models chosen;
static struct ep_advice advice;

static struct ep_model *open_model(const char *name, const char *cpu)
{
	char root[4200];
	struct ep_error err = { 0 };

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	CHECK_MSG(!ep_chosen_models_open(&chosen, name, cpu, NULL, &err), "%s", err.message);
	CHECK_MSG(!ep_advice_read_shipped(&advice, &err), "%s", err.message);
	return chosen.models[0];
}

static void close_model(void)
{
	ep_chosen_models_close(&chosen);
	ep_advice_finish(&advice);
}

TEST(names_are_found_however_they_are_spelled)
{
	static const struct {
		const char *name;
		int category;
	} rows[] = {
		{ "data accesses", EP_CATEGORY_DATA },
		{ "Data_Accesses", EP_CATEGORY_DATA },
		{ "floating-point instr", EP_CATEGORY_FP },
		{ "floating-point instructions", EP_CATEGORY_FP },
		{ "branch instructions", EP_CATEGORY_BRANCHES },
		{ "DATA TLB", EP_CATEGORY_DATA_TLB },
		{ "data", -1 },
		{ "data TLBs", -1 },
		{ "data_accesses.memory", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++)
		CHECK_INT(ep_subject_find_category(rows[i].name), rows[i].category);
	CHECK(ep_subject_is_named("Memory_Bound", "memory bound"));
	CHECK(!ep_subject_is_named("Memory_Bound", "Memory_Boun"));
	CHECK(!ep_subject_is_named("Memory_Bound", "Memory_Bounds"));
}

TEST(a_third_level_counts_where_the_cpu_has_one)
{
	struct ep_model *model = open_model("lcpi", "skx");

	CHECK(!strcmp(ep_subject_category_metric(EP_CATEGORY_DATA, model), "data_accesses_L3"));
	close_model();
	model = open_model("lcpi", "valgrind");
	CHECK(!strcmp(ep_subject_category_metric(EP_CATEGORY_DATA, model), "data_accesses"));
	close_model();
	model = open_model("topdown", "skx");
	CHECK(!ep_subject_category_metric(EP_CATEGORY_DATA, model));
	close_model();
}

TEST(a_category_has_all_of_its_remedies)
{
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	uint32_t n = 0;

	open_model("lcpi", "skx");
	for (int i = 0; i < EP_N_CATEGORIES; i++) {
		uint32_t n_own =
			ep_subject_category_remedies((enum ep_category)i, &advice, remedies);

		CHECK_MSG(n_own >= 5, "%s has %u", ep_category_name((enum ep_category)i), n_own);
		n += n_own;
	}
	CHECK_INT(n, advice.n_remedies);
	close_model();
}

/* Each remedy of a metric has the tag, and each with the tag is among them. */
static void check_tag(struct ep_model *model, const char *metric, const char *tag)
{
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	uint32_t n = ep_subject_metric_remedies(model, metric, &advice, remedies), n_tagged = 0;

	for (uint32_t i = 0; i < advice.n_remedies; i++)
		n_tagged += strstr(advice.remedies[i].tags, tag) != NULL;
	CHECK_MSG(n > 0 && n == n_tagged, "%s: %u, and %u have %s", metric, n, n_tagged, tag);
	for (uint32_t i = 0; i < n; i++)
		CHECK_MSG(
			strstr(remedies[i]->tags, tag) != NULL, "%s: %s", metric, remedies[i]->id);
}

TEST(remedies_are_for_what_the_metric_tells_of)
{
	const struct ep_remedy *remedies[EP_REMEDIES_MOST];
	struct ep_model *model = open_model("lcpi", "skx");

	check_tag(model, "data_accesses.memory", "d-mem");
	check_tag(model, "branches", "br-i");
	check_tag(model, "branches.mispredicted", "br-i"); /* from the metric above */
	check_tag(model, "instruction_TLB", "i-tlb");
	check_tag(model, "floating_point", "fpt-");
	CHECK(ep_subject_metric_remedies(model, "data_accesses_L3", &advice, remedies) ==
		ep_subject_metric_remedies(model, "data_accesses", &advice, remedies));
	CHECK_INT(ep_subject_metric_remedies(model, "overall", &advice, remedies), 0);
	close_model();
	model = open_model("topdown", "skx");
	check_tag(model, "Branch_Mispredicts", "br-i");
	/* known, and nothing helps: not what helps the metric above */
	CHECK_INT(ep_subject_metric_remedies(model, "Machine_Clears", &advice, remedies), 0);
	CHECK_INT(ep_subject_metric_remedies(model, "Retiring", &advice, remedies), 0);
	close_model();
}
