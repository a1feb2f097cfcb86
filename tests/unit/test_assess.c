// SPDX-License-Identifier: BSD-3-Clause
/* From a report to LCPI per procedure, and to the largest loss of a Top-Down tree. */
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "reporter/advise/advice.h"
#include "reporter/advise/assess.h"
#include "reporter/advise/topdown.h"

#define EXACT(v)                                                                                   \
	{                                                                                          \
		.count = { .value = (v), .state = EP_QUANTITY_KNOWN }, .measured_share = 1         \
	}

enum { N_SIMULATED = 13, N_SLOTS = 6 };

/* valgrind's events, with the counts of a program. */
static struct ep_report_event simulated[N_SIMULATED] = {
	{ .name = "instructions", .total = EXACT(3000) },
	{ .name = "L1-dcache-loads", .total = EXACT(900) },
	{ .name = "L1-dcache-stores", .total = EXACT(300) },
	{ .name = "L1-icache-load-misses", .total = EXACT(0) },
	{ .name = "L1-dcache-load-misses", .total = EXACT(60) },
	{ .name = "L1-dcache-store-misses", .total = EXACT(0) },
	{ .name = "LLC-icache-misses", .total = EXACT(0) },
	{ .name = "LLC-load-misses", .total = EXACT(30) },
	{ .name = "LLC-store-misses", .total = EXACT(0) },
	{ .name = "conditional-branches", .total = EXACT(100) },
	{ .name = "conditional-branch-misses", .total = EXACT(50) },
	{ .name = "indirect-branches", .total = EXACT(0) },
	{ .name = "indirect-branch-misses", .total = EXACT(0) },
};
static struct ep_report_value of_gather[N_SIMULATED] = { EXACT(1000), EXACT(400), EXACT(0),
	EXACT(0), EXACT(50), EXACT(0), EXACT(0), EXACT(25), EXACT(0), EXACT(10), EXACT(0), EXACT(0),
	EXACT(0) };
static struct ep_report_value of_sort[N_SIMULATED] = { EXACT(1000), EXACT(100), EXACT(0), EXACT(0),
	EXACT(0), EXACT(0), EXACT(0), EXACT(0), EXACT(0), EXACT(200), EXACT(100), EXACT(0),
	EXACT(0) };
static struct ep_report_row rows[] = {
	{ .name = "gather", .self_share = 0.6, .self_ns = 600, .values = of_gather },
	{ .name = "sort", .self_share = 0.35, .self_ns = 350, .values = of_sort },
	{ .name = "rest", .self_share = 0.05, .self_ns = 50, .values = of_sort },
};
static const struct ep_report simulated_report = {
	.command = "app",
	.duration_s = 1,
	.n_cpus = 4,
	.cpu_ns = 1000,
	.events = simulated,
	.n_events = N_SIMULATED,
	.procedures = { .rows = rows, .n_rows = 3, .n_shown = 3 },
};

static void use_shipped_formulas(void)
{
	static char root[4200];

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
}

TEST(each_hot_procedure_has_its_categories)
{
	struct ep_assessments got = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	CHECK_MSG(!ep_assess(&simulated_report, "valgrind", 0.1, &got, &err), "%s", err.message);
	CHECK_INT(got.n_items, 2); /* the third has 5 % */
	CHECK_CLOSE(got.threshold, 1.5, 0);

	const struct ep_assessment *gather = &got.items[0], *sort = &got.items[1];
	CHECK_STR(gather->row->name, "gather");
	/* (1000 + 10 * 50 + 100 * 25) / 1000 */
	CHECK_CLOSE(gather->overall.value, 4, 1e-12);
	/* (400 * 1 + 50 * 10 + 25 * 100) / 1000 */
	CHECK_CLOSE(gather->categories[EP_CATEGORY_DATA].value, 3.4, 1e-12);
	CHECK_CLOSE(gather->symptoms[EP_SYMPTOM_L1_DATA], 0.4, 1e-12);
	CHECK_CLOSE(gather->symptoms[EP_SYMPTOM_L2_DATA], 0.5, 1e-12);
	CHECK_CLOSE(gather->symptoms[EP_SYMPTOM_MEMORY], 2.5, 1e-12);
	CHECK_CLOSE(gather->miss_ratio, 50.0 / 400, 1e-12);
	CHECK_INT(ep_assessment_worst(gather), EP_CATEGORY_DATA);
	CHECK(gather->categories[EP_CATEGORY_FP].absence == EP_ABSENT_MISSING);
	CHECK(isnan(gather->symptoms[EP_SYMPTOM_DATA_TLB]));
	CHECK_INT(ep_assessment_worst(sort), EP_CATEGORY_BRANCHES);
	CHECK_CLOSE(sort->categories[EP_CATEGORY_BRANCHES].value, (200 + 100 * 10) / 1000.0, 1e-12);
	ep_assessments_finish(&got);
}

