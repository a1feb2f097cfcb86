// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/cells.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

/* The sums by which a procedure's count of an event is split over its call paths: in proportion to each path's ticks
 * (met), or, if the procedure has no ticks, to the ticks that windows predict for each path (foretold). */
struct weight {
	double met, foretold; /* sums over all paths of the procedure */
	double count;         /* the procedure's count */
};

struct filling {
	const struct ep_cells_source *source;
	struct ep_cells *cells;
	struct ep_builder builder;
	double *sums;       /* (n_rows, n_columns) values before rounding */
	uint32_t *symbols;  /* (n_rows) procedure of each row; EP_NONE: the row has no path */
	bool *lacks_errors; /* (n_events) the error of the event is not known for some call path */
	double *waits_ns;   /* (n_paths) time of waits; NULL: no waits were recorded */
	struct weight *weights; /* (n_symbols, n_events) NULL: no event ended slices */
};

void ep_cells_finish(struct ep_cells *cells)
{
	for (uint32_t c = 0; c < cells->n_columns; c++)
		free(cells->columns[c].name);
	free(cells->columns);
	free(cells->values);
	*cells = (struct ep_cells){ 0 };
}

/* ---- columns ---- */

static int add_column(
	struct ep_cells *cells, struct ep_column column, const char *name, const char *suffix)
{
	if (asprintf(&column.name, "%s%s", name, suffix) < 0)
		return -ENOMEM;
	cells->columns[cells->n_columns++] = column;
	return 0;
}

/* Tells whether an event has a column of its measured part. An event that ended slices has none: its own ticks tell the
 * places of its counts, so that the measured part of each place is not known. */
static bool has_measured(const struct filling *f, uint32_t e)
{
	return f->source->report->events[e].total.is_estimate &&
	       !ep_has_event_ticks(f->source->report, e);
}

static int add_event_columns(struct filling *f, uint32_t e)
{
	const struct ep_report_event *event = &f->source->report->events[e];
	struct ep_column column = { EP_CELL_EVENT, e, NULL, event->unit ? event->unit : "count" };

	if (!ep_quantity_is_known(&event->total.count))
		return 0;
	if (add_column(f->cells, column, event->name, ""))
		return -ENOMEM;
	column.kind = EP_CELL_MEASURED;
	if (has_measured(f, e) && add_column(f->cells, column, event->name, "_measured"))
		return -ENOMEM;
	column.kind = EP_CELL_ERROR;
	return f->lacks_errors[e] ? 0 : add_column(f->cells, column, event->name, "_stderr");
}

static int add_time_columns(struct filling *f)
{
	struct ep_column column = { EP_CELL_SAMPLES, 0, NULL, "count" };

	if (add_column(f->cells, column, "samples", ""))
		return -ENOMEM;
	column.unit = "nanoseconds";
	column.kind = EP_CELL_CPU;
	if (add_column(f->cells, column, "cpu", ""))
		return -ENOMEM;
	column.kind = EP_CELL_LATENCY;
	if (f->source->report->parallel.busy_s > 0 && add_column(f->cells, column, "latency", ""))
		return -ENOMEM;
	column.kind = EP_CELL_WAITS;
	return f->waits_ns && add_column(f->cells, column, "waits", "") ? -ENOMEM : 0;
}

static int add_columns(struct filling *f)
{
	uint32_t n_events = f->source->report->n_events;
	struct ep_cells *cells = f->cells;

	cells->columns = calloc(4 + 3 * (size_t)n_events, sizeof(*cells->columns));
	if (!cells->columns || add_time_columns(f))
		return -ENOMEM;
	for (uint32_t e = 0; e < n_events; e++)
		if (add_event_columns(f, e))
			return -ENOMEM;
	return 0;
}

uint32_t ep_cells_find(const struct ep_cells *cells, const char *name)
{
	for (uint32_t c = 0; c < cells->n_columns; c++)
		if (!strcmp(cells->columns[c].name, name))
			return c;
	return EP_NONE;
}

/* ---- values ---- */

/* Returns the count that the report would show for a procedure that consisted of this path alone. */
static struct ep_report_value value_at(
	const struct filling *f, const struct ep_path_cost *cost, uint32_t e)
{
	struct ep_tally tally = { .n_samples = cost->cost.n_samples,
		.self_us = cost->cost.cpu_us,
		.sums = cost->sums,
		.mixing = cost->mixing[EP_PLACE_PROCEDURE],
		.ticks = cost->ticks };
	struct ep_place_count place = { &tally, EP_BY_SYMBOL, e };
	struct ep_report_value value = ep_value_exact(0, 0);
	float changes[EP_N_REPLICAS] = { 0 };
	bool has_changes = cost->sums.replicas || f->source->report->placing;

	if (e >= cost->sums.n_rows && e >= cost->ticks.n_rows)
		return value;
	if (cost->sums.replicas && e < cost->sums.n_rows)
		memcpy(changes, cost->sums.replicas + (size_t)e * EP_N_REPLICAS, sizeof(changes));
	ep_value_of_tally(&f->builder, &place, has_changes ? changes : NULL, &value);
	return value;
}

