// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/advise/advice.h"

static struct ep_advice advice;

static void read_shipped(void)
{
	struct ep_error err = { 0 };
	char path[4200];

	snprintf(path, sizeof(path), "%s/formulas/advice/remedies.tsv",
		getenv("EVPROF_SOURCE_ROOT"));
	CHECK_MSG(!ep_advice_read(path, &advice, &err), "%s: %s", err.where, err.message);
}

static void set_cycles(double cycles[EP_N_SYMPTOMS], enum ep_symptom most, double value)
{
	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		cycles[i] = 0.01;
	cycles[most] = value;
}

TEST(the_shipped_remedies_are_whole)
{
	read_shipped();
	CHECK(advice.n_remedies >= 80);
	for (uint32_t i = 0; i < advice.n_remedies; i++) {
		const struct ep_remedy *r = &advice.remedies[i];

		CHECK_MSG(*r->id && *r->category && *r->subcategory && *r->text && *r->when &&
				  *r->tags,
			"row %u", i + 2);
		for (uint32_t k = 0; k < i; k++)
			CHECK_MSG(strcmp(advice.remedies[k].id, r->id) != 0, "%s twice", r->id);
	}
	ep_advice_finish(&advice);
}

/* For each symptom alone, what comes first is made for it. */
TEST(the_worst_symptom_decides)
{
	static const struct {
		enum ep_symptom symptom;
		const char *tag, *category;
	} rows[] = {
		{ EP_SYMPTOM_MEMORY, "d-mem", "data accesses" },
		{ EP_SYMPTOM_DATA_TLB, "d-tlb", "data TLB" },
		{ EP_SYMPTOM_CODE, "i-access", "instruction accesses" },
		{ EP_SYMPTOM_CODE_TLB, "i-tlb", "instruction TLB" },
		{ EP_SYMPTOM_BRANCHES, "br-i", "branch instructions" },
		{ EP_SYMPTOM_FP_SLOW, "fpt-slow", "floating-point instructions" },
	};

	read_shipped();
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		const struct ep_remedy *first[3];
		double cycles[EP_N_SYMPTOMS];
		struct ep_advice_case of = { cycles, NAN, true };

		set_cycles(cycles, rows[i].symptom, 4);
		CHECK_INT(ep_advice_choose(&advice, &of, 3, first), 3);
		CHECK_MSG(strstr(first[0]->tags, rows[i].tag), "%s for %s", first[0]->id,
			rows[i].tag);
		CHECK_STR(first[0]->category, rows[i].category);
	}
	ep_advice_finish(&advice);
}

TEST(scores_are_perfexperts)
{
	struct ep_remedy remedy = { .tags = "d-L2 d-mem loop1" };
	double cycles[EP_N_SYMPTOMS] = { 0.4, 1, 3, NAN, 0, NAN, 0.5, NAN, NAN };

	CHECK_CLOSE(ep_remedy_score(&remedy, cycles), 1 + 3 - 2 * 0.1 * 3, 1e-12);
	remedy.tags = "d-tlb"; /* not known: no reason for it */
	CHECK_CLOSE(ep_remedy_score(&remedy, cycles), 0, 0);
	remedy.tags = "d-memory";
	CHECK_CLOSE(ep_remedy_score(&remedy, cycles), 0, 0);
}

TEST(each_subcategory_speaks_once)
{
	const struct ep_remedy *chosen[16];
	double cycles[EP_N_SYMPTOMS];
	struct ep_advice_case of = { cycles, NAN, true };
	uint32_t n;

	read_shipped();
	set_cycles(cycles, EP_SYMPTOM_MEMORY, 4);
	n = ep_advice_choose(&advice, &of, 16, chosen);
	CHECK(n >= 4);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(strcmp(chosen[i]->subcategory, chosen[k]->subcategory) ||
				strcmp(chosen[i]->category, chosen[k]->category));
	set_cycles(cycles, EP_SYMPTOM_MEMORY, 0);
	for (int i = 0; i < EP_N_SYMPTOMS; i++)
		cycles[i] = 0;
	CHECK_INT(ep_advice_choose(&advice, &of, 3, chosen), 0);
	ep_advice_finish(&advice);
}

