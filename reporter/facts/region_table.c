// SPDX-License-Identifier: BSD-3-Clause
/* Builds the table of regions. */
#include <math.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

#define LEAST_OF_MANY 0.001

/* The time of a region, with the regions inside it. */
struct region_total {
	uint64_t cpu_us;
	double squares;
};

static uint64_t sum_slices(const struct ep_trace *trace)
{
	uint64_t us = 0;

	for (uint32_t i = 0; i < trace->n_threads; i++)
		us += trace->threads[i].cost.cpu_us + trace->threads[i].cost.hidden_us;
	return us;
}

/* Adds the time of regions to the regions around them. An outer region comes before its inner ones in the table. */
static void add_up(const struct ep_region_table *table, struct region_total *totals)
{
	for (uint32_t i = 0; i < table->n_rows; i++)
		totals[i] = (struct region_total){ table->rows[i].cpu_us, table->rows[i].squares };
	for (uint32_t i = table->n_rows; i-- > 0;) {
		uint32_t parent_idx = table->rows[i].parent_idx;

		if (parent_idx == EP_NONE)
			continue;
		totals[parent_idx].cpu_us += totals[i].cpu_us;
		totals[parent_idx].squares += totals[i].squares;
	}
}

/* Returns the standard error of a share; NAN: there is no sample in the run, so that the error is not known. */
static double error_of(const struct ep_builder *b, double share, double squares)
{
	return b->squares > 0 ? ep_weighted_share_error(b, share, squares) : NAN;
}

/*
 * Sets the waiting time: wall time less CPU time. The wall time is exact, from the clock at each begin and
 * end; the CPU time is that of slices, and may exceed the wall time of a short region. If wall_s is an
 * estimate, its error is not known.
 */
static void set_waiting(struct ep_report_region *row, double all_s)
{
	row->waiting_s = fmax(0, row->wall_s - (double)row->total_ns / 1e9);
	row->waiting_error_s = row->is_estimate ? NAN : row->total_error * all_s;
}

/* Returns how often a region was entered and how long it lasted, in the part that is shown. */
static struct ep_sum_share shown_of(const struct ep_part *part, const struct ep_region *region)
{
	return ep_part_is_all_moments(part) ? (struct ep_sum_share){ (double)region->n_entries,
		(double)region->wall_ns, 0, false }
					    : region->shown;
}

/* Fills a row; all_us is the CPU time of all slices. */
static void fill_row(const struct ep_builder *b, uint32_t i, const struct region_total *total,
	uint64_t all_us, struct ep_report_region *row)
{
	const struct ep_region *region = &b->trace->regions.rows[i];
	const struct ep_sum_share shown = shown_of(&b->trace->part, region);
	struct ep_builder of_slices = *b;

	*row = (struct ep_report_region){
		.name = region->name,
		.region_idx = i,
		.is_estimate = shown.is_cut,
		.n_entries = shown.n > 0 && shown.n < 1 ? 1 : (uint64_t)(shown.n + .5),
		.wall_s = floor(shown.ns + .5) / 1e9,
		.self_ns = region->cpu_us * 1000,
		.total_ns = total->cpu_us * 1000,
		.self_share = all_us ? (double)region->cpu_us / (double)all_us : 0,
		.total_share = all_us ? (double)total->cpu_us / (double)all_us : 0,
	};
	row->is_hidden = b->options->top && b->trace->regions.n_rows > b->options->top &&
			 row->total_share < LEAST_OF_MANY;
	/* A region is weighted by its slices, so the sum of squares of all slices is used. The sum for places
	 * is smaller if the end of a thread cut slices short, since such slices have no sample. */
	of_slices.squares = b->squares > 0 ? b->trace->regions.squares : 0;
	row->self_error = error_of(&of_slices, row->self_share, region->squares);
	row->total_error = error_of(&of_slices, row->total_share, total->squares);
	set_waiting(row, (double)all_us / 1e6);
}

static bool is_before(
	const struct ep_trace *trace, const struct region_total *totals, uint32_t a, uint32_t b)
{
	const struct ep_region *rows = trace->regions.rows;

	if (totals[a].cpu_us != totals[b].cpu_us)
		return totals[a].cpu_us > totals[b].cpu_us;
	return rows[a].wall_ns != rows[b].wall_ns ? rows[a].wall_ns > rows[b].wall_ns : a < b;
}

/* Returns the region inside parent_idx that is shown next; EP_NONE: there is none. */
static uint32_t next_in(const struct ep_trace *trace, const struct region_total *totals,
	const bool *is_put, uint32_t parent_idx)
{
	const struct ep_region_table *table = &trace->regions;
	uint32_t next = EP_NONE;

	for (uint32_t i = 0; i < table->n_rows; i++)
		if (!is_put[i] && table->rows[i].parent_idx == parent_idx &&
			(!trace->part.region || table->rows[i].is_wanted || totals[i].cpu_us) &&
			(next == EP_NONE || is_before(trace, totals, i, next)))
			next = i;
	return next;
}

static void put_all(struct ep_builder *b, const struct region_total *totals, bool *is_put)
{
	const struct ep_region_table *table = &b->trace->regions;
	uint64_t all_us = sum_slices(b->trace);
	uint32_t at = EP_NONE, depth = 0;

	for (;;) {
		struct ep_report_region *row;
		uint32_t next = next_in(b->trace, totals, is_put, at);

		if (next == EP_NONE && at == EP_NONE)
			return;
		if (next == EP_NONE) {
			at = table->rows[at].parent_idx;
			depth--;
			continue;
		}
		is_put[next] = true;
		row = &b->report->regions[b->report->n_regions++];
		fill_row(b, next, &totals[next], all_us, row);
		row->depth = depth++;
		at = next;
	}
}

void ep_build_regions(struct ep_builder *b)
{
	uint32_t n = b->trace->regions.n_rows;
	EP_AUTOFREE struct region_total *totals = ep_builder_calloc(b, n, sizeof(*totals));
	EP_AUTOFREE bool *is_put = ep_builder_calloc(b, n, sizeof(*is_put));

	b->report->regions = ep_builder_calloc(b, n, sizeof(*b->report->regions));
	if (b->out_of_memory)
		return;
	add_up(&b->trace->regions, totals);
	put_all(b, totals, is_put);
}