static struct weight *weight_of(const struct filling *f, uint32_t symbol_idx, uint32_t e)
{
	return &f->weights[(size_t)symbol_idx * f->source->report->n_events + e];
}

/* Returns a path's count of an event. An estimate from ticks may be below zero for a single path. The procedure's count
 * is not below zero; therefore that count is split over the procedure's paths. */
static double count_of(
	const struct filling *f, const struct ep_path_cost *cost, uint32_t symbol_idx, uint32_t e)
{
	const struct weight *weight;

	if (!ep_has_event_ticks(f->source->report, e))
		return value_at(f, cost, e).count.value;
	weight = weight_of(f, symbol_idx, e);
	if (e >= cost->ticks.n_rows || (weight->met <= 0 && weight->foretold <= 0))
		return 0;
	return weight->met > 0
		       ? weight->count * cost->ticks.rows[e].met.all / weight->met
		       : weight->count * cost->ticks.rows[e].foretold.all / weight->foretold;
}

static double cell_of(const struct filling *f, const struct ep_path_cost *cost, uint32_t symbol_idx,
	const struct ep_column *column)
{
	uint32_t e = column->event_idx;

	switch (column->kind) {
	case EP_CELL_SAMPLES:
		return (double)cost->cost.n_samples;
	case EP_CELL_CPU:
		return (double)(cost->cost.cpu_us * ep_unit_ns(f->source->trace));
	case EP_CELL_LATENCY:
		return 1e3 * cost->latency_us;
	case EP_CELL_WAITS: /* waits are added by add_waits(), since costs do not have them */
		return 0;
	case EP_CELL_EVENT:
		return count_of(f, cost, symbol_idx, e);
	case EP_CELL_MEASURED:
		return e < cost->sums.n_rows ? cost->sums.rows[e].measured : 0;
	case EP_CELL_ERROR:
		return value_at(f, cost, e).count.error;
	}
	return 0;
}

static int find_lacking_errors(struct filling *f)
{
	const struct ep_trace *trace = f->source->trace;

	for (uint32_t e = 0; e < f->source->report->n_events; e++)
		for (uint32_t i = 0; i < trace->n_costs && !f->lacks_errors[e]; i++)
			f->lacks_errors[e] =
				value_at(f, &trace->costs[i], e).count.state != EP_QUANTITY_KNOWN;
	return 0;
}

static int find_symbol(const struct filling *f, uint32_t path_idx, uint32_t *out_symbol_idx)
{
	const struct ep_path *path = &f->source->trace->paths[path_idx];
	const struct ep_frame *frames;
	uint32_t n_frames;

	if (ep_symbols_resolve(
		    f->source->symbols, path->module_idx, path->address, false, &frames, &n_frames))
		return -ENOMEM;
	*out_symbol_idx = frames[0].symbol_idx;
	return 0;
}

static void add_weights(struct filling *f, uint32_t path_idx, uint32_t symbol_idx)
{
	const struct ep_trace *trace = f->source->trace;
	const struct ep_tick_sums *ticks = &trace->costs[trace->paths[path_idx].cost_idx].ticks;

	for (uint32_t e = 0; e < ticks->n_rows && e < f->source->report->n_events; e++) {
		struct weight *weight = weight_of(f, symbol_idx, e);

		weight->met += ticks->rows[e].met.all;
		weight->foretold += ticks->rows[e].foretold.all;
	}
}

/* Sums up the weights of each procedure's paths, and takes the procedures' counts from the report. */
static int sum_procedures(struct filling *f)
{
	const struct ep_report *report = f->source->report;
	const struct ep_trace *trace = f->source->trace;
	size_t n = (size_t)ep_symbols_count(f->source->symbols) * report->n_events;
	uint32_t symbol_idx;

	if (!report->placing)
		return 0;
	f->weights = calloc(n + 1, sizeof(*f->weights));
	if (!f->weights)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_paths; i++) {
		if (trace->paths[i].cost_idx == EP_NONE)
			continue;
		if (find_symbol(f, i, &symbol_idx))
			return -ENOMEM;
		add_weights(f, i, symbol_idx);
	}
	for (uint32_t i = 0; i < report->procedures.n_rows; i++) {
		const struct ep_report_row *row = &report->procedures.rows[i];

		for (uint32_t e = 0; e < report->n_events; e++)
			weight_of(f, row->symbol_idx, e)->count = row->values[e].count.value;
	}
	return 0;
}

