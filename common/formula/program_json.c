// SPDX-License-Identifier: BSD-3-Clause
/* Prints a program as JSON, for evaluators in other languages. Any thread may call these functions. */
#include <inttypes.h>
#include <math.h>

#include "common/formula/program_private.h"

static const char *const op_names[EP_N_OPS] = {
	[EP_OP_NUMBER] = "number",
	[EP_OP_NAN] = "nan",
	[EP_OP_NAME] = "input",
	[EP_OP_LITERAL] = "input",
	[EP_OP_HAS_EVENT] = "has",
	[EP_OP_SOURCE_COUNT] = "sources",
	[EP_OP_CPUID_MATCH] = "match",
	[EP_OP_NEGATE] = "negate",
	[EP_OP_OR] = "or",
	[EP_OP_XOR] = "xor",
	[EP_OP_AND] = "and",
	[EP_OP_LESS] = "less",
	[EP_OP_GREATER] = "greater",
	[EP_OP_LESS_EQUAL] = "less_equal",
	[EP_OP_GREATER_EQUAL] = "greater_equal",
	[EP_OP_EQUAL] = "equal",
	[EP_OP_NOT_EQUAL] = "not_equal",
	[EP_OP_ADD] = "add",
	[EP_OP_SUBTRACT] = "subtract",
	[EP_OP_MULTIPLY] = "multiply",
	[EP_OP_DIVIDE] = "divide",
	[EP_OP_MODULO] = "modulo",
	[EP_OP_MIN] = "min",
	[EP_OP_MAX] = "max",
	[EP_OP_D_RATIO] = "d_ratio",
	[EP_OP_SELECT] = "select",
	[EP_OP_ABSENT] = "nan",
};

static unsigned n_operands_of(enum ep_op op)
{
	switch (op) {
	case EP_OP_NAME:
	case EP_OP_LITERAL:
	case EP_OP_HAS_EVENT:
	case EP_OP_SOURCE_COUNT:
	case EP_OP_CPUID_MATCH:
		return 1;
	default:
		return ep_op_n_operands(op);
	}
}

void ep_program_print_json(const struct ep_program *program, uint32_t n_values, FILE *out)
{
	fputs("\"code\":[", out);
	for (uint32_t i = 0; i < program->n_code; i++) {
		const struct ep_instruction *in = &program->code[i];

		fprintf(out, "%s[\"%s\"", i ? "," : "", op_names[in->op]);
		if (in->op == EP_OP_NUMBER)
			fprintf(out, isfinite(in->number) ? ",%.17g" : ",null", in->number);
		for (unsigned k = 0; k < n_operands_of(in->op); k++)
			fprintf(out, ",%" PRIu32, in->operand[k]);
		fputc(']', out);
	}
	fputs("],\"values\":[", out);
	for (uint32_t i = 0; i < n_values && i < program->n_definitions; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", program->values[i]);
	fputc(']', out);
}