static bool proposes(const struct ep_advice_case *of, const char *text)
{
	const struct ep_remedy *chosen[16];
	uint32_t n = ep_advice_choose(&advice, of, 16, chosen);

	for (uint32_t i = 0; i < n; i++)
		if (strstr(chosen[i]->text, text))
			return true;
	return false;
}

/* A walk along the columns of a matrix, as valgrind counts it. */
TEST(what_the_counts_show_of_the_code)
{
	const double cycles[EP_N_SYMPTOMS] = { 0.25, 1.31, 3.1, NAN, 0, NAN, 0.13, NAN, NAN };
	struct ep_advice_case of = { cycles, 0.5, false };
	const struct ep_remedy *first;

	read_shipped();
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(strstr(first->text, "Interchange loops"), "%s", first->text);
	of.miss_ratio = 0.12; /* one after the other */
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(!strstr(first->text, "Interchange loops"), "%s", first->text);
	CHECK(!proposes(&of, "false sharing"));
	of.has_threads = true;
	CHECK(proposes(&of, "false sharing"));
	ep_advice_finish(&advice);
}

TEST(a_broken_table_says_where)
{
	static const char text[] = "id\tcategory\n"
				   "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\n"
				   "only\tthree\tcells\n";
	char path[] = "/tmp/evprof-advice-XXXXXX";
	struct ep_error err = { 0 };
	int fd = mkstemp(path);

	CHECK_INT(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	CHECK_INT(ep_advice_read(path, &advice, &err), -EINVAL);
	CHECK_MSG(strstr(err.where, ":3"), "%s", err.where);
	unlink(path);
	CHECK_INT(ep_advice_read(path, &advice, &err), -ENOENT);
}

/* Facts from the source line go before assumptions from a miss ratio. */
TEST(gathers_and_lists_have_remedies_of_their_own)
{
	const double cycles[EP_N_SYMPTOMS] = { 0.3, 1, 15, NAN, 0, NAN, 0.2, NAN, NAN };
	struct ep_advice_case of = { .cycles = cycles, .miss_ratio = 0.5 };
	const struct ep_remedy *first;

	read_shipped();
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(strstr(first->text, "Interchange loops"), "%s", first->text);
	of.access = EP_ACCESS_GATHER;
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(strstr(first->text, "Order the work items by the memory they touch"), "%s",
		first->text);
	of.access = EP_ACCESS_LINKED;
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(strstr(first->text, "Allocate many small elements as one array"), "%s",
		first->text);
	ep_advice_finish(&advice);
}

/* Column-wise through a matrix that the second cache holds: no memory access, and the same remedy.
 */
/* Vectors of 64 bytes miss with each access where they go through memory in order. */
TEST(what_a_loops_code_shows_decides)
{
	static const struct {
		enum ep_access access;
		bool copies;
		const char *first;
	} rows[] = {
		{ EP_ACCESS_UNKNOWN, false, "da14" }, /* interchange loops */
		{ EP_ACCESS_STRIDED, false, "da14" },
		{ EP_ACCESS_CONTIGUOUS, false, "da07" }, /* fuse loops */
		{ EP_ACCESS_CONTIGUOUS, true, "da11" },  /* avoid copying */
	};
	double cycles[EP_N_SYMPTOMS];
	const struct ep_remedy *chosen[EP_REMEDIES_MOST];

	read_shipped();
	set_cycles(cycles, EP_SYMPTOM_MEMORY, 5);
	cycles[EP_SYMPTOM_L2_DATA] = 1;
	cycles[EP_SYMPTOM_DATA_TLB] = NAN;
	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct ep_advice_case of = { cycles, .miss_ratio = 0.9, .mispredicted = NAN,
			.access = rows[i].access, .copies = rows[i].copies };
		uint32_t n = ep_advice_choose(&advice, &of, EP_REMEDIES_ALL, chosen);

		CHECK(n > 3);
		CHECK_STR(chosen[0]->id, rows[i].first);
		for (uint32_t k = 0; k < n && rows[i].access == EP_ACCESS_CONTIGUOUS; k++)
			CHECK_MSG(!strstr(chosen[k]->tags, "strided"), "%s", chosen[k]->id);
	}
	ep_advice_finish(&advice);
}

