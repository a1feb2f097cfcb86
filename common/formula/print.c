// SPDX-License-Identifier: BSD-3-Clause
/* Prints trees as text without recursion: a stack holds the items that are still to be printed. Any thread may call
 * these functions. */
#include "common/formula/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/containers/array.h"

struct print_item {
	const char *text; /* a text that is printed unchanged; NULL: the node is printed */
	uint32_t node;
	unsigned precedence; /* a node that binds less tightly than this gets parentheses */
};

struct formula_printer {
	const struct ep_ast *ast;
	struct print_item *items;
	uint32_t n_items, capacity;
};

static void finish_printer(struct formula_printer *p)
{
	free(p->items);
}

static int push(struct formula_printer *p, struct print_item item)
{
	if (EP_ARRAY_RESERVE(p->items, p->n_items, p->capacity))
		return -ENOMEM;
	p->items[p->n_items++] = item;
	return 0;
}

/* Takes items in reading order and pushes them in reverse. */
static int push_all(struct formula_printer *p, const struct print_item *items, unsigned n_items)
{
	int rc = 0;

	while (!rc && n_items--)
		rc = push(p, items[n_items]);
	return rc;
}

/* Prints a number without the '+' of its exponent: perf's language reads "1e+09" as a name, a sign
 * and a number. */
static void print_without_plus(char *text, FILE *out)
{
	char *sign = strchr(text, '+');

	if (sign)
		memmove(sign, sign + 1, strlen(sign));
	fputs(text, out);
}

void ep_formula_print_number(double number, FILE *out)
{
	char text[40];
	int digits = 15;

	if (isinf(number)) {
		fputs("1e999", out);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", digits, number);
	while (strtod(text, NULL) != number && ++digits <= 17);
	print_without_plus(text, out);
}

/* Writes a name as the language reads it: "minor\-faults", "msr@tsc@". */
static void print_name(const char *name, FILE *out)
{
	for (; *name; name++) {
		if (strchr("-,=", *name))
			fputc('\\', out);
		fputc(*name == '/' ? '@' : *name, out); /* '/' would be read as a division */
	}
}

static void print_leaf(const struct ep_ast *ast, const struct ep_node *node, FILE *out)
{
	const char *keyword = ep_op_info[node->op].spelling;

	if (node->op == EP_OP_NUMBER) {
		ep_formula_print_number(node->number, out);
	} else if (node->op == EP_OP_LITERAL) {
		fputs(ep_ast_name(ast, node), out); /* a literal's '-' is not escaped */
	} else if (ep_op_info[node->op].form == EP_FORM_NUMBER) {
		fputs(keyword ? keyword : "NaN", out);
	} else {
		if (keyword)
			fprintf(out, "%s(", keyword);
		print_name(ep_ast_name(ast, node), out);
		if (keyword)
			fputc(')', out);
	}
}

static int push_select(struct formula_printer *p, const struct ep_node *node)
{
	struct print_item items[] = {
		{ .node = node->operand[0], .precedence = 1 },
		{ .text = " if " },
		{ .node = node->operand[1], .precedence = 1 },
		{ .text = " else " },
		{ .node = node->operand[2], .precedence = 0 },
	};

	return push_all(p, items, EP_ARRAY_SIZE(items));
}

static int push_infix(struct formula_printer *p, const struct ep_node *node)
{
	unsigned precedence = ep_op_info[node->op].precedence;
	struct print_item items[] = {
		{ .node = node->operand[0], .precedence = precedence },
		{ .text = " " },
		{ .text = ep_op_info[node->op].spelling },
		{ .text = " " },
		{ .node = node->operand[1], .precedence = precedence + 1 },
	};

	return push_all(p, items, EP_ARRAY_SIZE(items));
}

static int push_call(struct formula_printer *p, const struct ep_node *node)
{
	struct print_item items[] = {
		{ .text = ep_op_info[node->op].spelling },
		{ .text = "(" },
		{ .node = node->operand[0], .precedence = 1 },
		{ .text = ", " },
		{ .node = node->operand[1], .precedence = 1 },
		{ .text = ")" },
	};

	return push_all(p, items, EP_ARRAY_SIZE(items));
}

static int push_prefix(struct formula_printer *p, const struct ep_node *node)
{
	struct print_item items[] = {
		{ .text = "-" },
		{ .node = node->operand[0], .precedence = ep_op_info[node->op].precedence },
	};

	return push_all(p, items, EP_ARRAY_SIZE(items));
}

static int print_node(struct formula_printer *p, struct print_item item, FILE *out)
{
	static int (*const push_form[])(struct formula_printer *, const struct ep_node *) = {
		[EP_FORM_PREFIX] = push_prefix,
		[EP_FORM_INFIX] = push_infix,
		[EP_FORM_CALL] = push_call,
		[EP_FORM_SELECT] = push_select,
	};
	const struct ep_node *node = &p->ast->nodes[item.node];
	const struct ep_op_info *info = &ep_op_info[node->op];

	if (!ep_op_n_operands(node->op)) {
		print_leaf(p->ast, node, out);
		return 0;
	}
	if (info->precedence < item.precedence) {
		fputc('(', out);
		if (push(p, (struct print_item){ .text = ")" }))
			return -ENOMEM;
	}
	return push_form[info->form](p, node);
}

int ep_formula_print(const struct ep_ast *ast, FILE *out)
{
	__attribute__((cleanup(finish_printer))) struct formula_printer p = { .ast = ast };
	int rc = ast->n_nodes ? push(&p, (struct print_item){ .node = ast->n_nodes - 1 }) : 0;

	while (!rc && p.n_items) {
		struct print_item item = p.items[--p.n_items];

		if (item.text)
			fputs(item.text, out);
		else
			rc = print_node(&p, item, out);
	}
	return rc;
}
