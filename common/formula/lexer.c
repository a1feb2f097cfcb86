// SPDX-License-Identifier: BSD-3-Clause
/* The lexical rules of perf's metric language (Linux 6.12), written without a generator. Any thread may call these
 * functions. */
#include "common/formula/lexer.h"

#include <ctype.h>
#include <string.h>

#include "common/cleanup.h"

static const struct {
	const char *text;
	enum ep_token_kind kind;
	enum ep_op op;
} keywords[] = {
	{ "d_ratio", EP_TOKEN_CALL, EP_OP_D_RATIO },
	{ "max", EP_TOKEN_CALL, EP_OP_MAX },
	{ "min", EP_TOKEN_CALL, EP_OP_MIN },
	{ "if", EP_TOKEN_IF, EP_OP_SELECT },
	{ "else", EP_TOKEN_ELSE, EP_OP_SELECT },
	{ "source_count", EP_TOKEN_QUERY, EP_OP_SOURCE_COUNT },
	{ "has_event", EP_TOKEN_QUERY, EP_OP_HAS_EVENT },
	{ "strcmp_cpuid_str", EP_TOKEN_QUERY, EP_OP_CPUID_MATCH },
	{ "NaN", EP_TOKEN_NAN, EP_OP_NAN },
};

/* Longer signs come first, since take_sign() takes the first sign that fits. */
static const struct {
	const char *text;
	enum ep_token_kind kind;
	enum ep_op op;
	bool c_operator;
} signs[] = {
	{ ">=", EP_TOKEN_INFIX, EP_OP_GREATER_EQUAL, true },
	/* Intel's files write >= with a blank */
	{ "> =", EP_TOKEN_INFIX, EP_OP_GREATER_EQUAL, true },
	{ "<=", EP_TOKEN_INFIX, EP_OP_LESS_EQUAL, true },
	{ "==", EP_TOKEN_INFIX, EP_OP_EQUAL, true },
	{ "!=", EP_TOKEN_INFIX, EP_OP_NOT_EQUAL, true },
	{ "&&", EP_TOKEN_INFIX, EP_OP_AND, true },
	{ "||", EP_TOKEN_INFIX, EP_OP_OR, true },
	{ "|", EP_TOKEN_INFIX, EP_OP_OR, false },
	{ "^", EP_TOKEN_INFIX, EP_OP_XOR, false },
	{ "&", EP_TOKEN_INFIX, EP_OP_AND, false },
	{ "<", EP_TOKEN_INFIX, EP_OP_LESS, false },
	{ ">", EP_TOKEN_INFIX, EP_OP_GREATER, false },
	{ "-", EP_TOKEN_INFIX, EP_OP_SUBTRACT, false },
	{ "+", EP_TOKEN_INFIX, EP_OP_ADD, false },
	{ "*", EP_TOKEN_INFIX, EP_OP_MULTIPLY, false },
	{ "/", EP_TOKEN_INFIX, EP_OP_DIVIDE, false },
	{ "%", EP_TOKEN_INFIX, EP_OP_MODULO, false },
	{ "(", EP_TOKEN_OPEN, EP_N_OPS, false },
	{ ")", EP_TOKEN_CLOSE, EP_N_OPS, false },
	{ ",", EP_TOKEN_COMMA, EP_N_OPS, false },
};

static uint32_t skip_digits(const char *text, uint32_t at, uint32_t size)
{
	while (at < size && isdigit((unsigned char)text[at]))
		at++;
	return at;
}

/* Returns the size of a number: ([0-9]+\.?[0-9]*|[0-9]*\.?[0-9]+)(e-?[0-9]+)? */
static uint32_t number_size(const char *text, uint32_t size)
{
	uint32_t end = skip_digits(text, 0, size), exponent;

	if (end < size && text[end] == '.' && (end || skip_digits(text, 1, size) > 1))
		end = skip_digits(text, end + 1, size);
	if (!end || end >= size || text[end] != 'e')
		return end;
	exponent = end + 1 + (end + 1 < size && text[end + 1] == '-');
	return skip_digits(text, exponent, size) > exponent ? skip_digits(text, exponent, size)
							    : end;
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:@?", c));
}

