// SPDX-License-Identifier: BSD-3-Clause
/* Facts about finished programs: which inputs a value needs, how long a value is needed. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/formula/program_private.h"

static bool reads_input(enum ep_op op)
{
	return ep_op_info[op].form == EP_FORM_TEXT;
}

void ep_program_mark_needed(const struct ep_program *program, bool *needed)
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
		out_used[i] = !needed; /* without memory: all of them, which is safe */
	if (!needed)
		return;
	needed[program->values[definition_idx]] = true;
	ep_program_mark_needed(program, needed);
	for (uint32_t i = 0; i < program->n_code; i++)
		if (needed[i] && reads_input(program->code[i].op))
			out_used[program->code[i].operand[0]] = true;
}

static void mark_last_uses(const struct ep_program *program, uint32_t *last_use)
{
	for (uint32_t i = 0; i < program->n_code; i++) {
		const struct ep_instruction *in = &program->code[i];

		last_use[i] = i;
		for (unsigned k = 0; k < ep_op_n_operands(in->op); k++)
			last_use[in->operand[k]] = i;
	}
	/* Outputs are copied after the last instruction. */
	for (uint32_t i = 0; i < program->n_definitions; i++)
		last_use[program->values[i]] = program->n_code;
}

int ep_program_assign_rows(struct ep_program *program)
{
	uint32_t n_code = program->n_code, n_free = 0;
	EP_AUTOFREE uint32_t *last_use = calloc(n_code + 1, sizeof(*last_use));
	EP_AUTOFREE uint32_t *free_rows = calloc(n_code + 1, sizeof(*free_rows));

	program->rows = calloc(n_code + 1, sizeof(*program->rows));
	if (!last_use || !free_rows || !program->rows)
		return -ENOMEM;
	mark_last_uses(program, last_use);
	for (uint32_t i = 0; i < n_code; i++) {
		const struct ep_instruction *in = &program->code[i];

		program->rows[i] = n_free ? free_rows[--n_free] : program->n_rows++;
		for (unsigned k = 0; k < ep_op_n_operands(in->op); k++) {
			uint32_t used = in->operand[k];

			if (last_use[used] != i)
				continue;
			free_rows[n_free++] = program->rows[used];
			last_use[used] = n_code; /* an operand used twice is freed once */
		}
	}
	return 0;
}
