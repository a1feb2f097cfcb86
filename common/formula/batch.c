// SPDX-License-Identifier: BSD-3-Clause
/*
 * Strict values of many cells: blocks of cells that stay in the cache, one vector loop per
 * instruction. An absent value is a NaN; the reasons come from the scalar evaluator on demand.
 * Any thread. L lanes per block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/arith.h"
#include "common/formula/clones.h"
#include "common/formula/program_private.h"

enum { N_LANES = 128 };

typedef double lane_block[N_LANES];

struct operands {
	double *restrict out; /* (L), as are the others */
	const double *a, *b, *c;
};

typedef void (*block_fn)(const struct operands *o);

static inline double finite_or_nan(double value)
{
	return fabs(value) <= __DBL_MAX__ ? value : NAN;
}

/* NaN in a or b wins over what the comparison gave. */
static inline double unless_nan(double a, double b, double value)
{
	return a == a && b == b ? value : NAN;
}

#define BLOCK(name, expression)                                                                    \
	EP_VECTOR_CLONES static void block_##name(const struct operands *o)                        \
	{                                                                                          \
		double *restrict out = o->out;                                                     \
		const double *pa = o->a, *pb = o->b, *pc = o->c;                                   \
                                                                                                   \
		for (int i = 0; i < N_LANES; i++) {                                                \
			double a = pa[i], b = pb[i], c = pc[i];                                    \
                                                                                                   \
			(void)b;                                                                   \
			(void)c;                                                                   \
			out[i] = (expression);                                                     \
		}                                                                                  \
	}

BLOCK(negate, -a)
BLOCK(xor, unless_nan(a, b, (a != 0) != (b != 0) ? 1 : 0))
BLOCK(less, unless_nan(a, b, a < b ? 1 : 0))
BLOCK(greater, unless_nan(a, b, a > b ? 1 : 0))
BLOCK(less_equal, unless_nan(a, b, a <= b ? 1 : 0))
BLOCK(greater_equal, unless_nan(a, b, a >= b ? 1 : 0))
BLOCK(equal, unless_nan(a, b, a == b ? 1 : 0))
BLOCK(not_equal, unless_nan(a, b, a != b ? 1 : 0))
BLOCK(add, finite_or_nan(a + b))
BLOCK(subtract, finite_or_nan(a - b))
BLOCK(multiply, finite_or_nan(a *b))
BLOCK(divide, finite_or_nan(a / b))
BLOCK(modulo, fabs(b) < 1 ? NAN : finite_or_nan(ep_modulo(a, b)))
BLOCK(min, unless_nan(a, b, ep_min(a, b)))
BLOCK(max, unless_nan(a, b, ep_max(a, b)))
BLOCK(d_ratio, b == 0 && a == a ? 0 : finite_or_nan(a / b))
/* Kleene: NaN (absent) is neither settled nor unsettled. */
BLOCK(or, (a == a && a != 0) || (b == b && b != 0) ? 1 : unless_nan(a, b, 0))
BLOCK(and, a == 0 || b == 0 ? 0 : unless_nan(a, b, 1))
BLOCK(select, b == b ? (b != 0 ? a : c) : NAN)

static const block_fn functions[EP_N_OPS] = {
	[EP_OP_NEGATE] = block_negate,
	[EP_OP_OR] = block_or,
	[EP_OP_XOR] = block_xor,
	[EP_OP_AND] = block_and,
	[EP_OP_LESS] = block_less,
	[EP_OP_GREATER] = block_greater,
	[EP_OP_LESS_EQUAL] = block_less_equal,
	[EP_OP_GREATER_EQUAL] = block_greater_equal,
	[EP_OP_EQUAL] = block_equal,
	[EP_OP_NOT_EQUAL] = block_not_equal,
	[EP_OP_ADD] = block_add,
	[EP_OP_SUBTRACT] = block_subtract,
	[EP_OP_MULTIPLY] = block_multiply,
	[EP_OP_DIVIDE] = block_divide,
	[EP_OP_MODULO] = block_modulo,
	[EP_OP_MIN] = block_min,
	[EP_OP_MAX] = block_max,
	[EP_OP_D_RATIO] = block_d_ratio,
	[EP_OP_SELECT] = block_select,
};

struct vector_batch {
	const struct ep_program *program;
	const double *const *columns;
	const struct ep_measured *constants;
	double *const *outputs;
	lane_block *rows;    /* (n_rows, L) */
	const bool *needed;  /* (n_code) */
	uint32_t *output_of; /* (n_code): a definition that wants the value, or EP_NAME_NONE */
	double **places;     /* (n_code): where a value of the current block is */
};

static void fill(double *row, double value)
{
	for (int i = 0; i < N_LANES; i++)
		row[i] = value;
}

static double constant_of(const struct ep_measured *input)
{
	return input->is_measured ? finite_or_nan(input->value) : NAN;
}

