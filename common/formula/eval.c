// SPDX-License-Identifier: BSD-3-Clause
/*
 * Evaluates a program for one scope by the strict semantics (program.h). All instructions are evaluated, in their
 * order: those of a branch that is not taken have no effect on the result. Each thread needs a struct ep_scratch of its
 * own.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/formula/arith.h"
#include "common/formula/eval_private.h"

static struct ep_eval_cell absent(enum ep_absence why, uint32_t subject)
{
	return (struct ep_eval_cell){ .value = NAN, .coverage = 1, .why = why, .subject = subject };
}

static struct ep_eval_cell present(double value, double coverage)
{
	if (!isfinite(value))
		return absent(EP_ABSENT_OVERFLOW, 0);
	return (struct ep_eval_cell){ .value = value, .coverage = coverage };
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static struct ep_eval_cell eval_number(const struct ep_eval_frame *f)
{
	return present(f->in->number, 1);
}

static struct ep_eval_cell eval_nan(const struct ep_eval_frame *f)
{
	return absent(EP_ABSENT_NAN, 0);
}

static struct ep_eval_cell eval_cycle(const struct ep_eval_frame *f)
{
	return absent(EP_ABSENT_CYCLE, f->in->operand[0]);
}

static struct ep_eval_cell eval_name(const struct ep_eval_frame *f)
{
	uint32_t idx = f->in->operand[0];
	const struct ep_measured *input = &f->inputs[idx];

	if (!input->is_measured)
		return absent(EP_ABSENT_MISSING, idx);
	if (input->is_mixed)
		return absent(EP_ABSENT_MIXED, idx);
	return present(input->value, input->coverage);
}

static struct ep_eval_cell eval_literal(const struct ep_eval_frame *f)
{
	uint32_t idx = f->in->operand[0];

	if (!f->inputs[idx].is_measured)
		return absent(EP_ABSENT_LITERAL, idx);
	return present(f->inputs[idx].value, 1);
}

static struct ep_eval_cell eval_has_event(const struct ep_eval_frame *f)
{
	return present(f->inputs[f->in->operand[0]].is_measured, 1);
}

static struct ep_eval_cell eval_source_count(const struct ep_eval_frame *f)
{
	uint32_t idx = f->in->operand[0];

	if (!f->inputs[idx].is_measured)
		return absent(EP_ABSENT_MISSING, idx);
	return present(f->inputs[idx].source_count, 1);
}

static struct ep_eval_cell eval_cpuid(const struct ep_eval_frame *f)
{
	const struct ep_measured *input = &f->inputs[f->in->operand[0]];

	return present(input->is_measured ? input->value : 0, 1);
}

static struct ep_eval_cell eval_negate(const struct ep_eval_frame *f)
{
	return f->a->why ? *f->a : present(-f->a->value, f->a->coverage);
}

/* The results of these operators are absent as soon as one operand is. */
#define EVAL_BINARY(name, expression)                                                              \
	static struct ep_eval_cell eval_##name(const struct ep_eval_frame *f)                      \
	{                                                                                          \
		double a = f->a->value, b = f->b->value;                                           \
                                                                                                   \
		if (f->a->why || f->b->why)                                                        \
			return f->a->why ? *f->a : *f->b;                                          \
		return present(expression, least(f->a->coverage, f->b->coverage));                 \
	}

EVAL_BINARY(xor, !a != !b)
EVAL_BINARY(less, a < b)
EVAL_BINARY(greater, a > b)
EVAL_BINARY(less_equal, a <= b)
EVAL_BINARY(greater_equal, a >= b)
EVAL_BINARY(equal, a == b)
EVAL_BINARY(not_equal, a != b)
EVAL_BINARY(add, a + b)
EVAL_BINARY(subtract, a - b)
EVAL_BINARY(multiply, a *b)
EVAL_BINARY(quotient, a / b)
EVAL_BINARY(remainder, ep_modulo(a, b))
EVAL_BINARY(min, ep_min(a, b))
EVAL_BINARY(max, ep_max(a, b))
EVAL_BINARY(d_ratio, b == 0 ? 0 : a / b)

static struct ep_eval_cell eval_divide(const struct ep_eval_frame *f)
{
	if (!f->a->why && !f->b->why && f->b->value == 0)
		return absent(EP_ABSENT_DIV0, 0);
	return eval_quotient(f);
}

