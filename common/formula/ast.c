// SPDX-License-Identifier: BSD-3-Clause
/* Stores expression trees, and has the table of operators. */
#include "common/formula/ast.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers/array.h"

const struct ep_op_info ep_op_info[EP_N_OPS] = {
	[EP_OP_NUMBER] = { NULL, EP_FORM_NUMBER, 9 },
	[EP_OP_NAN] = { "NaN", EP_FORM_NUMBER, 9 },
	[EP_OP_NAME] = { NULL, EP_FORM_TEXT, 9 },
	[EP_OP_LITERAL] = { NULL, EP_FORM_TEXT, 9 },
	[EP_OP_HAS_EVENT] = { "has_event", EP_FORM_TEXT, 9 },
	[EP_OP_SOURCE_COUNT] = { "source_count", EP_FORM_TEXT, 9 },
	[EP_OP_CPUID_MATCH] = { "strcmp_cpuid_str", EP_FORM_TEXT, 9 },
	[EP_OP_NEGATE] = { "-", EP_FORM_PREFIX, 8 },
	[EP_OP_OR] = { "|", EP_FORM_INFIX, 1 },
	[EP_OP_XOR] = { "^", EP_FORM_INFIX, 2 },
	[EP_OP_AND] = { "&", EP_FORM_INFIX, 3 },
	[EP_OP_LESS] = { "<", EP_FORM_INFIX, 4 },
	[EP_OP_GREATER] = { ">", EP_FORM_INFIX, 4 },
	[EP_OP_LESS_EQUAL] = { "<=", EP_FORM_INFIX, 4 },
	[EP_OP_GREATER_EQUAL] = { ">=", EP_FORM_INFIX, 4 },
	[EP_OP_EQUAL] = { "==", EP_FORM_INFIX, 4 },
	[EP_OP_NOT_EQUAL] = { "!=", EP_FORM_INFIX, 4 },
	[EP_OP_ADD] = { "+", EP_FORM_INFIX, 5 },
	[EP_OP_SUBTRACT] = { "-", EP_FORM_INFIX, 5 },
	[EP_OP_MULTIPLY] = { "*", EP_FORM_INFIX, 6 },
	[EP_OP_DIVIDE] = { "/", EP_FORM_INFIX, 6 },
	[EP_OP_MODULO] = { "%", EP_FORM_INFIX, 6 },
	[EP_OP_MIN] = { "min", EP_FORM_CALL, 9 },
	[EP_OP_MAX] = { "max", EP_FORM_CALL, 9 },
	[EP_OP_D_RATIO] = { "d_ratio", EP_FORM_CALL, 9 },
	[EP_OP_SELECT] = { "if", EP_FORM_SELECT, 0 },
	[EP_OP_ABSENT] = { NULL, EP_FORM_NUMBER, 9 },
};

unsigned ep_op_n_operands(enum ep_op op)
{
	static const uint8_t n_operands[] = {
		[EP_FORM_NUMBER] = 0,
		[EP_FORM_TEXT] = 0,
		[EP_FORM_PREFIX] = 1,
		[EP_FORM_INFIX] = 2,
		[EP_FORM_CALL] = 2,
		[EP_FORM_SELECT] = 3,
	};

	return n_operands[ep_op_info[op].form];
}

int ep_ast_add_node(struct ep_ast *ast, const struct ep_node *node)
{
	if (EP_ARRAY_RESERVE(ast->nodes, ast->n_nodes, ast->capacity_nodes))
		return -ENOMEM;
	ast->nodes[ast->n_nodes++] = *node;
	return 0;
}

int ep_ast_add_name(
	struct ep_ast *ast, const char *escaped, uint32_t size_bytes, uint32_t *out_offset)
{
	uint32_t offset = ast->size_names;

	while (ast->capacity_names <= offset + size_bytes)
		if (EP_ARRAY_RESERVE(ast->names, ast->capacity_names, ast->capacity_names))
			return -ENOMEM;
	for (uint32_t i = 0; i < size_bytes; i++)
		if (escaped[i] != '\\')
			ast->names[ast->size_names++] = escaped[i];
	ast->names[ast->size_names++] = '\0';
	*out_offset = offset;
	return 0;
}

int ep_ast_set_number(struct ep_ast *ast, double number)
{
	struct ep_node node = { .op = EP_OP_NUMBER, .number = number };

	ast->n_nodes = 0;
	return ep_ast_add_node(ast, &node);
}

void ep_ast_finish(struct ep_ast *ast)
{
	if (!ast)
		return;
	free(ast->nodes);
	free(ast->names);
	*ast = (struct ep_ast){ 0 };
}
