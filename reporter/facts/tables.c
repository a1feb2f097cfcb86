// SPDX-License-Identifier: BSD-3-Clause
/* Builds the tables of procedures, lines and modules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/facts/builder.h"

#define MAX_CALLERS 5
#define MIN_SELF_SHARE 0.0005 /* a smaller share is printed as 0.0 % */

static int by_self(const void *a, const void *b)
{
	const struct ep_report_row *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (strcmp(x->name, y->name))
		return strcmp(x->name, y->name);
	return x->line < y->line ? -1 : x->line > y->line;
}

static void limit(struct ep_builder *builder, struct ep_report_table *table)
{
	uint32_t top = builder->options->top;

	table->n_shown = top && top < table->n_rows ? top : table->n_rows;
	while (builder->options->brief && table->n_shown > 1 &&
		table->rows[table->n_shown - 1].self_share < MIN_SELF_SHARE)
		table->n_shown--;
	for (uint32_t i = table->n_shown; i < table->n_rows; i++)
		table->hidden_share += table->rows[i].self_share;
}

/* Returns the error of a share of 0 or 1, by the rule of three: if none of n samples is on one side, up to 3
 * of n may belong there in 95 of 100 cases (Hanley and Lippman-Hand 1983). Divided by 1.96 it is a standard
 * error. */
static double one_sided_error(double n)
{
	return fmin(3 / n, 1) / 1.96;
}

double ep_share_error(double share, uint64_t n_samples)
{
	double n = (double)n_samples;

	if (!n_samples)
		return 0;
	return share <= 0 || share >= 1 ? one_sided_error(n) : sqrt(share * (1 - share) / n);
}

double ep_drawn_squares(const struct ep_trace *trace, const struct ep_report *report)
{
	double squares = 0;

	for (uint32_t i = 0; report->n_samples && i < trace->n_costs; i++)
		squares += trace->costs[i].squares;
	return squares;
}

static double all_us(const struct ep_builder *builder)
{
	return (double)builder->report->sampled_ns / (double)ep_unit_ns(builder->trace);
}

double ep_weighted_share_error(const struct ep_builder *builder, double share, double squares)
{
	double p = share, us = all_us(builder), rest = fmax(builder->squares - squares, 0);

	if (us <= 0 || builder->squares <= 0)
		return 0;
	if (p <= 0 || p >= 1)
		return one_sided_error(us * us / builder->squares);
	return sqrt((1 - p) * (1 - p) * squares + p * p * rest) / us;
}

double ep_usual_share_error(const struct ep_builder *builder, double share)
{
	return ep_weighted_share_error(builder, share, fmin(share, 1) * builder->squares);
}

/* Returns the error of a count in a place: the error of the estimates and that of sampling, since each sample
 * ends in this place with a probability of share. */
static double value_error(const struct ep_report_value *value, double squares, double share)
{
	double estimates = ep_quantity_error(&value->count);

	return sqrt(estimates * estimates + squares * (1 - share));
}

/* If more than this share of a place's slices may hold counts of other places, its counts say nothing about
 * the place. With a smaller share, the error bar includes such counts. */
#define MOST_MIXED 0.2

#define NEARLY_ALL 0.9

/* Tells whether an event counts time. Ticks by time are a random draw of the time itself, so that its places
 * are known even if the program stays in each only briefly. */
static bool is_time(const struct ep_report_event *event)
{
	return event->software && event->unit && !strcmp(event->unit, "ns");
}

/* Returns the counts of an event in mixed slices of other places. If the run changes places all the time, a
 * few slices look unmixed by chance; so a share above NEARLY_ALL counts as all. */
static double others_mixed(const struct ep_event_sum *sum, const struct ep_event_sum *all, int kind)
{
	double everything = all->measured + all->filled;

	if (all->mixed[kind] > NEARLY_ALL * everything)
		return everything - sum->measured - sum->filled;
	return fmax(0, all->mixed[kind] - sum->mixed[kind]);
}