static struct ep_eval_cell eval_modulo(const struct ep_eval_frame *f)
{
	if (!f->a->why && !f->b->why && fabs(f->b->value) < 1)
		return absent(EP_ABSENT_MOD0, 0);
	return eval_remainder(f);
}

/* Evaluates the operator "or" (settling is true) or "and" (settling is false) by Kleene's three-valued logic: an
 * operand that is equal to settling decides the result, even if the other operand is absent. */
static struct ep_eval_cell eval_logical(const struct ep_eval_frame *f, bool settling)
{
	const struct ep_eval_cell *sides[] = { f->a, f->b };

	for (int i = 0; i < 2; i++)
		if (!sides[i]->why && (sides[i]->value != 0) == settling)
			return present(settling, sides[i]->coverage);
	if (f->a->why || f->b->why)
		return f->a->why ? *f->a : *f->b;
	return present(!settling, least(f->a->coverage, f->b->coverage));
}

static struct ep_eval_cell eval_or(const struct ep_eval_frame *f)
{
	return eval_logical(f, true);
}

static struct ep_eval_cell eval_and(const struct ep_eval_frame *f)
{
	return eval_logical(f, false);
}

static struct ep_eval_cell eval_select(const struct ep_eval_frame *f)
{
	const struct ep_eval_cell *taken = f->b->value != 0 ? f->a : f->c;

	if (f->b->why || taken->why)
		return f->b->why ? *f->b : *taken;
	return present(taken->value, least(f->b->coverage, taken->coverage));
}

static const ep_eval_cell_fn strict[EP_N_OPS] = {
	[EP_OP_NUMBER] = eval_number,
	[EP_OP_NAN] = eval_nan,
	[EP_OP_NAME] = eval_name,
	[EP_OP_LITERAL] = eval_literal,
	[EP_OP_HAS_EVENT] = eval_has_event,
	[EP_OP_SOURCE_COUNT] = eval_source_count,
	[EP_OP_CPUID_MATCH] = eval_cpuid,
	[EP_OP_NEGATE] = eval_negate,
	[EP_OP_OR] = eval_or,
	[EP_OP_XOR] = eval_xor,
	[EP_OP_AND] = eval_and,
	[EP_OP_LESS] = eval_less,
	[EP_OP_GREATER] = eval_greater,
	[EP_OP_LESS_EQUAL] = eval_less_equal,
	[EP_OP_GREATER_EQUAL] = eval_greater_equal,
	[EP_OP_EQUAL] = eval_equal,
	[EP_OP_NOT_EQUAL] = eval_not_equal,
	[EP_OP_ADD] = eval_add,
	[EP_OP_SUBTRACT] = eval_subtract,
	[EP_OP_MULTIPLY] = eval_multiply,
	[EP_OP_DIVIDE] = eval_divide,
	[EP_OP_MODULO] = eval_modulo,
	[EP_OP_MIN] = eval_min,
	[EP_OP_MAX] = eval_max,
	[EP_OP_D_RATIO] = eval_d_ratio,
	[EP_OP_SELECT] = eval_select,
	[EP_OP_ABSENT] = eval_cycle,
};

void ep_eval_run(const struct ep_program *program, const ep_eval_cell_fn *functions,
	const struct ep_measured *inputs, struct ep_eval_cell *cells)
{
	struct ep_eval_frame f = { .inputs = inputs };

	for (uint32_t i = 0; i < program->n_code; i++) {
		f.in = &program->code[i];
		f.a = &cells[f.in->operand[0]];
		f.b = &cells[f.in->operand[1]];
		f.c = &cells[f.in->operand[2]];
		cells[i] = functions[f.in->op](&f);
	}
}

struct ep_result ep_eval_cell_result(
	const struct ep_program *program, const struct ep_eval_cell *cell)
{
	struct ep_result result = {
		.value = cell->value,
		.coverage = cell->coverage,
		.absence = cell->why,
	};

	if (cell->why == EP_ABSENT_MISSING || cell->why == EP_ABSENT_LITERAL ||
		cell->why == EP_ABSENT_MIXED)
		result.subject = ep_program_input_name(program, cell->subject);
	if (cell->why == EP_ABSENT_CYCLE)
		result.subject = program->definition_names[cell->subject];
	return result;
}

/* Returns how far a value moves with an input: half the distance between low and high, the values for the input moved
 * down and up. If one of these is absent, it is the distance of the other from middle, the value for the input
 * itself. */