TEST(without_the_events_there_is_no_assessment)
{
	static struct ep_report_value missing[N_SIMULATED];
	struct ep_report_row bare = { .name = "f", .self_share = 1, .values = missing };
	struct ep_report report = simulated_report;
	struct ep_assessments got = { 0 };
	struct ep_error err;

	use_shipped_formulas();
	for (int i = 0; i < N_SIMULATED; i++)
		missing[i].count = ep_quantity_unknown(NULL);
	report.procedures = (struct ep_report_table){ .rows = &bare, .n_rows = 1, .n_shown = 1 };
	CHECK_INT(ep_assess(&report, "valgrind", 0.1, &got, &err), -ENODATA);
	CHECK_INT(ep_assess(&report, "NoSuchCPU-1-2-3", 0.1, &got, &err), -ENOENT);
	CHECK_INT(ep_assess(&simulated_report, "valgrind", 0.9, &got, &err), -ERANGE);
	CHECK_INT(ep_assess(&report, "valgrind", 1.1, &got, &err), -ENODATA);
}

/* One count that may be another procedure's is enough: nothing is concluded of the procedure, while the other
 * keeps what it has. */
TEST(mixed_counts_give_no_conclusion)
{
	struct ep_assessments got = { 0 };
	struct ep_error err;

	use_shipped_formulas();
	for (int i = 0; i < N_SIMULATED; i++) {
		of_gather[i].is_mixed = true;
		CHECK_INT(ep_assess(&simulated_report, "valgrind", 0.1, &got, &err), 0);
		CHECK_INT(got.n_items, 2);
		CHECK(got.items[0].is_mixed);
		CHECK_INT(got.items[0].loss.n_levels, 0);
		CHECK(!got.items[1].is_mixed);
		CHECK_INT(ep_assessment_worst(&got.items[1]), EP_CATEGORY_BRANCHES);
		ep_assessments_finish(&got);
		of_gather[i].is_mixed = false;
	}
}

/* ---- Top-Down: Skylake's first level ---- */

/* ---- a Skylake's LCPI ---- */

enum { N_COUNTED = 10 };

static struct ep_report_event counted[N_COUNTED] = {
	{ .name = "INST_RETIRED:ANY_P", .total = EXACT(4000) },
	{ .name = "CPU_CLK_THREAD_UNHALTED:THREAD_P", .total = EXACT(250000) },
	{ .name = "MEM_INST_RETIRED:ALL_LOADS", .total = EXACT(2000) },
	{ .name = "MEM_INST_RETIRED:ALL_STORES", .total = EXACT(0) },
	{ .name = "L2_RQSTS:ALL_DEMAND_DATA_RD", .total = EXACT(2000) },
	{ .name = "L2_RQSTS:ALL_RFO", .total = EXACT(0) },
	{ .name = "MEM_LOAD_RETIRED:L3_HIT", .total = EXACT(0) },
	{ .name = "MEM_LOAD_RETIRED:L3_MISS", .total = EXACT(2000) },
	{ .name = "BR_INST_RETIRED:ALL_BRANCHES", .total = EXACT(400) },
	{ .name = "BR_MISP_RETIRED:ALL_BRANCHES", .total = EXACT(4) },
};

/* 500 loads of 1000 instructions come from memory, one after the other: 120 cycles an instruction. */
static struct ep_report_value of_chase[N_COUNTED] = { EXACT(1000), EXACT(120000), EXACT(500),
	EXACT(0), EXACT(500), EXACT(0), EXACT(0), EXACT(500), EXACT(100), EXACT(1) };
static struct ep_report_value of_stride[N_COUNTED] = { EXACT(1000), EXACT(20000), EXACT(500),
	EXACT(0), EXACT(500), EXACT(0), EXACT(0), EXACT(500), EXACT(100), EXACT(1) };
