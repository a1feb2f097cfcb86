// SPDX-License-Identifier: BSD-3-Clause
/* Prints the tables of ranks and hosts: what each did and when, and the time of each procedure over the ranks. */
#include <math.h>
#include <stdlib.h>

#include "reporter/view/page.h"

enum {
	MOST_LINES = 32, /* most lines of the table; with more ranks, several share a line */
	NAME_COLUMNS = 14,
	GHZ_COLUMNS = 7,
	NUMBER_COLUMNS = 2 + 9 + 9 + 8 + 9 + 2, /* width without the column of the clock */
	MOST_BINS = 256,
};

static const char clock_title[] = "GHz: cycles over CPU time; ";

/* The sums over one or more ranks. put_line() prints their means. */
struct rank_line {
	double cpu_s, own_s, ready_s, told_s, mpi_s;
	double cycles, counted_us;
	double busy[MOST_BINS];
};

static void add(struct rank_line *line, const struct ep_report_group *group, uint32_t n_bins)
{
	line->cpu_s += (double)group->cpu_ns / 1e9;
	line->own_s += group->own_s;
	line->ready_s += (double)group->ready_ns / 1e9;
	line->told_s += group->told_s;
	line->mpi_s += group->mpi_s;
	line->cycles += group->cycles;
	line->counted_us += group->counted_us;
	for (uint32_t i = 0; group->busy && i < n_bins; i++)
		line->busy[i] += group->busy[i];
}

static bool has_clocks(const struct ep_report *r)
{
	for (uint32_t i = 0; i < r->n_rank_rows; i++)
		if (r->rank_rows[i].counted_us > 0)
			return true;
	for (uint32_t i = 0; i < r->n_host_rows; i++)
		if (r->host_rows[i].counted_us > 0)
			return true;
	return false;
}

static int number_columns(const struct ep_page *page)
{
	return NUMBER_COLUMNS + (has_clocks(page->report) ? GHZ_COLUMNS : 0);
}

static void put_ghz(const struct ep_page *page, const struct rank_line *line)
{
	if (line->counted_us > 0)
		fprintf(page->layout.out, "%*.2f", GHZ_COLUMNS,
			line->cycles / line->counted_us / 1e3);
	else if (has_clocks(page->report))
		ep_put_right(&page->layout, "", GHZ_COLUMNS);
}

static void put_titles(const struct ep_page *page, const char *name)
{
	fprintf(page->layout.out, "%11s%9s%8s%9s", "CPU time", "own", "in MPI", "no CPU");
	if (has_clocks(page->report))
		fprintf(page->layout.out, "%*s", GHZ_COLUMNS, "GHz");
	fprintf(page->layout.out, "  %s\n", name);
}

static void put_line(const struct ep_page *page, struct rank_line *line, uint32_t n,
	const char *name, double top)
{
	uint32_t n_bins = page->report->n_bins;
	bool has_map =
		top > 0 && n_bins <= MOST_BINS &&
		(uint32_t)number_columns(page) + NAME_COLUMNS + 2 + n_bins <= page->layout.width;

	fputs("  ", page->layout.out);
	ep_page_put_time(page, line->cpu_s / n);
	/* time outside of MPI is known only if there are ranks */
	if (line->told_s > 0) {
		ep_page_put_time(page, line->own_s / n);
		ep_page_put_percent(page, line->mpi_s / line->told_s);
	} else {
		ep_put_right(&page->layout, "", 9 + 8);
	}
	ep_page_put_time(page, line->ready_s / n);
	put_ghz(page, line);
	fputs("  ", page->layout.out);
	if (!has_map) {
		ep_put_cells(&page->layout, &(struct ep_cell){ name, NAME_COLUMNS }, 1);
		return;
	}
	for (uint32_t i = 0; i < n_bins; i++)
		line->busy[i] /= n;
	ep_put_cell(&page->layout, name, NAME_COLUMNS);
	fputs("  ", page->layout.out);
	ep_put_spark(&page->layout, line->busy, n_bins, top);
	fputc('\n', page->layout.out);
}