/* Widens a count's error for mixed slices. How much of the count belongs to other places is unknown, from
 * nothing to everything in the mixed slices. Slices of other places may also hold counts of this one: if the
 * program mostly stays long in the place, they are taken to hold at most as much per slice as its own mixed
 * slices. */
static void value_take_mixing(const struct ep_event_sum *sum, const struct ep_event_sum *all,
	const struct ep_tally *tally, enum ep_dimension dimension, struct ep_report_value *value)
{
	const struct ep_mixing *mixing = &tally->mixing;
	double lost = sum->mixed[dimension], gained, everything = all->measured + all->filled;
	double bar = 1.96 * ep_quantity_or(&value->estimate_error, 0);

	if (!ep_quantity_is_known(&value->count) || mixing->n_mixed <= 0 || everything <= 0)
		return;
	gained = fmin(others_mixed(sum, all, dimension), lost / mixing->n_mixed * mixing->n_away);
	value->is_mixed = mixing->n_mixed > MOST_MIXED * (double)tally->n_samples;
	/* all counts of an event may come from one moment of each stay in the place, even if no slice that
	 * ended here has any */
	if (value->is_mixed) {
		lost = value->count.value;
		gained = fmax(0, everything - sum->measured - sum->filled);
	} else if (lost <= 0) {
		return;
	}
	value->low = fmax(0, value->count.value - lost - bar);
	value->high = value->count.value + gained + bar;
	value->placing_error = fmax(lost, gained) / (value->is_mixed ? 1.96 : sqrt(3));
	if (value->count.state == EP_QUANTITY_KNOWN)
		value->count.error = ep_error_add(value->count.error, value->placing_error);
}

static float *copy_changes(struct ep_builder *builder, const struct ep_tally *tally)
{
	const struct ep_sums *sums = &tally->sums;
	size_t n = (size_t)builder->report->n_events * EP_N_REPLICAS;
	float *changes;

	if (!sums->replicas && !builder->report->placing)
		return NULL;
	changes = ep_builder_calloc(builder, n, sizeof(*changes));
	if (changes && sums->replicas)
		memcpy(changes, sums->replicas,
			(size_t)sums->n_rows * EP_N_REPLICAS * sizeof(*changes));
	return changes;
}

void ep_value_of_tally(const struct ep_builder *builder, const struct ep_place_count *place,
	float *changes, struct ep_report_value *value)
{
	static const struct ep_event_sum no_sum;
	static const struct ep_tick_sum no_ticks;
	const struct ep_tally *tally = place->tally;
	uint32_t e = place->event_idx;
	const struct ep_event_sum *sum = e < tally->sums.n_rows ? &tally->sums.rows[e] : &no_sum;
	uint64_t n_samples = builder->report->n_samples;
	double share = n_samples ? fmin(1, (double)tally->n_samples / (double)n_samples) : 0;

	*value = ep_value_of(builder, sum, e);
	if (changes && ep_has_event_ticks(builder->report, e)) {
		ep_value_place(builder, e < tally->ticks.n_rows ? &tally->ticks.rows[e] : &no_ticks,
			place, changes, value);
		return;
	}
	if (changes)
		ep_value_take_changes(value, changes);
	ep_quantity_set_error(&value->count, value_error(value, sum->squares, share));
	if (!is_time(&builder->report->events[e]))
		value_take_mixing(
			sum, &builder->trace->events[e].sum, tally, place->dimension, value);
}

static void fill_value(
	struct ep_builder *builder, const struct ep_place_count *place, struct ep_report_row *row)
{
	size_t first = (size_t)place->event_idx * EP_N_REPLICAS;

	ep_value_of_tally(builder, place, row->changes ? row->changes + first : NULL,
		&row->values[place->event_idx]);
}

