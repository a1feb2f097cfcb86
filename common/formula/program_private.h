/* SPDX-License-Identifier: BSD-3-Clause */
/* The compiled form, shared by the compiler and the evaluators. */
#ifndef EVPROF_COMMON_FORMULA_PROGRAM_PRIVATE_H
#define EVPROF_COMMON_FORMULA_PROGRAM_PRIVATE_H

#include "common/containers/names.h"
#include "common/formula/program.h"

/* An instruction's result is the value with the instruction's number. operand: earlier values; an input for
 * EP_OP_NAME, EP_OP_LITERAL, EP_OP_CPUID_MATCH, EP_OP_HAS_EVENT and EP_OP_SOURCE_COUNT; a definition for
 * EP_OP_ABSENT. */
struct ep_instruction {
	enum ep_op op;
	uint32_t operand[3];
	double number;
};

struct ep_program {
	struct ep_instruction *code; /* (n_code) */
	uint32_t n_code, capacity_code;
	struct ep_names inputs;  /* texts with a kind letter in front: "e", "#" or "?" */
	char **definition_names; /* (n_definitions) */
	uint32_t *values;        /* (n_definitions): index into code */
	uint32_t n_definitions;
};

#endif
