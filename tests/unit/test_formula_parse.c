// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>

#include "common/cleanup.h"
#include "common/formula/parse.h"
#include "tests/unit/tsv.h"

static char *print(const struct ep_ast *ast)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK_INT(ep_formula_print(ast, out), 0);
	fclose(out);
	return text;
}

static int parse(const char *text, const struct ep_dialect *dialect, struct ep_ast *out,
	struct ep_error *err)
{
	struct ep_formula_source source = { .text = text,
		.size_bytes = (uint32_t)strlen(text),
		.place = { "f", 7, 10 },
		.dialect = dialect };

	return ep_formula_parse(&source, out, err);
}

TEST(reads_and_prints_with_perfs_precedence)
{
	static const struct {
		const char *text, *printed;
	} cases[] = {
		{ "a>1&b>2", "a > 1 & b > 2" },
		{ "a|b^c&d<e+f*-g", "a | b ^ c & d < e + f * -g" },
		{ "((a|b)^c)&d", "((a | b) ^ c) & d" },
		{ "a-(b-c)-d", "a - (b - c) - d" },
		{ "a/(b*c)/d", "a / (b * c) / d" },
		{ "-(a+b)", "-(a + b)" },
		{ "--a", "--a" },
		{ "a if b else c if d else e", "a if b else c if d else e" },
		{ "(a if b else c) if d else e", "(a if b else c) if d else e" },
		{ "a if (b if c else d) else e", "a if (b if c else d) else e" },
		{ "1+(a if b else c)", "1 + (a if b else c)" },
		{ "min(a,(b if c else d))", "min(a, (b if c else d))" },
		{ "d_ratio ( a , max(b,c) )", "d_ratio(a, max(b, c))" },
		{ "cpu@ev\\=0x3c\\,cmask\\=1@/2", "cpu@ev\\=0x3c\\,cmask\\=1@ / 2" },
		{ "topdown\\-be\\-bound", "topdown\\-be\\-bound" },
		{ "has_event(x:u)*source_count(y)", "has_event(x:u) * source_count(y)" },
		{ "strcmp_cpuid_str(0x410fd493)", "strcmp_cpuid_str(0x410fd493)" },
		{ "#slots-1", "#slots-1" },
		{ "4INST_COMMIT/0x3c", "4INST_COMMIT / 0x3c" },
		{ "skx::UOPS_ISSUED:ANY", "skx::UOPS_ISSUED:ANY" },
		{ "1e3+.5+7.+1e-9+1e20", "1000 + 0.5 + 7 + 1e-09 + 1e20" },
		{ "0.1", "0.1" },
		{ "if_x+minx", "if_x + minx" },
		{ "NaN", "NaN" },
		{ "a$b", NULL },
		{ "a$+b", "a + b" },
		{ "1e+9", "1e + 9" },
		{ "a==b", NULL },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_ast ast = { 0 };
		struct ep_error err;
		int rc = parse(cases[i].text, &ep_dialect_perf, &ast, &err);
		EP_AUTOFREE char *printed = rc ? NULL : print(&ast);

		if (!cases[i].printed)
			CHECK_MSG(rc == -EINVAL, "'%s' should not parse", cases[i].text);
		else
			CHECK_STR(printed, cases[i].printed);
		ep_ast_finish(&ast);
	}
}