/* More wrong predictions than branches. */
static struct ep_report_value of_impossible[N_COUNTED] = { EXACT(1000), EXACT(20000), EXACT(500),
	EXACT(0), EXACT(500), EXACT(0), EXACT(0), EXACT(500), EXACT(100), EXACT(300) };
static struct ep_report_row counted_rows[] = {
	{ .name = "chase", .self_share = 0.5, .self_ns = 500, .values = of_chase },
	{ .name = "stride", .self_share = 0.3, .self_ns = 300, .values = of_stride },
	{ .name = "impossible", .self_share = 0.2, .self_ns = 200, .values = of_impossible },
};
static const struct ep_report counted_report = {
	.command = "app",
	.duration_s = 1,
	.n_cpus = 4,
	.cpu_ns = 1000,
	.events = counted,
	.n_events = N_COUNTED,
	.procedures = { .rows = counted_rows, .n_rows = 3, .n_shown = 3 },
};

/* The source is not at hand: the cycles tell that no load overlapped another. */
TEST(a_chase_of_pointers_is_known_by_its_cycles)
{
	__attribute__((cleanup(ep_advice_finish))) struct ep_advice advice = { 0 };
	const struct ep_remedy *remedy = NULL;
	struct ep_report simulated_too = counted_report;
	struct ep_assessments got = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	CHECK_INT(ep_advice_read_shipped(&advice, &err), 0);
	CHECK_MSG(!ep_assess(&counted_report, "GenuineIntel-6-55-7", 0.1, &got, &err), "%s",
		err.message);
	CHECK_INT(got.n_items, 3);
	CHECK_CLOSE(got.items[0].categories[EP_CATEGORY_DATA].value, 0.5 * (5 + 14 + 70 + 250), 1);
	CHECK_INT(got.items[0].access, EP_ACCESS_LINKED);
	CHECK_INT(got.items[1].access, EP_ACCESS_UNKNOWN);
	for (int i = 0; i < 2; i++) {
		struct ep_advice_case of = ep_assessment_case(&got.items[i], &counted_report);

		CHECK_INT(ep_advice_choose(&advice, &of, 1, &remedy), 1);
		CHECK_MSG((strstr(remedy->tags, "linked") != NULL) == (i == 0) &&
				  (strstr(remedy->text, "Interchange") != NULL) == (i == 1),
			"%s: %s", got.items[i].row->name, remedy->text);
	}
	ep_assessments_finish(&got);

	/* a simulator's cycles are the sum of all latencies */
	simulated_too.is_simulated = true;
	CHECK_INT(ep_assess(&simulated_too, "GenuineIntel-6-55-7", 0.1, &got, &err), 0);
	CHECK_INT(got.items[0].access, EP_ACCESS_UNKNOWN);
	ep_assessments_finish(&got);
}

/* By the code alone a step that a variable tells may be one element. */
TEST(variable_steps_are_strides_by_their_misses)
{
	struct ep_report report = counted_report;
	struct ep_report_row row = counted_rows[1];
	struct ep_assessments got = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	row.access = EP_ACCESS_VARIABLE;
	report.procedures = (struct ep_report_table){ .rows = &row, .n_rows = 1, .n_shown = 1 };
	CHECK_INT(ep_assess(&report, "GenuineIntel-6-55-7", 0.1, &got, &err), 0);
	CHECK(got.items[0].miss_ratio > EP_STRIDED_MISS_RATIO);
	CHECK_INT(got.items[0].access, EP_ACCESS_STRIDED);
	ep_assessments_finish(&got);
	row.access = EP_ACCESS_CONTIGUOUS;
	CHECK_INT(ep_assess(&report, "GenuineIntel-6-55-7", 0.1, &got, &err), 0);
	CHECK_INT(got.items[0].access, EP_ACCESS_CONTIGUOUS);
	ep_assessments_finish(&got);
}

