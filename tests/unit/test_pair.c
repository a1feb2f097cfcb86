// SPDX-License-Identifier: BSD-3-Clause
/* Slices of one run found in another, by hand. */
#include "reporter/estimate/pair.h"

#include "common/cleanup.h"
#include "tests/unit/test.h"

static struct ep_table parse(const char *text)
{
	struct ep_table table = { 0 };

	CHECK_INT(ep_table_parse("table", text, strlen(text), &table, NULL), 0);
	return table;
}

static void check_match(const struct ep_table *a, const struct ep_table *b,
	enum ep_alignment alignment, const char *expected)
{
	struct ep_dtw_match match = { 0 };
	char got[256] = "";
	int n = 0;

	CHECK_INT(ep_pair_match(a, b, alignment, 0, &match), 0);
	for (size_t t = 0; t < match.n; t++)
		n += snprintf(
			got + n, sizeof(got) - (size_t)n, "%u-%u ", match.first[t], match.last[t]);
	CHECK_STR(got, expected);
	ep_dtw_match_finish(&match);
}

TEST(slices_match)
{
	EP_AUTOTABLE struct ep_table a = parse("I,X,cpu-time\n1,,1\n100,,1\n1000,3,1\n10,4,1\n");
	EP_AUTOTABLE struct ep_table b =
		parse("X,I,cpu-time\n1,1,1\n1,1,1\n1,100,1\n1,1000,1\n1,10,1\n1,10,9\n");
	EP_AUTOTABLE struct ep_table other = parse("X,cpu-time\n1,1\n2,1\n3,9\n");

	check_match(&a, &b, EP_ALIGN_STEP, "0-0 1-1 2-2 3-3 ");
	check_match(&b, &a, EP_ALIGN_STEP, "0-0 1-1 2-2 3-3 ");
	check_match(&a, &b, EP_ALIGN_DTW, "0-1 2-2 3-3 4-5 ");
	check_match(&b, &a, EP_ALIGN_DTW, "0-0 0-0 1-1 2-2 3-3 3-3 ");
	/* X has gaps in a: there is nothing to go by but the step */
	check_match(&a, &other, EP_ALIGN_DTW, "0-0 1-1 2-2 ");
}

TEST(an_event_is_found_where_it_was_counted_throughout)
{
	struct ep_table tables[] = { parse("A,B\n1,\n1,2\n"), parse("B,C\n1,2\n3,4\n") };

	CHECK_INT(ep_pair_find(tables, 2, "A").table_idx, 0);
	CHECK_INT(ep_pair_find(tables, 2, "B").table_idx, 1);
	CHECK_INT(ep_pair_find(tables, 2, "C").column, 1);
	CHECK_INT(ep_pair_find(tables, 2, "D").table_idx, 2);
	ep_table_finish(&tables[0]);
	ep_table_finish(&tables[1]);
}

TEST(the_truth_is_the_mean_of_what_meets_a_slice)
{
	EP_AUTOTABLE struct ep_table t = parse("I,X\n1,10\n2,20\n3,60\n");
	uint32_t first[] = { 0, 1, 2 }, last[] = { 0, 2, 2 };
	EP_AUTOFREE double *x = ep_pair_truth(&t, 1, &(struct ep_dtw_match){ 3, first, last });

	CHECK_CLOSE(x[0], 10, 0);
	CHECK_CLOSE(x[1], 40, 0);
	CHECK_CLOSE(x[2], 60, 0);
}

TEST(gaps_are_completed_and_measured_counts_stay)
{
	/* nobody knows Z's counts, and W was never measured */
	EP_AUTOTABLE struct ep_table mpx = parse("I,X,W,Y,Z\n1,7,,,\n100,,,5,\n1000,9,,,1\n");
	struct ep_table ocoe[] = { parse("I,X,W\n1,70,1\n1,80,1\n100,8,1\n1000,90,1\n"),
		parse("Y,I\n50,1\n60,100\n70,1000\n") };
	EP_AUTOTABLE struct ep_table whole = { 0 };
	EP_AUTOFREE unsigned char *measured = NULL;
	const double expected[] = { 1, 7, 50, 100, 8, 5, 1000, 9, 70 };
	const unsigned char expected_measured[] = { 1, 1, 0, 1, 0, 1, 1, 1, 0 };

	CHECK_INT(ep_pair_complete(&mpx, ocoe, 2, &whole, &measured), 0);
	CHECK_INT(whole.n_rows, 3);
	CHECK_INT(whole.n_columns, 3);
	CHECK_STR(whole.names[2], "Y");
	for (size_t i = 0; i < EP_ARRAY_SIZE(expected); i++) {
		CHECK_CLOSE(whole.values[i], expected[i], 0);
		CHECK_INT(measured[i], expected_measured[i]);
		CHECK_INT(whole.measured[i], 1);
	}
	ep_table_finish(&ocoe[0]);
	ep_table_finish(&ocoe[1]);
}

TEST(where_only_the_step_aligns_the_shorter_run_ends_it)
{
	EP_AUTOTABLE struct ep_table mpx = parse("X,Y\n1,\n,2\n3,\n,4\n");
	EP_AUTOTABLE struct ep_table ocoe = parse("X,Y\n10,20\n30,40\n");
	EP_AUTOTABLE struct ep_table whole = { 0 };
	EP_AUTOFREE unsigned char *measured = NULL;
	const double expected[] = { 1, 20, 30, 2 };

	CHECK_INT(ep_pair_complete(&mpx, &ocoe, 1, &whole, &measured), 0);
	CHECK_INT(whole.n_rows, 2);
	for (size_t i = 0; i < 4; i++)
		CHECK_CLOSE(whole.values[i], expected[i], 0);
}
