// SPDX-License-Identifier: BSD-3-Clause
/* Finds the code of the annotated place, and lists its instructions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/annotate/annotator.h"

/* The most procedures whose code is shown. If a procedure is inlined in more of them, the others are left
 * out. */
#define MOST_REGIONS 64

static bool is_in(const struct ep_code_region *region, uint32_t module_idx, uint64_t address)
{
	return region->module_idx == module_idx && address >= region->code.address &&
	       address - region->code.address < region->code.n_bytes;
}

static bool is_known(const struct ep_annotator *a, uint32_t module_idx, uint64_t address)
{
	for (uint32_t i = 0; i < a->n_regions; i++)
		if (is_in(&a->regions[i], module_idx, address))
			return true;
	return false;
}

int ep_annotator_add_region(struct ep_annotator *a, uint32_t module_idx, uint64_t address)
{
	struct ep_code_region region = { .module_idx = module_idx };

	if (is_known(a, module_idx, address) || a->n_regions == MOST_REGIONS ||
		!ep_symbols_code(a->builder.symbols, module_idx, address, &region.code))
		return 0;
	if (EP_ARRAY_RESERVE(a->regions, a->n_regions, a->region_capacity))
		return -ENOMEM;
	a->regions[a->n_regions++] = region;
	return 0;
}

/* Adds the code at a path's address if the address belongs to the annotated place. */
static int look_at_path(struct ep_annotator *a, const struct ep_path *path, bool is_return)
{
	struct ep_own_frames frames;

	if (ep_annotator_look(a, path->module_idx, path->address, is_return, &frames))
		return -ENOMEM;
	return frames.n ? ep_annotator_add_region(a, path->module_idx, path->address - is_return)
			: 0;
}

static int find_regions(struct ep_annotator *a)
{
	const struct ep_trace *trace = a->builder.trace;
	int rc = 0;

	for (uint32_t i = 0; i < trace->n_paths && !rc; i++)
		rc = look_at_path(a, &trace->paths[i], trace->paths[i].cost_idx == EP_NONE);
	return rc;
}

static int by_address(const void *a, const void *b)
{
	const struct ep_code_region *x = a, *y = b;

	if (x->module_idx != y->module_idx)
		return x->module_idx < y->module_idx ? -1 : 1;
	return (x->code.address > y->code.address) - (x->code.address < y->code.address);
}

static int add_instruction(
	struct ep_annotator *a, uint32_t module_idx, const struct ep_listing *listing, uint32_t i)
{
	const struct ep_listed_instruction *row = &listing->rows[i];
	struct ep_annotation *out = a->out;
	struct ep_own_frames frames;
	struct ep_annotated_instruction instruction = {
		.module_idx = module_idx, .address = row->address, .n_bytes = row->n_bytes
	};
	const struct ep_annotated_instruction *before =
		out->n_instructions ? &out->instructions[out->n_instructions - 1] : NULL;

	if (ep_annotator_look(a, module_idx, row->address, false, &frames))
		return -ENOMEM;
	if (!frames.n)
		return 0;
	instruction.loop_idx = frames.loop_idx;
	instruction.is_blocked = row->is_blocked;
	instruction.is_first = !before || before->module_idx != module_idx ||
			       before->address + before->n_bytes != row->address;
	instruction.text = ep_strings_add(
		&out->texts, ep_listing_text(listing, i), strlen(ep_listing_text(listing, i)));
	if (!instruction.text ||
		ep_line_id(&a->lines.tallies,
			&(struct ep_line){ ep_own_symbol(a, &frames, 0), frames.rows[0].file,
				frames.rows[0].line },
			&instruction.line_idx) ||
		EP_ARRAY_RESERVE(out->instructions, out->n_instructions, a->instruction_capacity))
		return -ENOMEM;
	out->instructions[out->n_instructions++] = instruction;
	return 0;
}

static int list_region(struct ep_annotator *a, const struct ep_code_region *region)
{
	__attribute__((cleanup(ep_listing_finish))) struct ep_listing listing = { 0 };
	int rc = ep_listing_create(&region->code, &listing);

	if (rc == -ENOTSUP || rc == -E2BIG || rc == -ENOSYS) {
		a->out->code = rc == -ENOTSUP ? EP_CODE_UNREADABLE
			       : rc == -E2BIG ? EP_CODE_TOO_MUCH
					      : EP_CODE_NO_CAPSTONE;
		return 0;
	}
	a->out->machine = region->code.machine;
	if (!rc)
		rc = ep_forwarding_mark(&region->code, &listing);
	for (uint32_t i = 0; i < listing.n_rows && !rc; i++)
		rc = add_instruction(a, region->module_idx, &listing, i);
	return rc;
}

uint32_t ep_annotator_instruction(
	const struct ep_annotator *a, uint32_t module_idx, uint64_t address)
{
	const struct ep_annotation *out = a->out;
	uint32_t low = 0, high = out->n_instructions;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ep_annotated_instruction *row = &out->instructions[middle];

		if (row->module_idx < module_idx ||
			(row->module_idx == module_idx && row->address + row->n_bytes <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low < out->n_instructions && out->instructions[low].module_idx == module_idx &&
			       out->instructions[low].address <= address
		       ? low
		       : EP_NONE;
}

/* Returns why no instructions can be shown; EP_CODE_SHOWN: no reason is known yet. */
static enum ep_annotated_code judge(const struct ep_annotator *a)
{
	const struct ep_trace *trace = a->builder.trace;
	uint32_t module_idx =
		ep_symbols_get(a->builder.symbols, a->out->target.symbol_idx)->module_idx;

	if (trace->exact)
		return ep_annotated_has_exact_code(trace) ? EP_CODE_SHOWN : EP_CODE_BY_LINE;
	if (module_idx == EP_NONE)
		return EP_CODE_AT_RUN_TIME;
	return trace->modules[module_idx].is_script ? EP_CODE_SCRIPT : EP_CODE_SHOWN;
}

int ep_annotator_list_code(struct ep_annotator *a)
{
	int rc;

	a->out->code = judge(a);
	if (a->out->code != EP_CODE_SHOWN)
		return 0;
	rc = a->builder.trace->exact ? ep_annotator_find_exact_regions(a) : find_regions(a);
	if (!rc && !a->n_regions)
		a->out->code = EP_CODE_ABSENT;
	qsort(a->regions, a->n_regions, sizeof(*a->regions), by_address);
	for (uint32_t i = 0; i < a->n_regions && !rc; i++)
		rc = list_region(a, &a->regions[i]);
	if (!rc && a->out->n_instructions)
		a->out->code = EP_CODE_SHOWN;
	return rc;
}
