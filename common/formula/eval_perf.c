// SPDX-License-Identifier: BSD-3-Clause
/* Evaluates a program as perf of Linux 6.12 does, which in some cases gives 0 without a message
 * (docs/formula-format.md). An absent value is NaN (EP_ABSENT_NAN). If perf gives up on a metric, all values that are
 * computed from the metric are EP_ABSENT_ABORT. If perf's result is undefined in C (% with NaN or huge operands), the
 * result is NaN or abort. */
#include "common/formula/arith.h"
#include "common/formula/eval_private.h"

static struct ep_eval_cell cell(double value)
{
	return (struct ep_eval_cell){ .value = value, .coverage = 1 };
}

static struct ep_eval_cell aborted(void)
{
	return (struct ep_eval_cell){ .value = NAN, .coverage = 1, .why = EP_ABSENT_ABORT };
}

static struct ep_eval_cell perf_number(const struct ep_eval_frame *f)
{
	return cell(f->in->number);
}

static struct ep_eval_cell perf_nan(const struct ep_eval_frame *f)
{
	return cell(NAN);
}

static struct ep_eval_cell perf_cycle(const struct ep_eval_frame *f)
{
	return aborted();
}

static struct ep_eval_cell perf_name(const struct ep_eval_frame *f)
{
	const struct ep_measured *input = &f->inputs[f->in->operand[0]];

	return cell(input->is_measured ? input->value : NAN);
}

static struct ep_eval_cell perf_literal(const struct ep_eval_frame *f)
{
	const struct ep_measured *input = &f->inputs[f->in->operand[0]];

	return input->is_measured ? cell(input->value) : aborted();
}

static struct ep_eval_cell perf_has_event(const struct ep_eval_frame *f)
{
	return cell(f->inputs[f->in->operand[0]].is_measured);
}

static struct ep_eval_cell perf_source_count(const struct ep_eval_frame *f)
{
	const struct ep_measured *input = &f->inputs[f->in->operand[0]];

	return cell(input->is_measured ? input->source_count : NAN);
}

static struct ep_eval_cell perf_cpuid(const struct ep_eval_frame *f)
{
	const struct ep_measured *input = &f->inputs[f->in->operand[0]];

	return cell(input->is_measured ? input->value : 0);
}

static struct ep_eval_cell perf_negate(const struct ep_eval_frame *f)
{
	return f->a->why ? *f->a : cell(-f->a->value);
}

#define PERF_BINARY(name, expression)                                                              \
	static struct ep_eval_cell perf_##name(const struct ep_eval_frame *f)                      \
	{                                                                                          \
		double a = f->a->value, b = f->b->value;                                           \
                                                                                                   \
		if (f->a->why || f->b->why)                                                        \
			return aborted();                                                          \
		return cell(expression);                                                           \
	}

#define UNLESS_NAN(expression) (isnan(a) || isnan(b) ? NAN : (expression))

/* Returns the logical or. If one side is not finite, the result is 1 if the other side is true, else the side that is
 * not finite. */
static double logical_or(double a, double b)
{
	if (isfinite(a) && isfinite(b))
		return a != 0 || b != 0;
	if (isfinite(a))
		return a != 0 ? 1 : b;
	if (isfinite(b))
		return b != 0 ? 1 : a;
	return NAN;
}

static double logical_and(double a, double b)
{
	if (isfinite(a) && isfinite(b))
		return a != 0 && b != 0;
	if (isfinite(a))
		return a == 0 ? 0 : b;
	if (isfinite(b))
		return b == 0 ? 0 : a;
	return NAN;
}

PERF_BINARY(or, logical_or(a, b))
PERF_BINARY(and, logical_and(a, b))
PERF_BINARY(xor, isfinite(a) && isfinite(b) ? !a != !b : NAN)
PERF_BINARY(less, UNLESS_NAN(a < b))
PERF_BINARY(greater, UNLESS_NAN(a > b))
PERF_BINARY(less_equal, UNLESS_NAN(a <= b))
PERF_BINARY(greater_equal, UNLESS_NAN(a >= b))
PERF_BINARY(equal, UNLESS_NAN(a == b))
PERF_BINARY(not_equal, UNLESS_NAN(a != b))
PERF_BINARY(add, a + b)
PERF_BINARY(subtract, a - b)
PERF_BINARY(multiply, a *b)
PERF_BINARY(divide, b == 0 ? NAN : a / b)
PERF_BINARY(remainder, ep_modulo(a, b))
PERF_BINARY(min, ep_min(a, b))
PERF_BINARY(max, ep_max(a, b))
PERF_BINARY(d_ratio, b == 0 ? 0 : a / b)

static struct ep_eval_cell perf_modulo(const struct ep_eval_frame *f)
{
	return fabs(f->b->value) < 1 ? aborted() : perf_remainder(f);
}

static struct ep_eval_cell perf_select(const struct ep_eval_frame *f)
{
	if (f->a->why || f->b->why || f->c->why)
		return aborted();
	return f->b->value != 0 ? *f->a : *f->c; /* NaN counts as true */
}

static const ep_eval_cell_fn perf[EP_N_OPS] = {
	[EP_OP_NUMBER] = perf_number,
	[EP_OP_NAN] = perf_nan,
	[EP_OP_NAME] = perf_name,
	[EP_OP_LITERAL] = perf_literal,
	[EP_OP_HAS_EVENT] = perf_has_event,
	[EP_OP_SOURCE_COUNT] = perf_source_count,
	[EP_OP_CPUID_MATCH] = perf_cpuid,
	[EP_OP_NEGATE] = perf_negate,
	[EP_OP_OR] = perf_or,
	[EP_OP_XOR] = perf_xor,
	[EP_OP_AND] = perf_and,
	[EP_OP_LESS] = perf_less,
	[EP_OP_GREATER] = perf_greater,
	[EP_OP_LESS_EQUAL] = perf_less_equal,
	[EP_OP_GREATER_EQUAL] = perf_greater_equal,
	[EP_OP_EQUAL] = perf_equal,
	[EP_OP_NOT_EQUAL] = perf_not_equal,
	[EP_OP_ADD] = perf_add,
	[EP_OP_SUBTRACT] = perf_subtract,
	[EP_OP_MULTIPLY] = perf_multiply,
	[EP_OP_DIVIDE] = perf_divide,
	[EP_OP_MODULO] = perf_modulo,
	[EP_OP_MIN] = perf_min,
	[EP_OP_MAX] = perf_max,
	[EP_OP_D_RATIO] = perf_d_ratio,
	[EP_OP_SELECT] = perf_select,
	[EP_OP_ABSENT] = perf_cycle,
};

void ep_program_eval_perf(const struct ep_program *program, const struct ep_measured *inputs,
	struct ep_scratch *scratch, struct ep_result *out)
{
	ep_eval_run(program, perf, inputs, scratch->cells);
	for (uint32_t i = 0; i < program->n_definitions; i++) {
		out[i] = ep_eval_cell_result(program, &scratch->cells[program->values[i]]);
		if (!out[i].absence && isnan(out[i].value))
			out[i].absence = EP_ABSENT_NAN;
	}
}