static void fill_values(struct ep_builder *builder, enum ep_dimension dimension,
	const struct ep_tally *tally, struct ep_report_row *row)
{
	uint32_t n_events = builder->report->n_events;

	row->values = ep_builder_calloc(builder, n_events, sizeof(*row->values));
	row->changes = copy_changes(builder, tally);
	for (uint32_t e = 0; row->values && e < n_events; e++)
		fill_value(builder, &(struct ep_place_count){ tally, dimension, e }, row);
}

static void fill_totals(
	struct ep_builder *builder, const struct ep_tally *tally, struct ep_report_row *row)
{
	const struct ep_costs *exact = builder->trace->exact;

	if (!exact)
		return;
	row->totals = ep_builder_calloc(builder, builder->report->n_events, sizeof(*row->totals));
	for (int e = 0; row->totals && e < EP_N_CALLGRIND_EVENTS; e++)
		row->totals[exact->event_idx[e]] = (double)tally->with_calls.of[e];
	for (int e = 0; row->totals && !exact->lacks_floating && e < EP_N_FLOATING_EVENTS; e++)
		row->totals[exact->floating_idx[e]] = NAN;
}

static void fill_latency(
	const struct ep_trace *trace, const struct ep_tally *tally, struct ep_report_row *row)
{
	double all_us = trace->latency_us;

	if (all_us <= 0)
		return;
	row->self_latency_share = tally->self_latency_us / all_us;
	row->total_latency_share = tally->total_latency_us / all_us;
	row->alone_share = tally->alone_us / all_us;
}

void ep_row_set_cost(struct ep_builder *builder, enum ep_dimension dimension,
	const struct ep_tally *tally, struct ep_report_row *row)
{
	double all = (double)builder->report->sampled_ns;

	row->n_samples = tally->n_samples;
	row->self_ns = tally->self_us * ep_unit_ns(builder->trace);
	row->total_ns = tally->total_us * ep_unit_ns(builder->trace);
	row->system_ns = tally->system_us * ep_unit_ns(builder->trace);
	row->self_share = all > 0 ? (double)row->self_ns / all : 0;
	row->total_share = all > 0 ? (double)row->total_ns / all : 0;
	fill_latency(builder->trace, tally, row);
	/* callgrind's counts are not a random draw: they have no error */
	if (!builder->trace->exact || tally->n_samples) {
		row->self_error =
			ep_weighted_share_error(builder, row->self_share, tally->self_squares);
		row->total_error =
			ep_weighted_share_error(builder, row->total_share, tally->total_squares);
	}
	fill_values(builder, dimension, tally, row);
	fill_totals(builder, tally, row);
}

static void fill_module(struct ep_builder *builder, uint32_t module_idx, struct ep_report_row *row)
{
	const struct ep_trace *trace = builder->trace;

	row->module = module_idx < trace->n_modules ? trace->modules[module_idx].path : "";
	row->module_name = row->module[0] ? ep_base_name(row->module) : "[no file]";
	row->is_script = module_idx < trace->n_modules && trace->modules[module_idx].is_script;
}

void ep_row_set_symbol(struct ep_builder *builder, uint32_t symbol_idx, struct ep_report_row *row)
{
	const struct ep_symbol *symbol = ep_symbols_get(builder->symbols, symbol_idx);

	row->symbol_idx = symbol_idx;
	row->name = symbol->name;
	row->short_name = symbol->short_name;
	row->file = symbol->file;
	row->line = symbol->line;
	row->kind = symbol->kind;
	row->is_known = symbol->is_known;
	row->is_inlined = symbol->is_inlined;
	fill_module(builder, symbol->module_idx, row);
	if (row->module[0])
		row->module_name = ep_trace_module_name(builder->trace, symbol->module_idx);
}

struct ep_report_row *ep_table_start(
	struct ep_builder *builder, struct ep_report_table *table, uint32_t n_rows)
{
	table->rows = ep_builder_calloc(builder, n_rows + 1, sizeof(*table->rows));
	return table->rows;
}

