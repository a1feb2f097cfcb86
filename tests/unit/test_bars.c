// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"
#include "tests/unit/tsv.h"

#include "common/cleanup.h"
#include "reporter/advise/bars.h"

/* The parameters with which the table was made. */
static const struct {
	const char *machine;
	double threshold;
} machines[] = {
	{ "ranger", 0.5 },
	{ "barcelona-2011", 0.5 },
	{ "stampede-snb", 0.5 },
	{ "skx-ref", 0.25 },
};

static double threshold_of(const char *machine)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].machine, machine))
			return machines[i].threshold;
	return NAN;
}

TEST(the_reference_bars_come_back)
{
	char path[4200];
	struct tsv table = { 0 };
	size_t n_bars = 0;

	snprintf(path, sizeof(path), "%s/tests/data/formulas/lcpi-golden-bars.tsv.gz",
		getenv("EVPROF_SOURCE_ROOT"));
	CHECK(tsv_read(path, &table));
	for (size_t i = 0; i < table.n_rows; i++) {
		char **row = table.rows[i];
		double threshold = threshold_of(row[1]), lcpi = strtod(row[3], NULL);

		if (row[3][0] == '-') /* absent, or negative: no bar */
			continue;
		CHECK_MSG(ep_bar_cells(lcpi, threshold) == (uint32_t)atoi(row[4]),
			"%s %s: %u, not %s", row[0], row[2], ep_bar_cells(lcpi, threshold), row[4]);
		CHECK_STR(ep_bar_range(lcpi, threshold), row[5]);
		n_bars++;
	}
	CHECK_MSG(n_bars > 400, "%zu bars", n_bars);
	tsv_finish(&table);
}

/* The row of a case and a category among the bars of single runs, or NULL. */
static char **find_bar(const struct tsv *bars, const char *name, const char *category)
{
	for (size_t i = 0; i < bars->n_rows; i++)
		if (!strcmp(bars->rows[i][0], name) && !strcmp(bars->rows[i][2], category))
			return bars->rows[i];
	return NULL;
}

static uint32_t cells_of(const struct tsv *bars, char **pair, int of_case)
{
	char **row = find_bar(bars, pair[of_case], pair[1]);

	CHECK_MSG(row != NULL, "no %s of %s", pair[1], pair[of_case]);
	CHECK_STR(row[1], pair[0]);
	return ep_bar_cells(strtod(row[3], NULL), threshold_of(row[1]));
}

/* From the values of two cases to the characters. */
TEST(the_reference_bars_of_two_runs_come_back)
{
	struct tsv bars = { 0 }, pairs = { 0 };
	size_t n_digits[3] = { 0 };

	CHECK(tsv_read_source("tests/data/formulas/lcpi-golden-bars.tsv.gz", &bars));
	CHECK(tsv_read_source("tests/data/formulas/lcpi-golden-correlate.tsv.gz", &pairs));
	CHECK_INT(pairs.n_rows, 220);
	for (size_t i = 0; i < pairs.n_rows; i++) {
		char **row = pairs.rows[i], drawn[EP_BAR_CELLS + 1];

		ep_bar_draw_two(cells_of(&bars, row, 2), cells_of(&bars, row, 3), drawn);
		CHECK_MSG(!strcmp(drawn, row[4]), "%s, %s and %s: %s, not %s", row[1], row[2],
			row[3], drawn, row[4]);
		n_digits[strchr(drawn, '1') ? 1 : strchr(drawn, '2') ? 2 : 0]++;
	}
	/* none, ones and twos are all there */
	for (int i = 0; i < 3; i++)
		CHECK_MSG(n_digits[i] > 20, "%zu bars of kind %d", n_digits[i], i);
	tsv_finish(&pairs);
	tsv_finish(&bars);
}

TEST(the_header_has_a_column_for_each_cell)
{
	CHECK_INT(strlen(ep_bar_header), EP_BAR_CELLS);
	CHECK_INT(strstr(ep_bar_header, "okay") - ep_bar_header, 20);
	CHECK_INT(strstr(ep_bar_header, "problematic") - ep_bar_header, 40);
}

TEST(a_bar_is_never_empty_and_never_too_long)
{
	CHECK_INT(ep_bar_cells(0, 0.5), 1);
	CHECK_INT(ep_bar_cells(1e300, 0.5), EP_BAR_CELLS);
	CHECK_INT(ep_bar_cells(NAN, 0.5), 1);
	CHECK_INT(ep_bar_cells(0.5, 0.5), 10);
	CHECK_INT(ep_bar_cells(0.525, 0.5), 10); /* half down */
}