static double deviation(double low, double middle, double high)
{
	if (!isnan(low) && !isnan(high))
		return (high - low) / 2;
	return isnan(low) ? high - middle : middle - low;
}

/* Computes all values with one input moved by distance. */
static void eval_moved(const struct ep_program *program, struct ep_scratch *s, uint32_t input_idx,
	double distance, double *out)
{
	struct ep_measured *input = &s->inputs[input_idx];
	double value = input->value;

	input->value = value + distance;
	ep_eval_run(program, strict, s->inputs, s->cells);
	input->value = value;
	for (uint32_t i = 0; i < program->n_definitions; i++)
		out[i] = s->cells[program->values[i]].value;
}

static void add_input_error(const struct ep_program *program, struct ep_scratch *s,
	uint32_t input_idx, struct ep_result *out)
{
	double error = s->inputs[input_idx].standard_error;

	eval_moved(program, s, input_idx, -error, s->low);
	eval_moved(program, s, input_idx, error, s->moved);
	for (uint32_t i = 0; i < program->n_definitions; i++) {
		double d = deviation(s->low[i], out[i].value, s->moved[i]);

		out[i].standard_error += d * d;
	}
}

/* Makes the error of a result unknown if the result depends on an input whose error is unknown. */
static void add_unknown_error(const struct ep_program *program, struct ep_scratch *s,
	uint32_t input_idx, struct ep_result *out)
{
	double value = s->inputs[input_idx].value;

	eval_moved(program, s, input_idx, value != 0 ? value / 8 : 1, s->moved);
	for (uint32_t i = 0; i < program->n_definitions; i++)
		if (s->moved[i] != out[i].value)
			out[i].standard_error = NAN;
}

static void add_errors(
	const struct ep_program *program, struct ep_scratch *s, struct ep_result *out)
{
	for (uint32_t i = 0; i < program->inputs.n_names; i++) {
		const struct ep_measured *input = &s->inputs[i];

		if (!input->is_measured)
			continue;
		if (input->standard_error > 0)
			add_input_error(program, s, i, out);
		else if (isnan(input->standard_error))
			add_unknown_error(program, s, i, out);
	}
}

void ep_program_eval(const struct ep_program *program, const struct ep_measured *inputs,
	struct ep_scratch *scratch, struct ep_result *out)
{
	for (uint32_t i = 0; i < program->inputs.n_names; i++)
		scratch->inputs[i] = inputs[i];
	ep_eval_run(program, strict, scratch->inputs, scratch->cells);
	for (uint32_t i = 0; i < program->n_definitions; i++)
		out[i] = ep_eval_cell_result(program, &scratch->cells[program->values[i]]);
	add_errors(program, scratch, out);
	for (uint32_t i = 0; i < program->n_definitions; i++)
		out[i].standard_error = out[i].absence ? NAN : sqrt(out[i].standard_error);
}

int ep_scratch_create(const struct ep_program *program, struct ep_scratch **out)
{
	struct ep_scratch *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->cells = calloc(program->n_code + 1, sizeof(*s->cells));
	s->inputs = calloc(program->inputs.n_names + 1, sizeof(*s->inputs));
	s->moved = calloc(program->n_definitions + 1, sizeof(*s->moved));
	s->low = calloc(program->n_definitions + 1, sizeof(*s->low));
	if (!s->cells || !s->inputs || !s->moved || !s->low) {
		ep_scratch_destroy(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void ep_scratch_destroy(struct ep_scratch *scratch)
{
	if (!scratch)
		return;
	free(scratch->cells);
	free(scratch->inputs);
	free(scratch->moved);
	free(scratch->low);
	free(scratch);
}

void ep_result_print_reason(const struct ep_result *result, FILE *out)
{
	static const char *const texts[EP_N_ABSENCES] = {
		[EP_PRESENT] = "ok",
		[EP_ABSENT_MISSING] = "missing:",
		[EP_ABSENT_MIXED] = "mixed:",
		[EP_ABSENT_LITERAL] = "literal:",
		[EP_ABSENT_CYCLE] = "cycle:",
		[EP_ABSENT_DIV0] = "div0",
		[EP_ABSENT_MOD0] = "mod0",
		[EP_ABSENT_OVERFLOW] = "overflow",
		[EP_ABSENT_NAN] = "nan",
		[EP_ABSENT_ABORT] = "abort",
	};

	fprintf(out, "%s%s", texts[result->absence], result->subject ? result->subject : "");
}