void ep_table_finish_rows(struct ep_builder *builder, struct ep_report_table *table)
{
	qsort(table->rows, table->n_rows, sizeof(*table->rows), by_self);
	limit(builder, table);
}

/* Tells whether a place gets no row. A sample may have no time: a tick that looked for system calls has none
 * where the kernel's account shows no system time. Its place has a row nevertheless, so that the rows'
 * samples add up to the run's. */
bool ep_tally_is_empty(const struct ep_tally *tally)
{
	return !tally->self_us && !tally->total_us && !tally->n_samples;
}

/* ---- lines ---- */

static void fill_line(
	struct ep_builder *builder, const struct ep_line *line, struct ep_report_row *row)
{
	ep_row_set_symbol(builder, line->symbol_idx, row);
	row->file = row->hot_file = line->file;
	row->line = row->hot_line = line->line;
}

static void build_lines(struct ep_builder *builder, const struct ep_attribution *lines)
{
	struct ep_report_table *table = &builder->report->lines;

	if (!ep_table_start(builder, table, lines->n_tallies))
		return;
	for (uint32_t i = 0; i < lines->n_tallies; i++) {
		struct ep_report_row *row = &table->rows[table->n_rows];

		if (ep_tally_is_empty(&lines->tallies[i]))
			continue;
		fill_line(builder, &lines->lines[i], row);
		ep_row_set_cost(builder, EP_BY_LINE, &lines->tallies[i], row);
		table->n_rows++;
	}
	ep_table_finish_rows(builder, table);
}

/* ---- modules ---- */

static void build_modules(struct ep_builder *builder, const struct ep_attribution *modules)
{
	struct ep_report_table *table = &builder->report->modules;

	if (!ep_table_start(builder, table, modules->n_tallies))
		return;
	for (uint32_t i = 0; i < modules->n_tallies; i++) {
		struct ep_report_row *row = &table->rows[table->n_rows];

		if (ep_tally_is_empty(&modules->tallies[i]))
			continue;
		fill_module(builder, i, row);
		row->name = row->short_name = row->module_name;
		row->kind = EP_SYMBOL_MODULE;
		row->is_known = row->module[0];
		ep_row_set_cost(builder, EP_BY_MODULE, &modules->tallies[i], row);
		table->n_rows++;
	}
	ep_table_finish_rows(builder, table);
}

/* ---- procedures ---- */

static int by_callee(const void *a, const void *b)
{
	const struct ep_edge *x = a, *y = b;

	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	if (x->us != y->us)
		return x->us > y->us ? -1 : 1;
	return x->caller < y->caller ? -1 : x->caller > y->caller;
}

static void fill_callers(struct ep_builder *builder, const struct ep_edge *edges, uint32_t n_edges,
	struct ep_report_row *row)
{
	uint32_t n = n_edges < MAX_CALLERS ? n_edges : MAX_CALLERS;

	row->callers = ep_builder_calloc(builder, n, sizeof(*row->callers));
	if (!row->callers)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct ep_report_caller *caller = &row->callers[row->n_callers++];

		caller->name =
			edges[i].caller == EP_NONE
				? "[outermost]"
				: ep_symbols_get(builder->symbols, edges[i].caller)->short_name;
		caller->ns = edges[i].us * ep_unit_ns(builder->trace);
		caller->share = row->total_ns ? (double)caller->ns / (double)row->total_ns : 0;
	}
}

/* Sets the line with the most self time in each row. row_of (n_symbols) is the row of each symbol; must be
 * called before the table is sorted. */
static void find_hot_lines(struct ep_builder *builder, const struct ep_attribution *lines,
	const uint32_t *row_of, uint64_t *best_us)
{
	struct ep_report_row *rows = builder->report->procedures.rows;

	for (uint32_t i = 0; i < lines->n_tallies; i++) {
		const struct ep_line *line = &lines->lines[i];
		uint32_t row = row_of[line->symbol_idx];

		if (row == EP_NONE || !line->file || lines->tallies[i].self_us <= best_us[row])
			continue;
		best_us[row] = lines->tallies[i].self_us;
		rows[row].hot_file = line->file;
		rows[row].hot_line = line->line;
	}
}