TEST(strides_in_the_second_cache)
{
	const double cycles[EP_N_SYMPTOMS] = { 0.4, 2.4, 0.04, NAN, 0, NAN, 0.1, NAN, NAN };
	struct ep_advice_case of = { .cycles = cycles, .miss_ratio = 0.65 };
	const struct ep_remedy *first;

	read_shipped();
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(strstr(first->text, "Interchange loops"), "%s", first->text);
	ep_advice_finish(&advice);
}

TEST(wrong_predictions_are_not_cured_by_fewer_branches)
{
	const double cycles[EP_N_SYMPTOMS] = { 0.1, 0, 0, NAN, 0, NAN, 3, NAN, NAN };
	struct ep_advice_case of = { .cycles = cycles, .miss_ratio = NAN, .mispredicted = 0.9 };
	const struct ep_remedy *first;

	read_shipped();
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK_MSG(strstr(first->text, "conditional move"), "%s", first->text);
	ep_advice_finish(&advice);
}

/* Every remedy with a part in what costs cycles, none of the others, each once and in the order of -n 1. */
TEST(all_that_fit)
{
	const double cycles[EP_N_SYMPTOMS] = { 0.1, 0, 0, NAN, 0, NAN, 3, NAN, NAN };
	struct ep_advice_case of = { .cycles = cycles, .miss_ratio = NAN, .mispredicted = 0.9 };
	const struct ep_remedy *all[EP_REMEDIES_MOST], *first;
	uint32_t n, n_for_branches = 0;

	read_shipped();
	n = ep_advice_choose(&advice, &of, EP_REMEDIES_ALL, all);
	CHECK_INT(ep_advice_choose(&advice, &of, 1, &first), 1);
	CHECK(all[0] == first);
	for (uint32_t i = 0; i < advice.n_remedies; i++)
		n_for_branches += ep_remedy_is_for(&advice.remedies[i], EP_SYMPTOM_BRANCHES);
	CHECK_INT(n, n_for_branches);
	for (uint32_t i = 0; i < n; i++) {
		CHECK(ep_remedy_is_for(all[i], EP_SYMPTOM_BRANCHES));
		for (uint32_t k = 0; k < i; k++)
			CHECK(all[k] != all[i]);
	}
	ep_advice_finish(&advice);
}
/* Those for nests are not for loops that are in none; where the depth is not known they may be. */
TEST(remedies_for_nests_need_one)
{
	static const struct {
		uint32_t depth;
		bool has_two, has_three;
	} cases[] = { { 0, true, true }, { 1, false, false }, { 2, true, false },
		{ 3, true, true } };
	const struct ep_remedy *chosen[64];
	double cycles[EP_N_SYMPTOMS];

	read_shipped();
	set_cycles(cycles, EP_SYMPTOM_MEMORY, 4);
	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_remedy remedies[] = {
			{ .category = "a", .subcategory = "1", .tags = "d-mem loop2" },
			{ .category = "a", .subcategory = "2", .tags = "d-mem loop3" },
			{ .category = "a", .subcategory = "3", .tags = "d-mem" },
		};
		struct ep_advice own = { .remedies = remedies, .n_remedies = 3 };
		struct ep_advice_case of = {
			.cycles = cycles, .miss_ratio = NAN, .depth = cases[i].depth
		};

		CHECK_INT(ep_advice_choose(&own, &of, 3, chosen),
			1 + cases[i].has_two + cases[i].has_three);
	}
	ep_advice_finish(&advice);
}