/* Lanes behind the last cell are NaN: they cost nothing and reach no output. */
EP_VECTOR_CLONES static void load_column(const double *column, size_t n, double *row)
{
	for (size_t i = 0; i < n; i++)
		row[i] = finite_or_nan(column[i]);
	for (size_t i = n; i < N_LANES; i++)
		row[i] = NAN;
}

static void load_input(
	const struct vector_batch *b, uint32_t input_idx, size_t first, size_t n, double *row)
{
	const double *column = b->columns[input_idx];

	if (column)
		load_column(column + first, n, row);
	else
		fill(row, constant_of(&b->constants[input_idx]));
}

/* Turns a row of event values into what is asked about them. */
static void answer_query(const struct vector_batch *b, const struct ep_instruction *in, double *row)
{
	const struct ep_measured *input = &b->constants[in->operand[0]];
	double count = input->source_count > 0 ? input->source_count : 1;

	if (in->op == EP_OP_HAS_EVENT)
		for (int i = 0; i < N_LANES; i++)
			row[i] = row[i] == row[i];
	if (in->op == EP_OP_SOURCE_COUNT)
		for (int i = 0; i < N_LANES; i++)
			row[i] = row[i] == row[i] ? count : NAN;
	if (in->op == EP_OP_CPUID_MATCH)
		for (int i = 0; i < N_LANES; i++)
			row[i] = row[i] == row[i] ? row[i] : 0;
}

static void run_leaf(const struct vector_batch *b, const struct ep_instruction *in, size_t first,
	size_t n, double *row)
{
	if (ep_op_info[in->op].form != EP_FORM_TEXT) {
		fill(row, in->op == EP_OP_NUMBER ? finite_or_nan(in->number) : NAN);
		return;
	}
	load_input(b, in->operand[0], first, n, row);
	answer_query(b, in, row);
}

/* Whole blocks of an output are computed where they belong; the rest has rows. */
static void choose_places(const struct vector_batch *b, size_t first, size_t n)
{
	for (uint32_t i = 0; i < b->program->n_code; i++) {
		uint32_t output = b->output_of[i];

		b->places[i] = n == N_LANES && output != EP_NAME_NONE
				       ? b->outputs[output] + first
				       : b->rows[b->program->rows[i]];
	}
}

static void run_block(const struct vector_batch *b, size_t first, size_t n)
{
	const struct ep_program *p = b->program;

	choose_places(b, first, n);
	for (uint32_t i = 0; i < p->n_code; i++) {
		const struct ep_instruction *in = &p->code[i];
		struct operands o = {
			.out = b->places[i],
			.a = b->places[in->operand[0]],
			.b = b->places[in->operand[1]],
			.c = b->places[in->operand[2]],
		};

		if (!b->needed[i])
			continue;
		if (functions[in->op])
			functions[in->op](&o);
		else
			run_leaf(b, in, first, n, o.out);
	}
}

static void copy_outputs(const struct vector_batch *b, size_t first, size_t n)
{
	for (uint32_t d = 0; d < b->program->n_definitions; d++) {
		const double *from = b->places[b->program->values[d]];

		if (b->outputs[d] && from != b->outputs[d] + first)
			memcpy(b->outputs[d] + first, from, n * sizeof(*from));
	}
}

static void mark_outputs(
	const struct ep_program *program, double *const *outputs, uint32_t *output_of, bool *needed)
{
	memset(output_of, 0xff, program->n_code * sizeof(*output_of));
	for (uint32_t d = 0; d < program->n_definitions; d++) {
		if (!outputs[d])
			continue;
		output_of[program->values[d]] = d;
		needed[program->values[d]] = true;
	}
	ep_program_mark_needed(program, needed);
}

int ep_program_eval_batch(const struct ep_program *program, const double *const *columns,
	const struct ep_measured *constants, size_t n_cells, double *const *outputs)
{
	EP_AUTOFREE bool *needed = calloc(program->n_code + 1, sizeof(*needed));
	EP_AUTOFREE uint32_t *output_of = calloc(program->n_code + 1, sizeof(*output_of));
	EP_AUTOFREE double **places = calloc(program->n_code + 1, sizeof(*places));
	EP_AUTOFREE void *rows = NULL;
	struct vector_batch b = { program, columns, constants, outputs, NULL, needed, output_of,
		places };

	if (!needed || !output_of || !places ||
		posix_memalign(&rows, 64, (program->n_rows + 1) * sizeof(lane_block)))
		return -ENOMEM;
	b.rows = rows;
	mark_outputs(program, outputs, output_of, needed);
	for (uint32_t i = 0; i < program->n_rows; i++)
		fill(b.rows[i], NAN);
	for (size_t first = 0; first < n_cells; first += N_LANES) {
		size_t n = n_cells - first < N_LANES ? n_cells - first : N_LANES;

		run_block(&b, first, n);
		copy_outputs(&b, first, n);
	}
	return 0;
}