static uint32_t edges_of(const struct ep_attribution *procedures, uint32_t *at, uint32_t symbol_idx)
{
	uint32_t n = 0;

	while (*at < procedures->n_edges && procedures->edges[*at].callee < symbol_idx)
		++*at;
	while (*at + n < procedures->n_edges && procedures->edges[*at + n].callee == symbol_idx)
		n++;
	return n;
}

static void add_procedures(
	struct ep_builder *builder, const struct ep_attribution *procedures, uint32_t *row_of)
{
	struct ep_report_table *table = &builder->report->procedures;
	uint32_t edge = 0;

	for (uint32_t i = 0; i < procedures->n_tallies; i++) {
		const struct ep_tally *tally = &procedures->tallies[i];
		struct ep_report_row *row = &table->rows[table->n_rows];

		row_of[i] = EP_NONE;
		if (ep_tally_is_empty(tally))
			continue;
		row_of[i] = table->n_rows++;
		ep_row_set_symbol(builder, i, row);
		ep_row_set_cost(builder, EP_BY_SYMBOL, tally, row);
		if (builder->options->callers) {
			uint32_t n = edges_of(procedures, &edge, i);

			fill_callers(builder, procedures->edges + edge, n, row);
		}
	}
}

static void build_procedures(struct ep_builder *builder, struct ep_attribution *procedures,
	const struct ep_attribution *lines)
{
	uint32_t n = ep_symbols_count(builder->symbols);
	uint32_t *row_of = ep_builder_calloc(builder, n, sizeof(*row_of));
	uint64_t *best_us = ep_builder_calloc(builder, n, sizeof(*best_us));

	if (row_of && best_us && ep_table_start(builder, &builder->report->procedures, n)) {
		memset(row_of, 0xff, n * sizeof(*row_of));
		if (procedures->n_edges)
			qsort(procedures->edges, procedures->n_edges, sizeof(*procedures->edges),
				by_callee);
		add_procedures(builder, procedures, row_of);
		find_hot_lines(builder, lines, row_of, best_us);
		ep_table_finish_rows(builder, &builder->report->procedures);
	}
	free(row_of);
	free(best_us);
}

/* Resolves the names of all addresses first, and reports progress, since this takes longer than all other
 * steps. */
static int name_all(struct ep_builder *builder)
{
	struct ep_trace *trace = builder->trace;
	const struct ep_frame *frames;
	uint32_t n;

	for (uint32_t i = 0; i < trace->n_paths; i++) {
		const struct ep_path *path = &trace->paths[i];

		if (path->cost_idx != EP_NONE &&
			ep_symbols_resolve(builder->symbols, path->module_idx, path->address, false,
				&frames, &n))
			return -1;
		if (builder->options->progress && i % 256 == 0)
			builder->options->progress(i, trace->n_paths);
	}
	return 0;
}

void ep_build_tables(struct ep_builder *builder)
{
	struct ep_attribution procedures = { 0 }, lines = { 0 }, modules = { 0 };

	if (name_all(builder) || ep_drop_stray_callers(builder) ||
		ep_attribute(builder->trace, builder->symbols, EP_BY_SYMBOL, &procedures) ||
		ep_attribute(builder->trace, builder->symbols, EP_BY_LINE, &lines) ||
		ep_attribute(builder->trace, builder->symbols, EP_BY_MODULE, &modules)) {
		builder->out_of_memory = true;
	} else {
		ep_build_placing(builder, &procedures);
		build_procedures(builder, &procedures, &lines);
		build_lines(builder, &lines);
		build_modules(builder, &modules);
	}
	ep_attribution_finish(&procedures);
	ep_attribution_finish(&lines);
	ep_attribution_finish(&modules);
}