static void put_ranks(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t n_in_line = (r->n_rank_rows + MOST_LINES - 1) / MOST_LINES;

	char text[200];

	snprintf(text, sizeof(text),
		"%sown: outside of MPI; no CPU: ready to run, without one; %sright: CPUs busy over time, the highest is %.2g CPUs",
		n_in_line > 1 ? "means of the ranks in a line; " : "",
		has_clocks(r) ? clock_title : "", r->group_busy_max);
	ep_put_heading(&page->layout, "By rank", text);
	put_titles(page, "rank");
	for (uint32_t from = 0; from < r->n_rank_rows; from += n_in_line) {
		uint32_t left = r->n_rank_rows - from, n = left < n_in_line ? left : n_in_line;
		struct rank_line line = { 0 };
		char name[64];

		for (uint32_t i = from; i < from + n; i++)
			add(&line, &r->rank_rows[i], r->n_bins < MOST_BINS ? r->n_bins : 0);
		snprintf(name, sizeof(name), n > 1 ? "%.20s-%.20s" : "%.20s",
			r->rank_rows[from].name, r->rank_rows[from + n - 1].name);
		put_line(page, &line, n, name, r->group_busy_max);
	}
}

static void put_rank(const struct ep_page *page, const char *rank)
{
	char text[32];

	snprintf(text, sizeof(text), "(%.8s)", rank);
	fputc(' ', page->layout.out);
	ep_put_cell(&page->layout, text, 7);
}

static void put_spreads(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	uint32_t room = page->layout.width > 62 + 10 ? page->layout.width - 62 : 10;

	if (!r->n_spreads)
		return;
	ep_put_heading(&page->layout, "Procedures over ranks",
		"a rank's own time in a procedure: the least, the median and the most, and which rank it is of");
	fprintf(page->layout.out, "%10s%9s %-7s%9s%9s %-7s   procedure\n", "of all", "least",
		"rank", "median", "most", "rank");
	for (uint32_t i = 0; i < r->n_spreads; i++) {
		const struct ep_report_spread *row = &r->spreads[i];

		fputs("  ", page->layout.out);
		ep_page_put_percent(page, row->share);
		ep_page_put_time(page, row->least_s);
		put_rank(page, row->least_rank);
		ep_page_put_time(page, row->median_s);
		ep_page_put_time(page, row->most_s);
		put_rank(page, row->most_rank);
		fputs("   ", page->layout.out);
		ep_put_cells(&page->layout, &(struct ep_cell){ row->short_name, room }, 1);
	}
}

void ep_page_put_ranks(const struct ep_page *page)
{
	if (!page->report->n_rank_rows) {
		ep_put_remark(&page->layout,
			"No process of these traces says that it is a rank of MPI (or of another launcher that tells a rank by its variables).");
		return;
	}
	put_ranks(page);
	put_spreads(page);
}

static double busiest(const struct ep_report *r)
{
	double most = 0;

	for (uint32_t h = 0; h < r->n_host_rows; h++)
		for (uint32_t i = 0; r->host_rows[h].busy && i < r->n_bins; i++)
			most = fmax(most, r->host_rows[h].busy[i]);
	return most;
}

static void put_slowest(const struct ep_page *page, const struct ep_report_group *host)
{
	char text[EP_NUMBER_BYTES];

	ep_format_seconds(text, host->most_s);
	fprintf(page->layout.out, "%*s%u ranks, %s the longest (rank %s)\n",
		number_columns(page) + 2, "", host->n_ranks, text, host->slowest_rank);
}

void ep_page_put_hosts(const struct ep_page *page)
{
	const struct ep_report *r = page->report;
	double top = busiest(r);
	char text[200];

	snprintf(text, sizeof(text),
		"own: outside of MPI, the mean of its ranks; no CPU: ready to run, without one; %sright: CPUs busy over time, the highest is %.2g CPUs",
		has_clocks(r) ? clock_title : "", top);
	ep_put_heading(&page->layout, "By host", text);
	put_titles(page, "host");
	for (uint32_t h = 0; h < r->n_host_rows; h++) {
		struct rank_line line = { 0 };

		add(&line, &r->host_rows[h], r->n_bins < MOST_BINS ? r->n_bins : 0);
		put_line(page, &line, 1, r->host_rows[h].name, top);
		if (r->host_rows[h].slowest_rank)
			put_slowest(page, &r->host_rows[h]);
	}
}
