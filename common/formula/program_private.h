/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the compiled form, for the compiler and the evaluators. */
#ifndef EVPROF_COMMON_FORMULA_PROGRAM_PRIVATE_H
#define EVPROF_COMMON_FORMULA_PROGRAM_PRIVATE_H

#include "common/containers/names.h"
#include "common/formula/program.h"

/* An instruction. Its result is the value whose number is the instruction's index. operand: numbers of earlier values;
 * for EP_OP_NAME, EP_OP_LITERAL, EP_OP_CPUID_MATCH, EP_OP_HAS_EVENT and EP_OP_SOURCE_COUNT an input; for EP_OP_ABSENT a
 * definition. */
struct ep_instruction {
	enum ep_op op;
	uint32_t operand[3];
	double number;
};

struct ep_program {
	struct ep_instruction *code; /* (n_code) instructions in their order */
	uint32_t n_code, capacity_code;
	struct ep_names inputs;  /* texts that begin with a letter for the kind: "e", "#" or "?" */
	char **definition_names; /* (n_definitions) names for results */
	uint32_t *values;        /* (n_definitions) indexes into code */
	uint32_t n_definitions;
};

#endif
