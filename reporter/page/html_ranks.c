// SPDX-License-Identifier: BSD-3-Clause
/* Writes the ranks of MPI and how busy each was over the run. The number of ranks on the page is limited, since jobs
 * may have thousands. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/export/json_out.h"
#include "reporter/page/html_private.h"

#define MOST_RANKS 2000   /* most ranks that the table lists */
#define MOST_MAP_ROWS 420 /* height of the map in pixels: a row has at least one */
#define MOST_LEVEL 4095   /* the largest number of two digits of base 64 */

static void put_known(FILE *out, const char *key, double value)
{
	if (isfinite(value))
		fprintf(out, ",\"%s\":%.6g", key, value);
	else
		fprintf(out, ",\"%s\":null", key);
}

/* Writes how many CPUs were busy in each bin, relative to the busiest bin of all ranks. The shape of busy is (n_bins);
 * NULL writes no numbers. */
static void put_busy(const struct ep_report *report, const double *busy, FILE *out)
{
	double most = report->group_busy_max;

	fputs(",\"busy\":\"", out);
	for (uint32_t i = 0; busy && most > 0 && i < report->n_bins; i++) {
		double level = fmin(fmax(busy[i] / most, 0), 1) * MOST_LEVEL;
		uint32_t number = (uint32_t)lround(level);

		fputc(ep_html_digits[number >> 6], out);
		fputc(ep_html_digits[number & 63], out);
	}
	fputs("\"}", out);
}

static void put_rank(const struct ep_report *report, uint32_t order, FILE *out)
{
	const struct ep_report_group *rank = &report->rank_rows[order];

	fputs("\n{\"name\":", out);
	ep_json_put_text(out, rank->name);
	fputs(",\"host\":", out);
	ep_json_put_text(out, rank->host ? rank->host : "");
	fprintf(out, ",\"order\":%" PRIu32 ",\"cpu_ns\":%" PRIu64 ",\"ready_ns\":%" PRIu64, order,
		rank->cpu_ns, rank->ready_ns);
	put_known(out, "own_ns", 1e9 * rank->own_s);
	put_known(out, "mpi_share", rank->mpi_share);
	put_busy(report, rank->busy, out);
}

/* ---- the ranks that are listed ---- */

static int by_own_time(const void *a, const void *b)
{
	const struct ep_report_group *x = *(const struct ep_report_group *const *)a;
	const struct ep_report_group *y = *(const struct ep_report_group *const *)b;

	if (x->own_s != y->own_s)
		return x->own_s > y->own_s ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Chooses the ranks that are listed. If there are too many, the ranks with the most time outside of MPI are listed,
 * which make others wait, and the ranks with the least, which wait for others. The shape of is_listed is (n_rank_rows).
 * Returns 0 or -ENOMEM. */
static int choose(const struct ep_report *report, bool *is_listed)
{
	uint32_t n = report->n_rank_rows;
	EP_AUTOFREE const struct ep_report_group **sorted = calloc(n + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &report->rank_rows[i];
	qsort(sorted, n, sizeof(*sorted), by_own_time);
	for (uint32_t i = 0; i < n; i++)
		is_listed[sorted[i] - report->rank_rows] =
			i < MOST_RANKS / 2 || i + MOST_RANKS / 2 >= n;
	return 0;
}

/* ---- the map ---- */

/* Writes a row of the map: how busy the neighbouring ranks from first to last were, as their mean. */
static void put_map_row(
	const struct ep_report *report, uint32_t first, uint32_t last, double *busy, FILE *out)
{
	for (uint32_t b = 0; b < report->n_bins; b++) {
		busy[b] = 0;
		for (uint32_t i = first; i <= last; i++)
			busy[b] += report->rank_rows[i].busy ? report->rank_rows[i].busy[b] : 0;
		busy[b] /= last - first + 1;
	}
	fputs("\n{\"first\":", out);
	ep_json_put_text(out, report->rank_rows[first].name);
	fputs(",\"last\":", out);
	ep_json_put_text(out, report->rank_rows[last].name);
	put_busy(report, busy, out);
}

static int put_map(const struct ep_report *report, FILE *out)
{
	uint32_t n = report->n_rank_rows, n_of_row = (n + MOST_MAP_ROWS - 1) / MOST_MAP_ROWS;
	EP_AUTOFREE double *busy = calloc(report->n_bins + 1, sizeof(*busy));

	if (!busy)
		return -ENOMEM;
	fprintf(out,
		"\"rank_map\":{\"n_ranks\":%" PRIu32 ",\"n_of_row\":%" PRIu32
		",\"most\":%.6g,\"rows\":[",
		n, n_of_row, report->group_busy_max);
	for (uint32_t first = 0; first < n; first += n_of_row) {
		uint32_t last = first + n_of_row < n ? first + n_of_row - 1 : n - 1;

		fputs(first ? "," : "", out);
		put_map_row(report, first, last, busy, out);
	}
	fputs("]},\n", out);
	return 0;
}

int ep_html_ranks_put(const struct ep_html_page *page)
{
	const struct ep_report *report = page->source->report;
	EP_AUTOFREE bool *is_listed = calloc(report->n_rank_rows + 1, sizeof(*is_listed));
	const char *between = "";

	if (!is_listed || choose(report, is_listed))
		return -ENOMEM;
	fputs("\"ranks\":[", page->out);
	for (uint32_t i = 0; i < report->n_rank_rows; i++) {
		if (!is_listed[i])
			continue;
		fputs(between, page->out);
		put_rank(report, i, page->out);
		between = ",";
	}
	fputs("],\n", page->out);
	return put_map(report, page->out);
}
