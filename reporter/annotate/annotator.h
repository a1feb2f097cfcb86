/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds the state of an annotation while it is made. */
#ifndef EVPROF_REPORTER_ANNOTATE_ANNOTATOR_H
#define EVPROF_REPORTER_ANNOTATE_ANNOTATOR_H

#include "reporter/annotate/annotate.h"
#include "reporter/facts/builder.h"
#include "reporter/loops/forwarding.h"

/* The code of one procedure that is annotated, or that has annotated code inlined. */
struct ep_code_region {
	uint32_t module_idx;
	struct ep_procedure_code code;
};

/* The costs of places of one kind, by the place's index. */
struct ep_place_tallies {
	struct ep_attribution tallies;
	enum ep_dimension dimension; /* a slice with several places of this kind is mixed */
	uint32_t *last_path; /* (n) last path that was added to each total, index plus one */
	uint32_t n, capacity;
};

struct ep_annotator {
	struct ep_builder builder;
	struct ep_annotation *out;
	struct ep_code_region *regions;
	uint32_t n_regions, region_capacity;
	/* lines.tallies also lists the lines themselves */
	struct ep_place_tallies all, lines, instructions, loops;
	/* (n_loop_places) for each loop of the program, index into out->loops plus one; 0: not looked at;
	 * EP_NONE: not shown */
	uint32_t *loop_of_place;
	uint32_t n_loop_places;
	uint32_t instruction_capacity, loop_capacity;
};

/* The frames of an address that belong to the annotated place, innermost first; n 0: the address does not
 * belong to that place. */
struct ep_own_frames {
	const struct ep_frame *rows; /* valid until the next call of ep_annotator_look */
	uint32_t n;
	uint32_t loop_idx; /* index into out->loops, or EP_NONE */
};

/* Returns the procedure of frame i. Callgrind and the debug information may name the annotated procedure
 * differently; both names are taken for the annotated procedure. */
static inline uint32_t ep_own_symbol(
	const struct ep_annotator *a, const struct ep_own_frames *frames, uint32_t i)
{
	bool is_target = a->builder.trace->exact && !a->out->target.is_loop && i + 1 == frames->n;

	return is_target ? a->out->target.symbol_idx : frames->rows[i].symbol_idx;
}

/* Finds which frames of an address belong to the annotated place. Returns 0 or -ENOMEM. */
int ep_annotator_look(struct ep_annotator *a, uint32_t module_idx, uint64_t address, bool is_return,
	struct ep_own_frames *out) EP_MUST_CHECK;
/* Finds the code and lists its instructions (code.c). Returns 0 or -ENOMEM. */
int ep_annotator_list_code(struct ep_annotator *a) EP_MUST_CHECK;
/* Adds the code of the procedure at an address, if it is not there yet. Returns 0 or -ENOMEM. */
int ep_annotator_add_region(
	struct ep_annotator *a, uint32_t module_idx, uint64_t address) EP_MUST_CHECK;
/* If callgrind counted costs of instructions, these two replace the search for code in ep_annotator_list_code
 * and the adding of samples in ep_annotator_add_costs (exact_costs.c). They return 0 or -ENOMEM. */
int ep_annotator_find_exact_regions(struct ep_annotator *a) EP_MUST_CHECK;
int ep_annotator_add_exact_costs(struct ep_annotator *a) EP_MUST_CHECK;
bool ep_annotated_has_exact_code(const struct ep_trace *trace);
/* Adds up the samples (costs.c). Returns 0 or -ENOMEM. */
int ep_annotator_add_costs(struct ep_annotator *a) EP_MUST_CHECK;
/* Returns the index of the instruction at an address; EP_NONE: it is not listed. */
uint32_t ep_annotator_instruction(
	const struct ep_annotator *a, uint32_t module_idx, uint64_t address);

#endif
