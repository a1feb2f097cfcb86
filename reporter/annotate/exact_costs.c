// SPDX-License-Identifier: BSD-3-Clause
/* Adds up callgrind's costs of instructions by line, instruction and loop. One thread. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotator.h"

bool ep_annotated_has_exact_code(const struct ep_trace *trace)
{
	return trace->exact && trace->exact->keeps_instructions && trace->exact->has_instructions;
}

/* Tells for each procedure of callgrind (n_procedures) whether it may have annotated code. If a loop is
 * annotated, any procedure may, since the loop may be inlined anywhere. NULL: there is no memory. */
static bool *find_procedures(struct ep_annotator *a)
{
	const struct ep_costs *costs = a->builder.trace->exact;
	bool *is_target = calloc(costs->n_procedures + 1, sizeof(*is_target));

	for (uint32_t i = 0; is_target && i < costs->n_procedures; i++) {
		uint32_t symbol_idx;

		if (ep_exact_symbol(costs, i, a->builder.symbols, &symbol_idx)) {
			free(is_target);
			return NULL;
		}
		is_target[i] = costs->procedures[i].module_idx != EP_NONE &&
			       (a->out->target.is_loop || symbol_idx == a->out->target.symbol_idx);
	}
	return is_target;
}

/* Calls take for each instruction of the annotated place. Returns 0 or -ENOMEM. */
static int walk(struct ep_annotator *a,
	int (*take)(struct ep_annotator *a, uint32_t module_idx,
		const struct ep_costs_instruction *row, const struct ep_own_frames *frames))
{
	const struct ep_costs *costs = a->builder.trace->exact;
	EP_AUTOFREE bool *is_target = find_procedures(a);
	int rc = is_target ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < costs->n_instructions && !rc; i++) {
		const struct ep_costs_instruction *row = &costs->instructions[i];
		uint32_t module_idx = costs->procedures[row->procedure_idx].module_idx;
		struct ep_own_frames frames;

		if (!is_target[row->procedure_idx] || row->address == EP_COSTS_NO_ADDRESS)
			continue;
		rc = ep_annotator_look(a, module_idx, row->address, false, &frames);
		if (!rc && frames.n)
			rc = take(a, module_idx, row, &frames);
	}
	return rc;
}

static int take_region(struct ep_annotator *a, uint32_t module_idx,
	const struct ep_costs_instruction *row, const struct ep_own_frames *frames)
{
	return ep_annotator_add_region(a, module_idx, row->address);
}

int ep_annotator_find_exact_regions(struct ep_annotator *a)
{
	return walk(a, take_region);
}

/* ---- costs ---- */

static int add(struct ep_annotator *a, struct ep_place_tallies *places, uint32_t id,
	const struct ep_costs_instruction *row)
{
	struct ep_tally *tally = id == EP_NONE ? NULL : ep_tally_of(&places->tallies, id);

	if (id == EP_NONE)
		return 0;
	return tally ? ep_tally_add_exact(a->builder.trace, tally, row) : -ENOMEM;
}

static int add_total(
	struct ep_place_tallies *places, uint32_t id, const struct ep_costs_instruction *row)
{
	struct ep_tally *tally = ep_tally_of(&places->tallies, id);

	if (!tally)
		return -ENOMEM;
	tally->total_us += ep_counts_cycles(&row->counts);
	return 0;
}

/* Adds costs to the line of the innermost frame, and to the totals of the lines of all frames. */
static int add_lines(struct ep_annotator *a, const struct ep_costs_instruction *row,
	const struct ep_own_frames *frames)
{
	uint32_t before = EP_NONE;

	for (uint32_t i = 0; i < frames->n; i++) {
		const struct ep_frame *frame = &frames->rows[i];
		uint32_t line;

		if (ep_line_id(&a->lines.tallies,
			    &(struct ep_line){
				    ep_own_symbol(a, frames, i), frame->file, frame->line },
			    &line) ||
			(!i && add(a, &a->lines, line, row)) ||
			(line != before && add_total(&a->lines, line, row)))
			return -ENOMEM;
		before = line;
	}
	return 0;
}

static int add_costs(struct ep_annotator *a, uint32_t module_idx,
	const struct ep_costs_instruction *row, const struct ep_own_frames *frames)
{
	uint32_t instruction = ep_annotator_instruction(a, module_idx, row->address);

	if (add_lines(a, row, frames) || add(a, &a->all, 0, row) || add_total(&a->all, 0, row) ||
		add(a, &a->instructions, instruction, row) ||
		(instruction != EP_NONE && add_total(&a->instructions, instruction, row)) ||
		add(a, &a->loops, frames->loop_idx, row))
		return -ENOMEM;
	for (uint32_t loop = frames->loop_idx; loop != EP_NONE;
		loop = a->out->loops[loop].parent_idx)
		if (add_total(&a->loops, loop, row))
			return -ENOMEM;
	return 0;
}

/* Limits totals to the time of the whole run. They may exceed it, since callgrind counts a recursive call
 * once more, with all that it calls. */
static void keep_below_all(struct ep_annotator *a)
{
	uint64_t all = a->builder.report->sampled_ns / ep_unit_ns(a->builder.trace);
	struct ep_attribution *const kinds[] = { &a->all.tallies, &a->lines.tallies,
		&a->instructions.tallies, &a->loops.tallies };

	for (size_t k = 0; k < EP_ARRAY_SIZE(kinds); k++)
		for (uint32_t i = 0; i < kinds[k]->n_tallies; i++)
			if (kinds[k]->tallies[i].total_us > all)
				kinds[k]->tallies[i].total_us = all;
}

int ep_annotator_add_exact_costs(struct ep_annotator *a)
{
	int rc = walk(a, add_costs);

	keep_below_all(a);
	return rc;
}
