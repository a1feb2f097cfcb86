/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of the metric language to a tree and back. The grammar is in docs/formula-format.md. */
#ifndef EVPROF_COMMON_FORMULA_PARSE_H
#define EVPROF_COMMON_FORMULA_PARSE_H

#include "common/error.h"
#include "common/formula/ast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ep_dialect {
	const char *name;
	bool drops_unknown_bytes; /* perf's lexer skips them without a word; others report them */
	bool has_c_operators;     /* >= <= == != && || */
};

extern const struct ep_dialect ep_dialect_evprof, ep_dialect_perf, ep_dialect_import;

struct ep_formula_source {
	const char *text;
	uint32_t size_bytes;
	struct ep_place
		place; /* of text[0]; line 0: no place, errors give the column in the text */
	const struct ep_dialect *dialect;
};

/* Parses one expression into *out (to be finished by the caller). -EINVAL with the place and what
 * was expected; -ENOMEM. Nesting is bounded by memory only. */
int ep_formula_parse(const struct ep_formula_source *source, struct ep_ast *out,
	struct ep_error *err) EP_MUST_CHECK;

/* The same for a NUL-terminated text of perf's dialect without a place. */
int ep_formula_parse_text(const char *text, struct ep_ast *out, struct ep_error *err) EP_MUST_CHECK;

/* Writes the tree with as few parentheses as its meaning needs; parsing that gives an equal tree.
 * -ENOMEM. */
int ep_formula_print(const struct ep_ast *ast, FILE *out) EP_MUST_CHECK;

/* A number as the language reads it, shortest text that gives the same double. */
void ep_formula_print_number(double number, FILE *out);

#endif
