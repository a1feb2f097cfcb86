// SPDX-License-Identifier: BSD-3-Clause
/*
 * An operator-precedence parser with its own stacks on the heap: pending operators and open brackets are on one stack,
 * finished operands on the other. Any thread may call these functions.
 */
#include "common/formula/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers/array.h"
#include "common/formula/lexer.h"

const struct ep_dialect ep_dialect_evprof = { "evprof", false, true };
const struct ep_dialect ep_dialect_perf = { "perf", true, false };
const struct ep_dialect ep_dialect_import = { "import", true, true };

enum pending_kind {
	PENDING_OPERATOR,
	/* PENDING_PAREN and PENDING_CALL are brackets, which are removed only by their own end */
	PENDING_PAREN,
	PENDING_CALL,
	PENDING_CONDITION, /* between "if" and "else" */
	PENDING_OTHERWISE, /* after "else" */
};

struct pending {
	enum pending_kind kind;
	enum ep_op op;
	uint32_t offset_bytes;
	unsigned n_arguments; /* finished arguments of a call */
};

struct parser {
	const struct ep_formula_source *source;
	struct ep_error *err;
	struct ep_ast ast;
	struct pending *pending;
	uint32_t n_pending, capacity_pending;
	uint32_t *operands;
	uint32_t n_operands, capacity_operands;
	struct ep_token token;
};

static void finish_parser(struct parser *p)
{
	ep_ast_finish(&p->ast);
	free(p->pending);
	free(p->operands);
}

static void advance(struct parser *p)
{
	p->token = ep_lexer_next(p->source, p->token.offset_bytes + p->token.size_bytes);
}

static struct ep_place place_of(const struct ep_formula_source *source, uint32_t offset_bytes)
{
	struct ep_place place = source->place;

