// SPDX-License-Identifier: BSD-3-Clause
/* Sums of callgrind's costs by procedure, line, instruction and call, over all files. One thread runs it. */
#include <errno.h>
#include <stdlib.h>

#include "reporter/load/costs_private.h"

void ep_costs_finish(struct ep_costs *costs)
{
	free(costs->procedures);
	free(costs->lines);
	free(costs->instructions);
	free(costs->calls);
	ep_index_finish(&costs->procedure_index);
	ep_index_finish(&costs->line_index);
	ep_index_finish(&costs->instruction_index);
	ep_index_finish(&costs->call_index);
	*costs = (struct ep_costs){ 0 };
}

static bool same_procedure(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_costs_procedure *a = &((const struct ep_costs *)owner)->procedures[idx];
	const struct ep_costs_procedure *b = key;

	return a->name == b->name && a->file == b->file && a->object == b->object;
}

static bool same_line(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_costs_line *a = &((const struct ep_costs *)owner)->lines[idx], *b = key;

	return a->procedure_idx == b->procedure_idx && a->line == b->line && a->file == b->file;
}

static bool same_instruction(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_costs_instruction *a = &((const struct ep_costs *)owner)->instructions[idx];
	const struct ep_costs_instruction *b = key;

	return a->address == b->address && a->procedure_idx == b->procedure_idx &&
	       a->is_of_calls == b->is_of_calls && a->floating_event == b->floating_event;
}

static bool same_call(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_costs_call *a = &((const struct ep_costs *)owner)->calls[idx], *b = key;

	return a->caller_idx == b->caller_idx && a->callee_idx == b->callee_idx;
}

int ep_costs_find_procedure(
	struct ep_costs *costs, const struct ep_costs_procedure *key, uint32_t *out)
{
	uint64_t hash = ep_hash_mix(
		ep_hash_mix((uintptr_t)key->name, (uintptr_t)key->file), (uintptr_t)key->object);

	*out = ep_index_find(&costs->procedure_index, hash, same_procedure, costs, key);
	if (*out != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(costs->procedures, costs->n_procedures, costs->procedure_capacity) ||
		ep_index_add(&costs->procedure_index, hash, costs->n_procedures))
		return -ENOMEM;
	*out = costs->n_procedures++;
	costs->procedures[*out] = *key;
	return 0;
}

static struct ep_costs_in_file *in_file(struct ep_costs_reader *r, uint32_t procedure_idx)
{
	while (r->n_procedures <= procedure_idx) {
		if (EP_ARRAY_RESERVE(r->procedures, r->n_procedures, r->procedure_capacity))
			return NULL;
		r->procedures[r->n_procedures++] = (struct ep_costs_in_file){ .is_called = false };
	}
	return &r->procedures[procedure_idx];
}

static struct ep_costs_line *find_line(struct ep_costs *costs, const struct ep_costs_line *key)
{
	uint64_t hash =
		ep_hash_mix((uint64_t)key->procedure_idx << 32 | key->line, (uintptr_t)key->file);
	uint32_t idx = ep_index_find(&costs->line_index, hash, same_line, costs, key);

	if (idx != EP_NONE)
		return &costs->lines[idx];
	if (EP_ARRAY_RESERVE(costs->lines, costs->n_lines, costs->line_capacity) ||
		ep_index_add(&costs->line_index, hash, costs->n_lines))
		return NULL;
	costs->lines[costs->n_lines] = *key;
	return &costs->lines[costs->n_lines++];
}

static struct ep_costs_call *find_call(struct ep_costs *costs, const struct ep_costs_call *key)
{
	uint64_t hash = ep_hash_mix(key->caller_idx, key->callee_idx);
	uint32_t idx = ep_index_find(&costs->call_index, hash, same_call, costs, key);

	if (idx != EP_NONE)
		return &costs->calls[idx];
	if (EP_ARRAY_RESERVE(costs->calls, costs->n_calls, costs->call_capacity) ||
		ep_index_add(&costs->call_index, hash, costs->n_calls))
		return NULL;
	costs->calls[costs->n_calls] = *key;
	return &costs->calls[costs->n_calls++];
}