TEST(parameters_are_the_users)
{
	static const struct {
		const char *parameters[3];
		int rc;
		double data; /* cycles an instruction of chase at most */
	} cases[] = {
		{ { NULL }, 0, 0.5 * (5 + 14 + 70 + 250) },
		{ { "mem_lat=500" }, 0, 0.5 * (5 + 14 + 70 + 500) },
		{ { "mem_lat=500", "L1_dlat=1e1" }, 0, 0.5 * (10 + 14 + 70 + 500) },
		{ { "mem_latency=500" }, -EINVAL, 0 },
		{ { "mem_lat=much" }, -EINVAL, 0 },
		{ { "mem_lat=" }, -EINVAL, 0 },
		{ { "=500" }, -EINVAL, 0 },
	};

	use_shipped_formulas();
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_assess_question question = { .report = &counted_report,
			.cpuid = "GenuineIntel-6-55-7",
			.min_share = 0.1,
			.parameters = cases[i].parameters };
		struct ep_assessments got = { 0 };
		struct ep_error err = { .message = "" };

		CHECK_INT(ep_assess_places(&question, &got, &err), cases[i].rc);
		if (cases[i].rc)
			CHECK_MSG(strstr(err.message, cases[i].parameters[0]) != NULL, "%s",
				err.message);
		else
			CHECK_CLOSE(got.items[0].categories[EP_CATEGORY_DATA].value, cases[i].data,
				1e-9);
		ep_assessments_finish(&got);
	}
}

TEST(counts_that_cannot_be_have_no_bar_and_no_remedy)
{
	struct ep_assessments got = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	CHECK_MSG(!ep_assess(&counted_report, "GenuineIntel-6-55-7", 0.1, &got, &err), "%s",
		err.message);
	const struct ep_assessment *impossible = &got.items[2], *chase = &got.items[0];
	const struct ep_lcpi *branches = &impossible->categories[EP_CATEGORY_BRANCHES];

	CHECK(branches->absence && branches->broken);
	CHECK_STR(branches->broken ? branches->broken->name : "", "Mispredictions within branches");
	CHECK(isnan(impossible->symptoms[EP_SYMPTOM_BRANCHES]));
	CHECK_INT(ep_assessment_worst(impossible), EP_CATEGORY_DATA);
	CHECK(!impossible->categories[EP_CATEGORY_DATA].broken);
	CHECK_CLOSE(chase->categories[EP_CATEGORY_BRANCHES].value, 0.1 + 0.001 * 20, 1e-9);
	ep_assessments_finish(&got);
}

static struct ep_report_event slots[N_SLOTS] = {
	{ .name = "CPU_CLK_THREAD_UNHALTED:THREAD_P", .total = EXACT(1000) },
	{ .name = "INST_RETIRED:ANY_P", .total = EXACT(2000) },
	{ .name = "IDQ_UOPS_NOT_DELIVERED:CORE", .total = EXACT(1600) },
	{ .name = "INT_MISC:RECOVERY_CYCLES", .total = EXACT(50) },
	{ .name = "UOPS_RETIRED:RETIRE_SLOTS", .total = EXACT(1200) },
	{ .name = "UOPS_ISSUED:ANY", .total = EXACT(1400) },
};
static struct ep_report_value of_decode[N_SLOTS] = { EXACT(600), EXACT(1000), EXACT(1500),
	EXACT(40), EXACT(500), EXACT(600) };
static struct ep_report_value of_work[N_SLOTS] = { EXACT(400), EXACT(1000), EXACT(100), EXACT(10),
	EXACT(700), EXACT(800) };
static struct ep_report_row slot_rows[] = {
	{ .name = "work", .self_share = 0.6, .self_ns = 600, .values = of_work },
	{ .name = "decode", .self_share = 0.4, .self_ns = 400, .values = of_decode },
};
static struct ep_report slot_report = {
	.command = "app",
	.duration_s = 1,
	.n_cpus = 4,
	.cpu_ns = 1000,
	.events = slots,
	.n_events = N_SLOTS,
	.procedures = { .rows = slot_rows, .n_rows = 2, .n_shown = 2 },
};

TEST(the_largest_loss_and_who_has_it)
{
	struct ep_chosen_models models = { 0 };
	struct ep_loss_path path;

	use_shipped_formulas();
	CHECK_INT(ep_topdown_find_loss(&slot_report, "GenuineIntel-6-55-7", &models, &path), 0);
	CHECK_INT(path.n_levels, 1);
	CHECK_STR(path.levels[0]->name, "Frontend_Bound");
	CHECK_CLOSE(path.share, 1600 / 4000.0, 1e-12);
	CHECK_STR(path.row ? path.row->name : "", "decode"); /* not the one with most time */
	CHECK_CLOSE(path.row_share, 1500 / 1600.0, 1e-12);
	ep_chosen_models_close(&models);
}