	if (!place.line)
		place.line = 1;
	if (!place.column)
		place.column = 1;
	if (!place.file)
		place.file = "expression";
	for (uint32_t i = 0; i < offset_bytes && i < source->size_bytes; i++) {
		place.column++;
		if (source->text[i] == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

static int fail_expected(struct parser *p, const char *expected)
{
	const struct ep_token *t = &p->token;
	struct ep_place place = place_of(p->source, t->offset_bytes);
	int shown = t->size_bytes > 60 ? 60 : (int)t->size_bytes;

	if (t->kind == EP_TOKEN_END)
		return ep_fail_at(p->err, -EINVAL, place, "expected %s, found the end", expected);
	return ep_fail_at(p->err, -EINVAL, place, "expected %s, found '%.*s'%s", expected, shown,
		p->source->text + t->offset_bytes, shown < (int)t->size_bytes ? "..." : "");
}

static int fail_memory(struct parser *p)
{
	return ep_fail(p->err, -ENOMEM, "out of memory");
}

static int push_pending(struct parser *p, struct pending entry)
{
	if (EP_ARRAY_RESERVE(p->pending, p->n_pending, p->capacity_pending))
		return fail_memory(p);
	p->pending[p->n_pending++] = entry;
	return 0;
}

static int push_operand(struct parser *p, uint32_t node)
{
	if (EP_ARRAY_RESERVE(p->operands, p->n_operands, p->capacity_operands))
		return fail_memory(p);
	p->operands[p->n_operands++] = node;
	return 0;
}

static int push_node(struct parser *p, const struct ep_node *node)
{
	if (ep_ast_add_node(&p->ast, node))
		return fail_memory(p);
	return push_operand(p, p->ast.n_nodes - 1);
}

/* Replaces an operator's operands by its node. */
static int reduce(struct parser *p, enum ep_op op, uint32_t offset_bytes)
{
	struct ep_node node = { .op = op, .offset_bytes = offset_bytes };
	unsigned n = ep_op_n_operands(op);

	p->n_operands -= n;
	memcpy(node.operand, p->operands + p->n_operands, n * sizeof(node.operand[0]));
	return push_node(p, &node);
}

static struct pending *top(struct parser *p)
{
	return p->n_pending ? &p->pending[p->n_pending - 1] : NULL;
}

/* Finishes the operators on top that bind at least as tightly as precedence. */
static int reduce_operators(struct parser *p, unsigned precedence)
{
	struct pending *entry;
	int rc = 0;

	while (!rc && (entry = top(p)) && entry->kind == PENDING_OPERATOR &&
		ep_op_info[entry->op].precedence >= precedence) {
		p->n_pending--;
		rc = reduce(p, entry->op, entry->offset_bytes);
	}
	return rc;
}

/* Finishes all operators down to the innermost open bracket, with whole if/else chains. */
static int reduce_to_bracket(struct parser *p)
{
	int rc = reduce_operators(p, 1);
	struct pending *entry;

	while (!rc && (entry = top(p)) && entry->kind == PENDING_OTHERWISE) {
		p->n_pending--;
		rc = reduce(p, EP_OP_SELECT, entry->offset_bytes);
	}
	return rc;
}

static int parse_number(struct parser *p)
{
	struct ep_node node = { .op = EP_OP_NUMBER, .offset_bytes = p->token.offset_bytes };
	char *copy = strndup(p->source->text + p->token.offset_bytes, p->token.size_bytes);

	if (!copy)
		return fail_memory(p);
	node.number = strtod(copy, NULL);
	free(copy);
	advance(p);
	return push_node(p, &node);
}

static int parse_text(struct parser *p, enum ep_op op)
{
	struct ep_node node = { .op = op, .offset_bytes = p->token.offset_bytes };

	if (ep_ast_add_name(&p->ast, p->source->text + p->token.offset_bytes, p->token.size_bytes,
		    &node.operand[0]))
		return fail_memory(p);
	advance(p);
	return push_node(p, &node);
}

static int parse_query(struct parser *p)
{
	enum ep_op op = p->token.op;
	int rc;

	advance(p);
	if (p->token.kind != EP_TOKEN_OPEN)
		return fail_expected(p, "'('");
	advance(p);
	if (p->token.kind != EP_TOKEN_NAME)
		return fail_expected(p, "a name");
	rc = parse_text(p, op);
	if (rc)
		return rc;
	if (p->token.kind != EP_TOKEN_CLOSE)
		return fail_expected(p, "')'");
	advance(p);
	return 0;
}

static int open_bracket(struct parser *p, enum pending_kind kind, enum ep_op op)
{
	struct pending entry = { kind, op, p->token.offset_bytes, 0 };

	advance(p);
	if (kind == PENDING_CALL) {
		if (p->token.kind != EP_TOKEN_OPEN)
			return fail_expected(p, "'('");
		advance(p);
	}
	return push_pending(p, entry);
}

/* Parses a token where an operand may begin. *out_complete: the operand is complete. */
static int parse_operand_start(struct parser *p, bool *out_complete)
{
	struct ep_node nan_node = { .op = EP_OP_NAN, .offset_bytes = p->token.offset_bytes };

	*out_complete = true;
	switch (p->token.kind) {
	case EP_TOKEN_NUMBER:
		return parse_number(p);
	case EP_TOKEN_NAME:
		return parse_text(p, EP_OP_NAME);
	case EP_TOKEN_LITERAL:
		return parse_text(p, EP_OP_LITERAL);
	case EP_TOKEN_QUERY:
		return parse_query(p);
	case EP_TOKEN_NAN:
		advance(p);
		return push_node(p, &nan_node);
	default:
		*out_complete = false;
	}
	if (p->token.kind == EP_TOKEN_OPEN)
		return open_bracket(p, PENDING_PAREN, EP_N_OPS);
	if (p->token.kind == EP_TOKEN_CALL)
		return open_bracket(p, PENDING_CALL, p->token.op);
	if (p->token.kind == EP_TOKEN_INFIX && p->token.op == EP_OP_SUBTRACT)
		return open_bracket(p, PENDING_OPERATOR, EP_OP_NEGATE);
	return fail_expected(p, "a number, a name or '('");
}

static int parse_infix(struct parser *p)
{
	struct pending entry = { PENDING_OPERATOR, p->token.op, p->token.offset_bytes, 0 };
	int rc = reduce_operators(p, ep_op_info[entry.op].precedence);

	advance(p);
	return rc ? rc : push_pending(p, entry);
}

static int parse_if(struct parser *p)
{
	struct pending entry = { PENDING_CONDITION, EP_OP_SELECT, p->token.offset_bytes, 0 };
	int rc = reduce_operators(p, 1);
	struct pending *outer = top(p);

	if (rc)
		return rc;
	if (outer && outer->kind == PENDING_CALL)
		return fail_expected(
			p, "',' or ')' (an if inside min, max or d_ratio needs parentheses)");
	if (outer && outer->kind == PENDING_CONDITION)
		return fail_expected(p, "'else'");
	advance(p);
	return push_pending(p, entry);
}

static int parse_else(struct parser *p)
{
	int rc = reduce_operators(p, 1);
	struct pending *condition = top(p);

	if (rc)
		return rc;
	if (!condition || condition->kind != PENDING_CONDITION)
		return fail_expected(p, "an operator or the end");
	condition->kind = PENDING_OTHERWISE;
	advance(p);
	return 0;
}

static int parse_comma(struct parser *p)
{
	int rc = reduce_operators(p, 1);
	struct pending *call = top(p);

	if (rc)
		return rc;
	if (!call || call->kind != PENDING_CALL || call->n_arguments)
		return fail_expected(
			p, call && call->kind == PENDING_CALL ? "')'" : "an operator or the end");
	call->n_arguments = 1;
	advance(p);
	return 0;
}

static int parse_close(struct parser *p)
{
	int rc = reduce_to_bracket(p);
	struct pending *bracket = top(p);

	if (rc)
		return rc;
	if (!bracket)
		return fail_expected(p, "an operator or the end");
	if (bracket->kind == PENDING_CONDITION)
		return fail_expected(p, "'else'");
	if (bracket->kind == PENDING_CALL && !bracket->n_arguments)
		return fail_expected(p, "',' (two operands)");
	advance(p);
	p->n_pending--;
	return bracket->kind == PENDING_CALL ? reduce(p, bracket->op, bracket->offset_bytes) : 0;
}

/* Parses a token after a complete operand. *out_complete: the operand is still complete. */
static int parse_after_operand(struct parser *p, bool *out_complete)
{
	*out_complete = false;
	switch (p->token.kind) {
	case EP_TOKEN_INFIX:
		return parse_infix(p);
	case EP_TOKEN_IF:
		return parse_if(p);
	case EP_TOKEN_ELSE:
		return parse_else(p);
	case EP_TOKEN_COMMA:
		return parse_comma(p);
	case EP_TOKEN_CLOSE:
		*out_complete = true;
		return parse_close(p);
	default:
		return fail_expected(p, "an operator or the end");
	}
}

static int finish_expression(struct parser *p)
{
	static const char *const expected[] = {
		[PENDING_PAREN] = "')'",
		[PENDING_CALL] = "')'",
		[PENDING_CONDITION] = "'else'",
	};
	int rc = reduce_to_bracket(p);

	if (!rc && p->n_pending)
		return fail_expected(p, expected[top(p)->kind]);
	return rc;
}

int ep_formula_parse(
	const struct ep_formula_source *source, struct ep_ast *out, struct ep_error *err)
{
	__attribute__((cleanup(finish_parser))) struct parser p = { .source = source, .err = err };
	bool complete = false;
	int rc = 0;

	advance(&p);
	while (!rc && !(complete && p.token.kind == EP_TOKEN_END))
		rc = complete ? parse_after_operand(&p, &complete)
			      : parse_operand_start(&p, &complete);
	if (!rc)
		rc = finish_expression(&p);
	if (rc)
		return rc;
	*out = p.ast;
	p.ast = (struct ep_ast){ 0 };
	return 0;
}

int ep_formula_parse_text(const char *text, struct ep_ast *out, struct ep_error *err)
{
	size_t size = strlen(text);
	struct ep_formula_source source = {
		.text = text,
		.size_bytes = (uint32_t)size,
		.dialect = &ep_dialect_perf,
	};

	if (size > INT32_MAX)
		return ep_fail(err, -E2BIG, "an expression of %zu bytes is too long", size);
	return ep_formula_parse(&source, out, err);
}
