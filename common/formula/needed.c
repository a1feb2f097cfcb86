// SPDX-License-Identifier: BSD-3-Clause
/* Finds which instructions and inputs of a finished program a value needs. */
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/formula/program_private.h"

static bool reads_input(enum ep_op op)
{
	return ep_op_info[op].form == EP_FORM_TEXT;
}

/* Marks the operands of all marked instructions, then the operands of these, and so on. The shape of needed is
 * (n_code). */
static void mark_needed(const struct ep_program *program, bool *needed)
{
	for (uint32_t i = program->n_code; i-- > 0;) {
		const struct ep_instruction *in = &program->code[i];

		for (unsigned k = 0; needed[i] && k < ep_op_n_operands(in->op); k++)
			needed[in->operand[k]] = true;
	}
}

void ep_program_mark_inputs(
	const struct ep_program *program, uint32_t definition_idx, bool *out_used)
{
	EP_AUTOFREE bool *needed = calloc(program->n_code + 1, sizeof(*needed));

	for (uint32_t i = 0; i < program->inputs.n_names; i++)
		out_used[i] = !needed; /* without memory all inputs are marked, which is safe */
	if (!needed)
		return;
	needed[program->values[definition_idx]] = true;
	mark_needed(program, needed);
	for (uint32_t i = 0; i < program->n_code; i++)
		if (needed[i] && reads_input(program->code[i].op))
			out_used[program->code[i].operand[0]] = true;
}