/* Adds a path to its row. All paths of a row end in the same procedure, so that the row gets the procedure of any
 * of them. */
static int add_path(struct filling *f, uint32_t path_idx)
{
	const struct ep_path *path = &f->source->trace->paths[path_idx];
	const struct ep_path_cost *cost = &f->source->trace->costs[path->cost_idx];
	uint32_t n = f->cells->n_columns,
		 row = f->source->row_of_path ? f->source->row_of_path[path_idx] : path_idx;

	if (find_symbol(f, path_idx, &f->symbols[row]))
		return -ENOMEM;
	for (uint32_t c = 0; c < n; c++)
		f->sums[(size_t)row * n + c] +=
			cell_of(f, cost, f->symbols[row], &f->cells->columns[c]);
	return 0;
}

static int sum_waits(struct filling *f)
{
	const struct ep_trace *trace = f->source->trace;

	if (!trace->n_waits)
		return 0;
	f->waits_ns = calloc(trace->n_paths + 1, sizeof(*f->waits_ns));
	if (!f->waits_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_waits; i++)
		f->waits_ns[trace->waits[i].path_idx] +=
			ep_wait_shown(&trace->part, &trace->waits[i]).ns;
	return 0;
}

static int add_waits(struct filling *f)
{
	const struct ep_trace *trace = f->source->trace;
	uint32_t column = ep_cells_find(f->cells, "waits");

	for (uint32_t i = 0; f->waits_ns && i < trace->n_paths; i++) {
		uint32_t row = f->source->row_of_path ? f->source->row_of_path[i] : i;

		if (f->waits_ns[i] <= 0)
			continue;
		if (find_symbol(f, i, &f->symbols[row]))
			return -ENOMEM;
		f->sums[(size_t)row * f->cells->n_columns + column] += f->waits_ns[i];
	}
	return 0;
}

/* Rounds the values. The remainder that rounding takes from a row is added to the next row of the same procedure, so
 * that remainders do not add up. */
static int round_values(struct filling *f)
{
	struct ep_cells *cells = f->cells;
	size_t n = cells->n_columns;
	EP_AUTOFREE double *carries =
		calloc(ep_symbols_count(f->source->symbols) * n + 1, sizeof(*carries));

	if (!carries)
		return -ENOMEM;
	for (uint32_t row = 0; row < cells->n_rows; row++) {
		double *carry = carries + (size_t)f->symbols[row] * n;

		for (size_t c = 0; c < n && f->symbols[row] != EP_NONE; c++) {
			double exact = f->sums[row * n + c] + carry[c];

			cells->values[row * n + c] = (int64_t)floor(exact + 0.5);
			carry[c] = exact - (double)cells->values[row * n + c];
		}
	}
	return 0;
}

static int fill(struct filling *f)
{
	const struct ep_trace *trace = f->source->trace;

	if (find_lacking_errors(f) || sum_waits(f) || add_columns(f) || sum_procedures(f))
		return -ENOMEM;
	f->cells->n_rows = f->source->n_rows;
	f->sums = calloc((size_t)f->source->n_rows * f->cells->n_columns + 1, sizeof(*f->sums));
	f->cells->values = calloc(
		(size_t)f->source->n_rows * f->cells->n_columns + 1, sizeof(*f->cells->values));
	if (!f->sums || !f->cells->values)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_paths; i++)
		if (trace->paths[i].cost_idx != EP_NONE && add_path(f, i))
			return -ENOMEM;
	return add_waits(f) ? -ENOMEM : round_values(f);
}

int ep_cells_init(struct ep_cells *cells, const struct ep_cells_source *source)
{
	struct filling f = {
		.source = source,
		.cells = cells,
		.builder = { .trace = source->trace,
			.symbols = source->symbols,
			/* only ep_value_of_tally uses the builder here, and does not change the report */
			.report = (struct ep_report *)source->report },
		.symbols = malloc((source->n_rows + 1) * sizeof(*f.symbols)),
		.lacks_errors = calloc(source->report->n_events + 1, sizeof(*f.lacks_errors)),
	};
	int rc = -ENOMEM;

	*cells = (struct ep_cells){ 0 };
	for (uint32_t i = 0; f.symbols && i < source->n_rows; i++)
		f.symbols[i] = EP_NONE;
	if (f.symbols && f.lacks_errors)
		rc = fill(&f);
	free(f.sums);
	free(f.symbols);
	free(f.lacks_errors);
	free(f.waits_ns);
	free(f.weights);
	return rc;
}

bool ep_cells_row_is_empty(const struct ep_cells *cells, uint32_t row)
{
	for (uint32_t c = 0; c < cells->n_columns; c++)
		if (ep_cells_row(cells, row)[c])
			return false;
	return true;
}
