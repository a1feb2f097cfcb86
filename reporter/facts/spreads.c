// SPDX-License-Identifier: BSD-3-Clause
/* Finds the least, median and largest time of each procedure over ranks. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

enum { MOST_SPREADS = 64 };

struct spreading {
	struct ep_builder *builder;
	uint32_t n_ranks, n_columns;
	uint32_t *rank_of;   /* (n_processes of the trace) rank of each process; EP_NONE: none */
	uint32_t *column_of; /* (n_symbols) column of each symbol; EP_NONE: not shown */
	uint32_t n_symbols;
	uint32_t *symbol_of; /* (n_paths) symbol of each path; EP_NONE: not looked up yet */
	double *times_s;     /* (n_ranks, n_columns) time of a procedure in a rank */
	double all_s;
};

struct rank_time {
	double s;
	uint32_t rank;
};

static int by_time(const void *a, const void *b)
{
	const struct rank_time *x = a, *y = b;

	if (x->s != y->s)
		return x->s < y->s ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

static void find_ranks(struct spreading *s)
{
	const struct ep_report *r = s->builder->report;

	for (uint32_t i = 0; i < r->n_processes; i++) {
		const struct ep_report_process *row = &r->processes[i];
		uint32_t low = 0, high = r->n_rank_rows;

		while (row->rank && low < high) {
			uint32_t middle = (low + high) / 2;
			int order = strverscmp(r->rank_rows[middle].name, row->rank);

			if (!order)
				s->rank_of[row->process_idx] = middle;
			if (order < 0)
				low = middle + 1;
			else
				high = middle;
		}
	}
}

static void find_columns(struct spreading *s)
{
	const struct ep_report_table *table = &s->builder->report->procedures;

	for (uint32_t i = 0; i < s->n_columns; i++)
		if (table->rows[i].symbol_idx < s->n_symbols)
			s->column_of[table->rows[i].symbol_idx] = i;
}

/* Returns the procedure that a path ends in; EP_NONE: out of memory. */
static uint32_t symbol_at(struct spreading *s, uint32_t path_idx)
{
	const struct ep_path *path = &s->builder->trace->paths[path_idx];
	const struct ep_frame *frames;
	uint32_t n;

	if (s->symbol_of[path_idx] != EP_NONE)
		return s->symbol_of[path_idx];
	if (ep_symbols_resolve(
		    s->builder->symbols, path->module_idx, path->address, false, &frames, &n)) {
		s->builder->out_of_memory = true;
		return EP_NONE;
	}
	s->symbol_of[path_idx] = frames[0].symbol_idx;
	return frames[0].symbol_idx;
}

static void add_times(struct spreading *s)
{
	const struct ep_trace *trace = s->builder->trace;

	for (uint32_t i = 0; i < trace->n_rank_costs; i++) {
		const struct ep_rank_cost *cost = &trace->rank_costs[i];
		uint32_t rank = s->rank_of[trace->threads[cost->thread_idx].process_idx];
		uint32_t symbol = symbol_at(s, cost->path_idx);

		if (rank == EP_NONE || symbol >= s->n_symbols)
			continue;
		s->all_s += (double)cost->us / 1e6;
		if (s->column_of[symbol] != EP_NONE)
			s->times_s[(size_t)rank * s->n_columns + s->column_of[symbol]] +=
				(double)cost->us / 1e6;
	}
}

static void fill_spread(const struct spreading *s, uint32_t column, struct rank_time *times,
	struct ep_report_spread *out)
{
	const struct ep_report *r = s->builder->report;
	const struct ep_report_row *row = &r->procedures.rows[column];
	uint32_t n = s->n_ranks;
	double sum_s = 0;

	for (uint32_t i = 0; i < n; i++) {
		times[i] = (struct rank_time){ s->times_s[(size_t)i * s->n_columns + column], i };
		sum_s += times[i].s;
	}
	qsort(times, n, sizeof(*times), by_time);
	*out = (struct ep_report_spread){ .name = row->name,
		.short_name = row->short_name,
		.share = s->all_s > 0 ? sum_s / s->all_s : 0,
		.least_s = times[0].s,
		.median_s = (times[(n - 1) / 2].s + times[n / 2].s) / 2,
		.most_s = times[n - 1].s,
		.least_rank = r->rank_rows[times[0].rank].name,
		.most_rank = r->rank_rows[times[n - 1].rank].name };
}

static int by_share(const void *a, const void *b)
{
	const struct ep_report_spread *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Fills the rows and sorts them by time of ranks. Where processes without a rank have a part of the time,
 * this order differs from that of the report's procedures. */
static void fill(struct spreading *s)
{
	struct ep_report *r = s->builder->report;
	EP_AUTOFREE struct rank_time *times =
		ep_builder_calloc(s->builder, s->n_ranks, sizeof(*times));

	r->spreads = ep_builder_calloc(s->builder, s->n_columns, sizeof(*r->spreads));
	for (uint32_t i = 0; times && r->spreads && i < s->n_columns; i++) {
		fill_spread(s, i, times, &r->spreads[r->n_spreads]);
		r->n_spreads += r->spreads[r->n_spreads].most_s > 0;
	}
	if (r->n_spreads)
		qsort(r->spreads, r->n_spreads, sizeof(*r->spreads), by_share);
}

void ep_build_spreads(struct ep_builder *builder)
{
	const struct ep_report *r = builder->report;
	const struct ep_trace *trace = builder->trace;
	uint32_t n_columns =
		r->procedures.n_shown < MOST_SPREADS ? r->procedures.n_shown : MOST_SPREADS;
	uint32_t n_symbols = ep_symbols_count(builder->symbols);
	size_t n_times = (size_t)r->n_rank_rows * n_columns;

	if (r->n_rank_rows < 2 || !trace->n_rank_costs || !n_columns)
		return;
	EP_AUTOFREE uint32_t *rank_of =
		ep_builder_calloc(builder, trace->n_processes, sizeof(*rank_of));
	EP_AUTOFREE uint32_t *column_of = ep_builder_calloc(builder, n_symbols, sizeof(*column_of));
	EP_AUTOFREE uint32_t *symbol_of =
		ep_builder_calloc(builder, trace->n_paths, sizeof(*symbol_of));
	EP_AUTOFREE double *times_s = ep_builder_calloc(builder, n_times, sizeof(*times_s));
	struct spreading s = { builder, r->n_rank_rows, n_columns, rank_of, column_of, n_symbols,
		symbol_of, times_s, 0 };

	if (!rank_of || !column_of || !symbol_of || !times_s)
		return;
	memset(rank_of, 0xff, trace->n_processes * sizeof(*rank_of));
	memset(column_of, 0xff, n_symbols * sizeof(*column_of));
	memset(symbol_of, 0xff, trace->n_paths * sizeof(*symbol_of));
	find_ranks(&s);
	find_columns(&s);
	add_times(&s);
	fill(&s);
}