static uint32_t name_size(const char *text, uint32_t size)
{
	uint32_t end = 0;

	while (end < size) {
		if (is_name_byte(text[end]))
			end++;
		else if (text[end] == '\\' && end + 1 < size && text[end + 1] &&
			 strchr("-,=", text[end + 1]))
			end += 2;
		else
			break;
	}
	return end;
}

static uint32_t literal_size(const char *text, uint32_t size)
{
	uint32_t end = 1;

	if (text[0] != '#')
		return 0;
	while (end < size &&
		(isalnum((unsigned char)text[end]) || (text[end] && strchr("_.-", text[end]))))
		end++;
	return end > 1 ? end : 0;
}

static bool take_sign(const struct ep_formula_source *source, struct ep_token *token)
{
	const char *text = source->text + token->offset_bytes;
	uint32_t size = source->size_bytes - token->offset_bytes;

	for (size_t i = 0; i < EP_ARRAY_SIZE(signs); i++) {
		uint32_t sign_size = (uint32_t)strlen(signs[i].text);

		if (sign_size > size || memcmp(text, signs[i].text, sign_size) ||
			(signs[i].c_operator && !source->dialect->has_c_operators))
			continue;
		token->kind = signs[i].kind;
		token->op = signs[i].op;
		token->size_bytes = sign_size;
		return true;
	}
	return false;
}

static void classify_word(const char *text, struct ep_token *token)
{
	token->kind = EP_TOKEN_NAME;
	for (size_t i = 0; i < EP_ARRAY_SIZE(keywords); i++) {
		if (strlen(keywords[i].text) != token->size_bytes ||
			memcmp(text, keywords[i].text, token->size_bytes))
			continue;
		token->kind = keywords[i].kind;
		token->op = keywords[i].op;
	}
}

static bool take_word(const struct ep_formula_source *source, struct ep_token *token)
{
	const char *text = source->text + token->offset_bytes;
	uint32_t size = source->size_bytes - token->offset_bytes;
	uint32_t as_number = number_size(text, size), as_name = name_size(text, size);

	token->size_bytes = literal_size(text, size);
	if (token->size_bytes) {
		token->kind = EP_TOKEN_LITERAL;
	} else if (as_number && as_number >= as_name) {
		token->kind = EP_TOKEN_NUMBER;
		token->size_bytes = as_number;
	} else if (as_name) {
		token->size_bytes = as_name;
		classify_word(text, token);
	}
	return token->size_bytes > 0;
}

struct ep_token ep_lexer_next(const struct ep_formula_source *source, uint32_t offset_bytes)
{
	struct ep_token token = { .kind = EP_TOKEN_END, .op = EP_N_OPS };

	for (token.offset_bytes = offset_bytes; token.offset_bytes < source->size_bytes;
		token.offset_bytes++) {
		char c = source->text[token.offset_bytes];

		if (isspace((unsigned char)c))
			continue;
		if (take_word(source, &token) || take_sign(source, &token))
			return token;
		if (!source->dialect->drops_unknown_bytes) {
			token.kind = EP_TOKEN_UNKNOWN;
			token.size_bytes = 1;
			return token;
		}
	}
	return token;
}

bool ep_lexer_is_name(const char *name)
{
	struct ep_token token = { .size_bytes = (uint32_t)strlen(name) };

	for (const char *c = name; *c; c++)
		if (!is_name_byte(*c) && !strchr("-,=/", *c))
			return false;
	classify_word(name, &token);
	return token.kind == EP_TOKEN_NAME &&
	       number_size(name, token.size_bytes) < token.size_bytes;
}
