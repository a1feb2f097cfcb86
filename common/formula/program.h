/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of named expressions compiled together: references are resolved, equal subexpressions are
 * computed once, and what is left is a straight line of instructions over inputs.
 * Dimensions: I inputs, D definitions, C cells (scopes x time bins).
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
	EP_INPUT_LITERAL, /* "#slots" */
	EP_INPUT_CPUID,   /* the pattern of a strcmp_cpuid_str: its value is 0 or 1 */
};

/* The first definition counts where names are equal. runtime_parameter replaces every '?' in event
 * names (NULL: they stay). A cycle is no error: the reference that closes it is absent, named after
 * the member that was defined first. -ENOMEM. */
int ep_program_create(const struct ep_definition *definitions, uint32_t n_definitions,
	const char *runtime_parameter, struct ep_program **out) EP_MUST_CHECK;
void ep_program_destroy(struct ep_program *program);

uint32_t ep_program_n_inputs(const struct ep_program *program);
uint32_t ep_program_n_definitions(const struct ep_program *program);
const char *ep_program_input_name(const struct ep_program *program, uint32_t input_idx);
enum ep_input_kind ep_program_input_kind(const struct ep_program *program, uint32_t input_idx);
/* Marks in out_used (I) the inputs that a definition reads, through other definitions too. */
void ep_program_mark_inputs(
	const struct ep_program *program, uint32_t definition_idx, bool *out_used);

/* Writes `"code": [...], "values": [...]`, which are members of a JSON object: an instruction is the name of
 * its operator and its operands, earlier instructions or, of `input`, `has`, `match` and `sources`, an input;
 * values: those of the first n_values definitions. */
void ep_program_print_json(const struct ep_program *program, uint32_t n_values, FILE *out);

/* One input of one scope. Zero running time is not measured, never 0. */
struct ep_measured {
	double value;
	double standard_error; /* 0: exact; NaN: not known */
	double coverage;       /* 0..1: share of the scope's time in which it was measured */
	double source_count;   /* counters added up in value; 1 for a core event */
	bool is_measured;
	bool is_mixed; /* it holds other scopes' counts too, so that this scope's share is not known */
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
	EP_ABSENT_ABORT, /* perf semantics only: perf gives up on the whole metric */
	EP_N_ABSENCES,
};

struct ep_result {
	double value;          /* NaN when absent */
	double standard_error; /* NaN: not known */
	double coverage;       /* least coverage of what the value was taken from */
	enum ep_absence absence;
	const char *subject; /* the missing name, where the absence has one; lives in the program */
};

/* "missing:NAME", "div0", ...; "ok" when present. */
void ep_result_print_reason(const struct ep_result *result, FILE *out);

/* Room for one evaluation at a time; reused between evaluations of the same program. */
struct ep_scratch;
int ep_scratch_create(const struct ep_program *program, struct ep_scratch **out) EP_MUST_CHECK;
void ep_scratch_destroy(struct ep_scratch *scratch);

/* Strict semantics: a number, or absent with the first reason from left to right.
 * inputs (I), out (D). Standard errors by moving one input at a time up and down by its own, so
 * that an input used twice counts once; inputs are taken as independent of each other. */
void ep_program_eval(const struct ep_program *program, const struct ep_measured *inputs,
	struct ep_scratch *scratch, struct ep_result *out);
/* Evaluates as perf of Linux 6.12 does: NaN (absence NAN) or nothing at all (absence ABORT). */
void ep_program_eval_perf(const struct ep_program *program, const struct ep_measured *inputs,
	struct ep_scratch *scratch, struct ep_result *out);

#endif