static struct ep_costs_instruction *find_instruction(
	struct ep_costs *costs, const struct ep_costs_instruction *key)
{
	uint64_t kind = (uint64_t)key->floating_event << 1 | key->is_of_calls;
	uint64_t hash = ep_hash_mix(key->address, kind << 32 | key->procedure_idx);
	uint32_t idx = ep_index_find(&costs->instruction_index, hash, same_instruction, costs, key);

	if (idx != EP_NONE)
		return &costs->instructions[idx];
	if (EP_ARRAY_RESERVE(
		    costs->instructions, costs->n_instructions, costs->instruction_capacity) ||
		ep_index_add(&costs->instruction_index, hash, costs->n_instructions))
		return NULL;
	costs->instructions[costs->n_instructions] = *key;
	return &costs->instructions[costs->n_instructions++];
}

/* Returns the class of an instruction: it has one class, or none (EP_N_FLOATING_EVENTS). */
static uint8_t floating_event_of(const struct ep_floating_counts *floating)
{
	uint8_t event = 0;

	while (event < EP_N_FLOATING_EVENTS && !floating->of[event])
		event++;
	return event;
}

/* Adds costs to an instruction. floating NULL: the counts are the inclusive costs of calls that the
 * instruction made. */
static int add_instruction(struct ep_costs_reader *r, const struct ep_counts *counts,
	const struct ep_floating_counts *floating)
{
	struct ep_costs_instruction key = {
		.address = r->n_positions == 2 ? r->at[0] : EP_COSTS_NO_ADDRESS,
		.procedure_idx = r->procedure_idx,
		.is_of_calls = !floating,
		.floating_event = floating ? floating_event_of(floating) : EP_N_FLOATING_EVENTS,
	};
	struct ep_costs_instruction *instruction;

	r->costs->has_instructions |= r->n_positions == 2;
	if (!r->costs->keeps_instructions)
		return 0;
	instruction = find_instruction(r->costs, &key);
	if (!instruction)
		return -ENOMEM;
	ep_counts_add(&instruction->counts, counts);
	if (key.floating_event < EP_N_FLOATING_EVENTS)
		instruction->n_floating += floating->of[key.floating_event];
	return 0;
}

int ep_costs_add_self(struct ep_costs_reader *r, const struct ep_counts *counts,
	const struct ep_floating_counts *floating)
{
	struct ep_costs_line key = { r->procedure_idx, r->file, (uint32_t)r->at[1],
		.self = { { 0 } } };
	struct ep_costs_line *line = find_line(r->costs, &key);
	struct ep_costs_in_file *procedure = in_file(r, r->procedure_idx);

	if (!line || !procedure)
		return -ENOMEM;
	ep_counts_add(&line->self, counts);
	ep_counts_add(&procedure->self, counts);
	ep_counts_add(&r->self, counts);
	if (r->has_floating) {
		ep_floating_add(&line->floating, floating);
		ep_floating_add(&r->costs->procedures[r->procedure_idx].floating, floating);
		ep_floating_add(&r->floating, floating);
	}
	return add_instruction(r, counts, floating);
}

int ep_costs_add_call(struct ep_costs_reader *r, const struct ep_counts *counts)
{
	struct ep_costs_line line_key = { r->procedure_idx, r->file, (uint32_t)r->at[1],
		.self = { { 0 } } };
	struct ep_costs_call call_key = { .caller_idx = r->procedure_idx,
		.callee_idx = r->called_idx };
	struct ep_costs_line *line = find_line(r->costs, &line_key);
	struct ep_costs_call *call = find_call(r->costs, &call_key);
	struct ep_costs_in_file *callee, *caller;

	if (!line || !call || !in_file(r, r->procedure_idx) || !in_file(r, r->called_idx))
		return -ENOMEM;
	caller = &r->procedures[r->procedure_idx];
	callee = &r->procedures[r->called_idx];
	callee->is_called = true;
	ep_counts_add(&caller->calls, counts);
	ep_counts_add(&callee->called, counts);
	ep_counts_add(&line->calls, counts);
	ep_counts_add(&call->counts, counts);
	call->n_calls += r->n_calls;
	return add_instruction(r, counts, NULL);
}
