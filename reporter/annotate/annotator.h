/* SPDX-License-Identifier: BSD-3-Clause */
/* An annotation while it is made. */
#ifndef EVPROF_REPORTER_ANNOTATE_ANNOTATOR_H
#define EVPROF_REPORTER_ANNOTATE_ANNOTATOR_H

#include "reporter/annotate/annotate.h"
#include "reporter/facts/builder.h"
#include "reporter/loops/forwarding.h"

/* The code of one procedure that is the target's, or has it inlined. */
struct ep_code_region {
	uint32_t module_idx;
	struct ep_procedure_code code;
};

/* Costs of one kind of place, by its index. */
struct ep_place_tallies {
	struct ep_attribution tallies;
	enum ep_dimension dimension; /* which mixed slices its counts may be others' by */
	uint32_t *last_path;         /* (n, capacity) plus one: whose time the total has already */
	uint32_t n, capacity;
};

struct ep_annotator {
	struct ep_builder builder;
	struct ep_annotation *out;
	struct ep_code_region *regions;
	uint32_t n_regions, region_capacity;
	struct ep_place_tallies all, lines, instructions, loops; /* lines' has the lines */
	uint32_t *loop_of_place; /* (n_loop_places) of out->loops plus one; 0: not asked yet */
	uint32_t n_loop_places;
	uint32_t instruction_capacity, loop_capacity;
};

/* Frames of an address that are the target's, innermost first; n 0: it is not the target's. */
struct ep_own_frames {
	const struct ep_frame *rows; /* good until the next look */
	uint32_t n;
	uint32_t loop_idx; /* of out->loops, EP_NONE */
};

/* The procedure of frame i: callgrind's and the one that the code's own lines tell are one. */
static inline uint32_t ep_own_symbol(
	const struct ep_annotator *a, const struct ep_own_frames *frames, uint32_t i)
{
	bool is_target = a->builder.trace->exact && !a->out->target.is_loop && i + 1 == frames->n;

	return is_target ? a->out->target.symbol_idx : frames->rows[i].symbol_idx;
}

/* 0 or -ENOMEM. */
int ep_annotator_look(struct ep_annotator *a, uint32_t module_idx, uint64_t address, bool is_return,
	struct ep_own_frames *out) EP_MUST_CHECK;
/* code.c: finds the target's code and lists its instructions. 0 or -ENOMEM. */
int ep_annotator_list_code(struct ep_annotator *a) EP_MUST_CHECK;
/* Adds the code of the procedure at an address, once. 0 or -ENOMEM. */
int ep_annotator_add_region(
	struct ep_annotator *a, uint32_t module_idx, uint64_t address) EP_MUST_CHECK;
/* exact_costs.c: the same as list_code's search and add_costs by callgrind's costs of instructions. 0 or -ENOMEM. */
int ep_annotator_find_exact_regions(struct ep_annotator *a) EP_MUST_CHECK;
int ep_annotator_add_exact_costs(struct ep_annotator *a) EP_MUST_CHECK;
bool ep_annotated_has_exact_code(const struct ep_trace *trace);
/* costs.c: adds up the samples. 0 or -ENOMEM. */
int ep_annotator_add_costs(struct ep_annotator *a) EP_MUST_CHECK;
/* The instruction at an address; EP_NONE: none is listed. */
uint32_t ep_annotator_instruction(
	const struct ep_annotator *a, uint32_t module_idx, uint64_t address);

#endif
