/* SPDX-License-Identifier: BSD-3-Clause */
/* The strict and the perf evaluator share these declarations. */
#ifndef EVPROF_COMMON_FORMULA_EVAL_PRIVATE_H
#define EVPROF_COMMON_FORMULA_EVAL_PRIVATE_H

#include "common/formula/program_private.h"

struct ep_eval_cell {
	double value; /* NaN: absent */
	double coverage;
	enum ep_absence why;
	uint32_t subject;
};

/* An instruction with the inputs and the values of its operands. */
struct ep_eval_frame {
	const struct ep_instruction *in;
	const struct ep_measured *inputs;
	const struct ep_eval_cell *a, *b, *c;
};

typedef struct ep_eval_cell (*ep_eval_cell_fn)(const struct ep_eval_frame *frame);

struct ep_scratch {
	struct ep_eval_cell *cells; /* (n_code) the values of instructions */
	struct ep_measured *inputs; /* (I) a copy of the inputs */
	double *moved, *low;        /* (D) the values with one input moved */
};

void ep_eval_run(const struct ep_program *program, const ep_eval_cell_fn *functions,
	const struct ep_measured *inputs, struct ep_eval_cell *cells);
struct ep_result ep_eval_cell_result(
	const struct ep_program *program, const struct ep_eval_cell *cell);

#endif
