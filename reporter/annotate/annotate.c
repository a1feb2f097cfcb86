// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/annotate/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/annotate/annotator.h"

static void finish_tallies(struct ep_place_tallies *places)
{
	ep_attribution_finish(&places->tallies);
	free(places->last_path);
}

static void finish(struct ep_annotator *a)
{
	finish_tallies(&a->all);
	finish_tallies(&a->lines);
	finish_tallies(&a->instructions);
	finish_tallies(&a->loops);
	free(a->regions);
	free(a->loop_of_place);
}

void ep_annotation_finish(struct ep_annotation *annotation)
{
	for (uint32_t i = 0; i < annotation->n_lines; i++)
		ep_row_finish(&annotation->lines[i].cost);
	for (uint32_t i = 0; i < annotation->n_instructions; i++)
		ep_row_finish(&annotation->instructions[i].cost);
	for (uint32_t i = 0; i < annotation->n_loops; i++)
		ep_row_finish(&annotation->loops[i].cost);
	ep_row_finish(&annotation->cost);
	free(annotation->lines);
	free(annotation->instructions);
	free(annotation->loops);
	ep_annotate_target_finish(&annotation->target);
	ep_sources_finish(&annotation->sources);
	ep_strings_finish(&annotation->texts);
	*annotation = (struct ep_annotation){ 0 };
}

double ep_annotated_error(const struct ep_annotation *annotation, const struct ep_report_row *cost)
{
	if (annotation->report->is_exact)
		return 0;
	return ep_share_error(ep_annotated_share(annotation, cost), annotation->cost.n_samples);
}

/* ---- costs ---- */

static void set_cost(struct ep_annotator *a, const struct ep_place_tallies *places, uint32_t id,
	struct ep_report_row *cost)
{
	if (id < places->tallies.n_tallies && !ep_tally_is_empty(&places->tallies.tallies[id]))
		ep_row_set_cost(&a->builder, places->dimension, &places->tallies.tallies[id], cost);
}

/* Removes counts of an instruction that were computed from slices. A slice contains the counts of many other
 * instructions; only a tick of the event itself tells at which instruction the event occurred. */
static void forget_counts_of_slices(const struct ep_report *report, struct ep_report_row *cost)
{
	for (uint32_t e = 0; cost->values && e < report->n_events; e++)
		if (!ep_has_event_ticks(report, e))
			cost->values[e] = (struct ep_report_value){
				.count = ep_quantity_unknown("no tick tells which instruction")
			};
}

static void set_costs(struct ep_annotator *a)
{
	struct ep_annotation *out = a->out;

	set_cost(a, &a->all, 0, &out->cost);
	for (uint32_t i = 0; i < out->n_loops; i++)
		set_cost(a, &a->loops, i, &out->loops[i].cost);
	for (uint32_t i = 0; i < out->n_instructions; i++) {
		set_cost(a, &a->instructions, i, &out->instructions[i].cost);
		if (!out->report->is_exact)
			forget_counts_of_slices(out->report, &out->instructions[i].cost);
	}
}

/* ---- lines ---- */

static int make_lines(struct ep_annotator *a)
{
	struct ep_annotation *out = a->out;
	const struct ep_attribution *found = &a->lines.tallies;

	out->lines = calloc(found->n_lines + 1, sizeof(*out->lines));
	if (!out->lines)
		return -ENOMEM;
	for (out->n_lines = 0; out->n_lines < found->n_lines; out->n_lines++) {
		const struct ep_line *line = &found->lines[out->n_lines];
		struct ep_annotated_line *row = &out->lines[out->n_lines];

		*row = (struct ep_annotated_line){ line->symbol_idx, line->file, line->line,
			EP_NONE, 0, { 0 } };
		set_cost(a, &a->lines, out->n_lines, &row->cost);
	}
	return 0;
}

static bool is_deeper(const struct ep_annotation *out, uint32_t loop, uint32_t than)
{
	return loop != EP_NONE &&
	       (than == EP_NONE || out->loops[loop].depth > out->loops[than].depth);
}

static void count_instructions(struct ep_annotation *out)
{
	for (uint32_t i = 0; i < out->n_instructions; i++) {
		const struct ep_annotated_instruction *row = &out->instructions[i];
		struct ep_annotated_line *line = &out->lines[row->line_idx];

		line->n_instructions++;
		if (is_deeper(out, row->loop_idx, line->loop_idx))
			line->loop_idx = row->loop_idx;
		ep_instruction_mix_add(&out->mix, row->text, out->machine);
		if (row->loop_idx == EP_NONE)
			continue;
		out->loops[row->loop_idx].n_blocked += row->is_blocked;
		ep_instruction_mix_add(&out->loops[row->loop_idx].mix, row->text, out->machine);
	}
}

/* Copies a cost and its array of values; the copy has no other arrays. */
static int copy_cost(
	const struct ep_report *report, const struct ep_report_row *from, struct ep_report_row *out)
{
	size_t size = report->n_events * sizeof(*out->values);

	*out = *from;
	out->callers = NULL;
	out->totals = NULL;
	out->changes = NULL;
	out->values = from->values ? malloc(size + 1) : NULL;
	if (!from->values)
		return 0;
	if (!out->values)
		return -ENOMEM;
	memcpy(out->values, from->values, size);
	for (uint32_t e = 0; e < report->n_events; e++)
		out->values[e].changes = NULL;
	return 0;
}