/* LCPI's events were not counted: what Top-Down measured of each procedure is enough. */
TEST(remedies_are_for_what_top_down_measured)
{
	struct ep_assessments got = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	CHECK_MSG(!ep_assess(&slot_report, "GenuineIntel-6-55-7", 0.1, &got, &err), "%s",
		err.message);
	CHECK_INT(got.n_items, 2);
	const struct ep_assessment *decode = &got.items[1];

	CHECK_STR(decode->row->name, "decode");
	CHECK_INT(decode->loss.n_levels, 1);
	CHECK_STR(decode->loss.levels[0]->name, "Frontend_Bound");
	CHECK_CLOSE(decode->loss.share, 1500 / 2400.0, 1e-12);
	CHECK(decode->remedied[EP_SYMPTOM_CODE] == 1);
	CHECK(isnan(decode->remedied[EP_SYMPTOM_MEMORY]));
	CHECK_INT(ep_assessment_worst(decode), -1);
	ep_assessments_finish(&got);
}

TEST(no_loss_is_named_that_does_not_stand_out)
{
	struct ep_chosen_models models = { 0 };
	struct ep_loss_path path;

	use_shipped_formulas();
	slots[2].total = (struct ep_report_value){
		.count = ep_quantity_exact(1600), .is_estimate = true, .measured_share = 0.3
	};
	slots[2].error = ep_quantity_exact(600); /* its interval reaches the others' */
	CHECK_INT(ep_topdown_find_loss(&slot_report, "GenuineIntel-6-55-7", &models, &path), 0);
	CHECK_INT(path.n_levels, 0);
	ep_chosen_models_close(&models);
	slots[2].error = ep_quantity_unknown(NULL); /* not known: it may be anything */
	CHECK_INT(ep_topdown_find_loss(&slot_report, "GenuineIntel-6-55-7", &models, &path), 0);
	CHECK_INT(path.n_levels, 0);
	ep_chosen_models_close(&models);
	for (int i = 1; i < N_SLOTS; i++)
		slots[i].total = (struct ep_report_value)EXACT(0); /* a PMU that fills nothing */
	CHECK_INT(ep_topdown_find_loss(&slot_report, "GenuineIntel-6-55-7", &models, &path), 0);
	CHECK_INT(path.n_levels, 0);
	ep_chosen_models_close(&models);
	CHECK_INT(ep_topdown_find_loss(&slot_report, "NoSuchCPU-1-2-3", &models, &path), 0);
	CHECK_INT(path.n_levels, 0);
	ep_chosen_models_close(&models);
}
/* A loop has counts of its own, and a depth that its remedies are chosen by. */
TEST(loops_instead_of_procedures)
{
	static struct ep_report_row loops[] = {
		{ .name = "loop at sort.c:3 in sort",
			.depth = 2,
			.self_share = 0.3,
			.values = of_sort },
		{ .name = "loop at fem.c:9 in gather",
			.depth = 1,
			.self_share = 0.2,
			.values = of_gather },
		{ .name = "gather, outside loops", .self_share = 0.02, .values = of_gather },
	};
	struct ep_report report = simulated_report;
	struct ep_assess_question question = { &report, "valgrind", 0.1, true };
	struct ep_assessments got = { 0 };
	struct ep_error err = { 0 };

	use_shipped_formulas();
	report.loops = (struct ep_report_table){ .rows = loops, .n_rows = 3, .n_shown = 3 };
	CHECK_MSG(!ep_assess_places(&question, &got, &err), "%s", err.message);
	CHECK_INT(got.n_items, 2);
	CHECK_STR(got.items[1].row->name, "loop at fem.c:9 in gather");
	CHECK_CLOSE(got.items[1].overall.value, 4, 1e-12);
	CHECK_INT(ep_assessment_case(&got.items[0], &report).depth, 2);
	ep_assessments_finish(&got);
	question.by_loop = false;
	CHECK_INT(ep_assess_places(&question, &got, &err), 0);
	CHECK_INT(ep_assessment_case(&got.items[0], &report).depth, 0);
	ep_assessments_finish(&got);
}
