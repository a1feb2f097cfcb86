/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses expressions of the metric language into trees, and prints them. docs/formula-format.md has the grammar. */
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
	/* perf's lexer skips unknown bytes silently; others report them */
	bool drops_unknown_bytes;
	bool has_c_operators; /* has the operators >= <= == != && || */
};

extern const struct ep_dialect ep_dialect_evprof, ep_dialect_perf, ep_dialect_import;

struct ep_formula_source {
	const char *text;
	uint32_t size_bytes;
	/* the place of text[0]; line 0: not known, errors give the column in the text */
	struct ep_place place;
	const struct ep_dialect *dialect;
};

/* Parses one expression into *out, which the caller finishes. Returns -EINVAL with the place and what was expected, or
 * -ENOMEM. Only memory limits how deeply expressions are nested. */
int ep_formula_parse(const struct ep_formula_source *source, struct ep_ast *out,
	struct ep_error *err) EP_MUST_CHECK;

/* Does the same for a NUL-terminated text of perf's dialect without a place. */
int ep_formula_parse_text(const char *text, struct ep_ast *out, struct ep_error *err) EP_MUST_CHECK;

/* Writes the tree with as few parentheses as possible; parsing the text gives an equal tree. Returns 0 or -ENOMEM. */
int ep_formula_print(const struct ep_ast *ast, FILE *out) EP_MUST_CHECK;

/* Writes a number as the shortest text of the language that gives the same double. */
void ep_formula_print_number(double number, FILE *out);

#endif