/* Takes the lines of the report, for a trace of callgrind whose costs are by line. */
static int take_lines_of_report(struct ep_annotation *out)
{
	const struct ep_report_table *table = &out->report->lines;
	const struct ep_report_table *procedures = &out->report->procedures;

	out->lines = calloc(table->n_rows + 1, sizeof(*out->lines));
	if (!out->lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct ep_report_row *row = &table->rows[i];
		struct ep_annotated_line *line = &out->lines[out->n_lines];

		if (row->symbol_idx != out->target.symbol_idx)
			continue;
		*line = (struct ep_annotated_line){ row->symbol_idx, row->file, row->line, EP_NONE,
			0, { 0 } };
		out->n_lines++;
		if (copy_cost(out->report, row, &line->cost))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < procedures->n_rows; i++)
		if (procedures->rows[i].symbol_idx == out->target.symbol_idx)
			return copy_cost(out->report, &procedures->rows[i], &out->cost);
	return 0;
}

/* ---- the order of lines ---- */

struct ordered_line {
	const struct ep_annotated_line *line;
	/* time of all lines of the line's procedure; UINT64_MAX: the annotated procedure, which comes first */
	uint64_t procedure_ns;
	uint32_t idx;
};

static int by_place(const void *a, const void *b)
{
	const struct ordered_line *x = a, *y = b;
	int files;

	if (x->procedure_ns != y->procedure_ns)
		return x->procedure_ns > y->procedure_ns ? -1 : 1;
	if (x->line->symbol_idx != y->line->symbol_idx)
		return x->line->symbol_idx < y->line->symbol_idx ? -1 : 1;
	files = strcmp(x->line->file ? x->line->file : "", y->line->file ? y->line->file : "");
	if (files)
		return files;
	return (x->line->line > y->line->line) - (x->line->line < y->line->line);
}

static int order_lines(struct ep_annotation *out, uint32_t n_symbols)
{
	uint64_t *ns = calloc(n_symbols + 1, sizeof(*ns));
	struct ordered_line *order = calloc(out->n_lines + 1, sizeof(*order));
	struct ep_annotated_line *lines = calloc(out->n_lines + 1, sizeof(*lines));
	uint32_t *new_idx = calloc(out->n_lines + 1, sizeof(*new_idx));
	int rc = ns && order && lines && new_idx ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < out->n_lines && !rc; i++)
		ns[out->lines[i].symbol_idx] += out->lines[i].cost.self_ns;
	if (!rc)
		ns[out->target.symbol_idx] = UINT64_MAX;
	for (uint32_t i = 0; i < out->n_lines && !rc; i++)
		order[i] = (struct ordered_line){ &out->lines[i], ns[out->lines[i].symbol_idx], i };
	if (!rc)
		qsort(order, out->n_lines, sizeof(*order), by_place);
	for (uint32_t i = 0; i < out->n_lines && !rc; i++) {
		lines[i] = *order[i].line;
		new_idx[order[i].idx] = i;
	}
	for (uint32_t i = 0; i < out->n_instructions && !rc; i++)
		out->instructions[i].line_idx = new_idx[out->instructions[i].line_idx];
	if (!rc) {
		free(out->lines);
		out->lines = lines;
		lines = NULL;
	}
	free(ns);
	free(order);
	free(lines);
	free(new_idx);
	return rc;
}

/* ---- all ---- */

static void find_hottest(struct ep_annotation *out)
{
	uint64_t most = 0;

	out->hottest_line = out->hottest_instruction = EP_NONE;
	for (uint32_t i = 0; i < out->n_lines; i++)
		if (out->lines[i].cost.self_ns > most) {
			most = out->lines[i].cost.self_ns;
			out->hottest_line = i;
		}
	most = 0;
	for (uint32_t i = 0; i < out->n_instructions; i++)
		if (out->instructions[i].cost.self_ns > most) {
			most = out->instructions[i].cost.self_ns;
			out->hottest_instruction = i;
		}
}

static int make(struct ep_annotator *a)
{
	struct ep_annotation *out = a->out;
	int rc = ep_annotator_list_code(a);

	if (!rc && out->code == EP_CODE_BY_LINE) {
		rc = take_lines_of_report(out);
	} else if (!rc) {
		rc = ep_annotator_add_costs(a);
		if (!rc)
			rc = make_lines(a);
		if (!rc) {
			count_instructions(out);
			set_costs(a);
		}
	}
	if (!rc)
		rc = order_lines(out, ep_symbols_count(a->builder.symbols));
	if (!rc)
		find_hottest(out);
	return a->builder.out_of_memory ? -ENOMEM : rc;
}

int ep_annotation_create(struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_report *report, struct ep_annotate_target *target,
	struct ep_annotation *out)
{
	struct ep_report own = *report;
	__attribute__((cleanup(finish))) struct ep_annotator a = {
		.builder = { .trace = trace,
			.symbols = symbols,
			.report = &own,
			.squares = ep_drawn_squares(trace, report) },
		.out = out,
		.all.dimension = target->is_loop ? EP_BY_LINE : EP_BY_SYMBOL,
		.lines.dimension = EP_BY_LINE,
		.instructions.dimension = EP_BY_LINE,
		.loops.dimension = EP_BY_LINE,
	};
	int rc;

	*out = (struct ep_annotation){ .report = report, .target = *target };
	out->sources.run_start_ns =
		ep_trace_process_number(&trace->processes[0], EP_META_REALTIME, 0);
	*target = (struct ep_annotate_target){ 0 };
	rc = make(&a);
	if (rc)
		ep_annotation_finish(out);
	return rc;
}
