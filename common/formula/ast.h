/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps an expression as an array of nodes. Operands come before the operator that uses them, and the root is last.
 * Therefore no recursion is needed, and a deeply nested expression takes memory of the heap, but not of the stack.
 */
#ifndef EVPROF_COMMON_FORMULA_AST_H
#define EVPROF_COMMON_FORMULA_AST_H

#include "common/error.h"

#include <stdint.h>

enum ep_op {
	EP_OP_NUMBER,
	EP_OP_NAN,
	EP_OP_NAME,      /* the name of an event, a parameter or another metric */
	EP_OP_LITERAL,   /* a literal such as "#slots", with the '#' */
	EP_OP_HAS_EVENT, /* the operand is a name, as in the next two */
	EP_OP_SOURCE_COUNT,
	EP_OP_CPUID_MATCH, /* strcmp_cpuid_str */
	EP_OP_NEGATE,
	EP_OP_OR,
	EP_OP_XOR,
	EP_OP_AND,
	EP_OP_LESS,
	EP_OP_GREATER,
	/* the comparisons from here to EP_OP_NOT_EQUAL occur only in imported formulas */
	EP_OP_LESS_EQUAL,
	EP_OP_GREATER_EQUAL,
	EP_OP_EQUAL,
	EP_OP_NOT_EQUAL,
	EP_OP_ADD,
	EP_OP_SUBTRACT,
	EP_OP_MULTIPLY,
	EP_OP_DIVIDE,
	EP_OP_MODULO,
	EP_OP_MIN,
	EP_OP_MAX,
	EP_OP_D_RATIO,
	EP_OP_SELECT, /* operands: value, condition, otherwise */
	EP_OP_ABSENT, /* a reference that closes a cycle; occurs only in compiled programs */
	EP_N_OPS,
};

enum ep_op_form {
	EP_FORM_NUMBER, /* the number is in number */
	EP_FORM_TEXT,   /* the text is at operand[0] */
	EP_FORM_PREFIX, /* the operand is operand[0] */
	EP_FORM_INFIX,  /* the operands are operand[0] and operand[1] */
	EP_FORM_CALL,   /* operand[0] and operand[1], written NAME(a, b) */
	EP_FORM_SELECT, /* the operands are operand[0..2] */
};

struct ep_op_info {
	const char *spelling; /* keyword or sign; NULL: the node is written as its text or number */
	enum ep_op_form form;
	uint8_t precedence; /* a higher one binds more tightly; 0: if/else */
};

extern const struct ep_op_info ep_op_info[EP_N_OPS];

/* Returns how many operands of a node are indices of nodes. */
unsigned ep_op_n_operands(enum ep_op op);

struct ep_node {
	enum ep_op op;
	uint32_t operand[3];   /* indices of earlier nodes, or an offset into names */
	uint32_t offset_bytes; /* position in the source text */
	double number;
};

struct ep_ast {
	struct ep_node *nodes;
	uint32_t n_nodes, capacity_nodes;
	char *names; /* NUL-terminated names one after another, without escapes */
	uint32_t size_names, capacity_names;
};

static inline const char *ep_ast_name(const struct ep_ast *ast, const struct ep_node *node)
{
	return ast->names + node->operand[0];
}

/* This and the next two functions return 0 or -ENOMEM. */
int ep_ast_add_node(struct ep_ast *ast, const struct ep_node *node) EP_MUST_CHECK;
int ep_ast_add_name(struct ep_ast *ast, const char *escaped, uint32_t size_bytes,
	uint32_t *out_offset) EP_MUST_CHECK;
/* Makes a tree of one number, for parameters. */
int ep_ast_set_number(struct ep_ast *ast, double number) EP_MUST_CHECK;
void ep_ast_finish(struct ep_ast *ast);

#endif