TEST(errors_say_where_and_what_was_expected)
{
	static const struct {
		const char *text, *where, *message;
	} cases[] = {
		{ "", "f:7:10", "expected a number, a name or '(', found the end" },
		{ "a b", "f:7:12", "expected an operator or the end, found 'b'" },
		{ "a +\n  * b", "f:8:3", "expected a number, a name or '(', found '*'" },
		{ "min(1,2", "f:7:17", "expected ')', found the end" },
		{ "min(1)", "f:7:15", "expected ',' (two operands), found ')'" },
		{ "min(1,2,3)", "f:7:17", "expected ')', found ','" },
		{ "min 1", "f:7:14", "expected '(', found '1'" },
		{ "a if b", "f:7:16", "expected 'else', found the end" },
		{ "(a if b)", "f:7:17", "expected 'else', found ')'" },
		{ "a if b if c else d", "f:7:17", "expected 'else', found 'if'" },
		{ "1 else 2", "f:7:12", "expected an operator or the end, found 'else'" },
		{ "has_event(a+b)", "f:7:21", "expected ')', found '+'" },
		{ "has_event(1)", "f:7:20", "expected a name, found '1'" },
		{ "a)", "f:7:11", "expected an operator or the end, found ')'" },
		{ "(a", "f:7:12", "expected ')', found the end" },
		{ "a $ b", "f:7:12", "expected an operator or the end, found '$'" },
		{ "max(1 if 1 else 2, 3)", "f:7:16",
			"expected ',' or ')' (an if inside min, max or d_ratio needs "
			"parentheses), found 'if'" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct ep_ast ast;
		struct ep_error err = { 0 };

		CHECK_INT(parse(cases[i].text, &ep_dialect_evprof, &ast, &err), -EINVAL);
		CHECK_STR(err.where, cases[i].where);
		CHECK_STR(err.message, cases[i].message);
	}
}

TEST(c_operators_only_where_the_dialect_has_them)
{
	struct ep_ast ast = { 0 };
	struct ep_error err;
	EP_AUTOFREE char *printed = NULL;

	CHECK_INT(parse("a>=b&&c>  1||d==e", &ep_dialect_import, &ast, &err), 0);
	printed = print(&ast);
	CHECK_STR(printed, "a >= b & c > 1 | d == e");
	ep_ast_finish(&ast);
	CHECK_INT(parse("a==b", &ep_dialect_perf, &ast, &err), -EINVAL);
}

/* A hundred thousand levels of each thing that nests. */
TEST(deep_nesting_costs_heap_only)
{
	static const struct {
		const char *open, *middle, *close;
	} cases[] = {
		{ "(", "a", ")" },
		{ "-", "a", "" },
		{ "min(1,", "a", ")" },
		{ "(b if ", "a", " else c)" },
		{ "b if c else ", "a", "" },
		{ "(1+", "a", ")" },
	};
	enum { N_LEVELS = 100000 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		struct ep_ast ast = { 0 }, again = { 0 };
		struct ep_error err;
		EP_AUTOFREE char *printed = NULL;

		for (int k = 0; k < N_LEVELS; k++)
			fputs(cases[i].open, out);
		fputs(cases[i].middle, out);
		for (int k = 0; k < N_LEVELS; k++)
			fputs(cases[i].close, out);
		fclose(out);
		CHECK_INT(ep_formula_parse_text(text, &ast, &err), 0);
		printed = print(&ast);
		CHECK_INT(ep_formula_parse_text(printed, &again, &err), 0);
		CHECK_INT(again.n_nodes, ast.n_nodes);
		ep_ast_finish(&ast);
		ep_ast_finish(&again);
		free(text);
	}
}

static bool same_tree(const struct ep_ast *a, const struct ep_ast *b)
{
	if (a->n_nodes != b->n_nodes)
		return false;
	for (uint32_t i = 0; i < a->n_nodes; i++) {
		const struct ep_node *x = &a->nodes[i], *y = &b->nodes[i];
		bool is_text = ep_op_info[x->op].form == EP_FORM_TEXT;

		if (x->op != y->op || memcmp(&x->number, &y->number, sizeof(x->number)))
			return false;
		if (is_text && strcmp(ep_ast_name(a, x), ep_ast_name(b, y)))
			return false;
		if (!is_text && memcmp(x->operand, y->operand, sizeof(x->operand)))
			return false;
	}
	return true;
}

TEST(printing_and_parsing_again_gives_the_same_tree)
{
	struct tsv t = { 0 };

	CHECK(tsv_read_source("tests/data/formulas/synth-expr.tsv.gz", &t));
	for (size_t i = 0; i < t.n_rows; i += 3) {
		struct ep_ast ast = { 0 }, again = { 0 };
		struct ep_error err;
		EP_AUTOFREE char *printed = NULL;

		if (ep_formula_parse_text(t.rows[i][5], &ast, &err))
			continue;
		printed = print(&ast);
		CHECK_INT(ep_formula_parse_text(printed, &again, &err), 0);
		CHECK_MSG(same_tree(&ast, &again), "%s: %s became %s", t.rows[i][0], t.rows[i][5],
			printed);
		ep_ast_finish(&ast);
		ep_ast_finish(&again);
	}
	tsv_finish(&t);
}
