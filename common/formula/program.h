/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiles named expressions together. References are resolved, and equal subexpressions are computed once. The result
 * is a sequence of instructions without jumps, which computes values from inputs. Dimensions: I inputs, D definitions,
 * C cells (scopes x time bins).
 */
#ifndef EVPROF_COMMON_FORMULA_PROGRAM_H
#define EVPROF_COMMON_FORMULA_PROGRAM_H

#include "common/error.h"
#include "common/formula/ast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ep_program;

struct ep_definition {
	const char *name;
	const struct ep_ast *ast;
};

enum ep_input_kind {
	EP_INPUT_EVENT,   /* an event or a parameter without a value */
	EP_INPUT_LITERAL, /* a literal such as "#slots" */
	EP_INPUT_CPUID,   /* the pattern of a strcmp_cpuid_str: its value is 0 or 1 */
};

/* Compiles definitions. Of several definitions with the same name, the first one counts. runtime_parameter replaces
 * every '?' in event names (NULL: they stay). A cycle is no error: the reference that closes it is absent, with the
 * name of the cycle's first defined member as subject. Returns 0 or -ENOMEM. */
int ep_program_create(const struct ep_definition *definitions, uint32_t n_definitions,
	const char *runtime_parameter, struct ep_program **out) EP_MUST_CHECK;
void ep_program_destroy(struct ep_program *program);

uint32_t ep_program_n_inputs(const struct ep_program *program);
uint32_t ep_program_n_definitions(const struct ep_program *program);
const char *ep_program_input_name(const struct ep_program *program, uint32_t input_idx);
enum ep_input_kind ep_program_input_kind(const struct ep_program *program, uint32_t input_idx);
/* Marks in out_used (I) the inputs that a definition reads, also through other definitions. */
void ep_program_mark_inputs(
	const struct ep_program *program, uint32_t definition_idx, bool *out_used);

/* Writes `"code": [...], "values": [...]`, members of a JSON object. An instruction is the name of its operator and its
 * operands. Operands are earlier instructions; for `input`, `has`, `match` and `sources` the operand is an input.
 * values: the instructions of the first n_values definitions. */
void ep_program_print_json(const struct ep_program *program, uint32_t n_values, FILE *out);

/* One input of one scope. If its counter did not run at all, is_measured is false: such an input has no value, and is
 * not 0. */
struct ep_measured {
	double value;
	double standard_error; /* 0: exact; NaN: not known */
	double coverage;       /* share of the scope's time in which it was measured, 0 to 1 */
	double source_count;   /* number of counters whose sum is value; 1 for a core event */
	bool is_measured;
	/* the value contains counts of other scopes, so that this scope's share is not known */
	bool is_mixed;
};

enum ep_absence {
	EP_PRESENT,
	EP_ABSENT_MISSING,
	EP_ABSENT_MIXED,
	EP_ABSENT_LITERAL,
	EP_ABSENT_CYCLE,
	EP_ABSENT_DIV0,
	EP_ABSENT_MOD0,
	EP_ABSENT_OVERFLOW,
	EP_ABSENT_NAN,
	EP_ABSENT_ABORT, /* perf's semantics: perf gives up on the whole metric */
	EP_N_ABSENCES,
};

struct ep_result {
	double value;          /* NaN: absent */
	double standard_error; /* NaN: not known */
	double coverage;       /* the least coverage of its inputs */
	enum ep_absence absence;
	const char *subject; /* the missing name, if the absence has one; belongs to the program */
};

/* Prints "missing:NAME", "div0", ...; "ok" if the value is present. */
void ep_result_print_reason(const struct ep_result *result, FILE *out);

/* Memory for one evaluation at a time. It can be used again for the same program. */
struct ep_scratch;
int ep_scratch_create(const struct ep_program *program, struct ep_scratch **out) EP_MUST_CHECK;
void ep_scratch_destroy(struct ep_scratch *scratch);

/* Evaluates by the strict semantics: a value is a number, or absent with the first reason from left to right. inputs
 * (I), out (D). For the standard errors one input at a time is moved up and down by its own error, so that an input
 * that is used twice counts once. Inputs are assumed to be independent of each other. */
void ep_program_eval(const struct ep_program *program, const struct ep_measured *inputs,
	struct ep_scratch *scratch, struct ep_result *out);
/* Evaluates as perf of Linux 6.12 does. An absent value has the absence NAN, or ABORT if perf prints nothing. */
void ep_program_eval_perf(const struct ep_program *program, const struct ep_measured *inputs,
	struct ep_scratch *scratch, struct ep_result *out);

#endif
