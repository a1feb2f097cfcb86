/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the tokens of the metric language. The rule with the longest match is used; of several with equally long
 * matches, the earliest rule. */
#ifndef EVPROF_COMMON_FORMULA_LEXER_H
#define EVPROF_COMMON_FORMULA_LEXER_H

#include "common/formula/ast.h"
#include "common/formula/parse.h"

enum ep_token_kind {
	EP_TOKEN_END,
	EP_TOKEN_NUMBER,
	EP_TOKEN_NAME,
	EP_TOKEN_LITERAL,
	EP_TOKEN_INFIX, /* op; '-' is EP_OP_SUBTRACT, and the parser recognises negation */
	EP_TOKEN_CALL,  /* op: a keyword that takes expressions in parentheses */
	EP_TOKEN_QUERY, /* op: a keyword that takes a name in parentheses */
	EP_TOKEN_NAN,
	EP_TOKEN_IF,
	EP_TOKEN_ELSE,
	EP_TOKEN_OPEN,
	EP_TOKEN_CLOSE,
	EP_TOKEN_COMMA,
	EP_TOKEN_UNKNOWN, /* a byte that fits no rule, unless the dialect drops such bytes */
};

struct ep_token {
	enum ep_token_kind kind;
	enum ep_op op;
	uint32_t offset_bytes, size_bytes;
};

/* Returns the token at or after offset_bytes of source. */
struct ep_token ep_lexer_next(const struct ep_formula_source *source, uint32_t offset_bytes);

/* Tells whether the language can write this name of an event: it writes '-', ',' and '=' after a backslash, and '/' as
 * '@'. */
bool ep_lexer_is_name(const char *name);

#endif
