// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include "common/cleanup.h"
#include "tests/unit/corpus.h"

enum { MAX_DEFINITIONS = 8 };

struct set {
	struct ep_ast asts[MAX_DEFINITIONS];
	struct ep_definition definitions[MAX_DEFINITIONS];
	uint32_t n;
	struct ep_program *program;
	struct ep_scratch *scratch;
	struct ep_measured inputs[16];
	struct ep_result results[MAX_DEFINITIONS];
};

static void define(struct set *s, const char *name, const char *text)
{
	struct ep_error err;

	CHECK_INT(ep_formula_parse_text(text, &s->asts[s->n], &err), 0);
	s->definitions[s->n] = (struct ep_definition){ name, &s->asts[s->n] };
	s->n++;
}

static void compile(struct set *s)
{
	CHECK_INT(ep_program_create(s->definitions, s->n, NULL, &s->program), 0);
	CHECK_INT(ep_scratch_create(s->program, &s->scratch), 0);
}

static void measure(struct set *s, const char *name, double value, double error, double coverage)
{
	for (uint32_t i = 0; i < ep_program_n_inputs(s->program); i++)
		if (!strcmp(ep_program_input_name(s->program, i), name))
			s->inputs[i] = (struct ep_measured){ value, error, coverage, 1, true };
}

static void evaluate(struct set *s)
{
	ep_program_eval(s->program, s->inputs, s->scratch, s->results);
}

static void finish(struct set *s)
{
	ep_scratch_destroy(s->scratch);
	ep_program_destroy(s->program);
	for (uint32_t i = 0; i < s->n; i++)
		ep_ast_finish(&s->asts[i]);
}

TEST(an_event_used_twice_counts_once)
{
	struct set s = { 0 };

	define(&s, "share", "a / (a + b)");
	define(&s, "one", "a / a");
	define(&s, "sum", "a + b");
	define(&s, "exact", "c * 2");
	compile(&s);
	measure(&s, "a", 100, 10, 1);
	measure(&s, "b", 300, 0, 1);
	measure(&s, "c", 5, 0, 1);
	evaluate(&s);
	/* (110/410 - 90/390) / 2; the rule for independent operands would give 0.031 */
	CHECK_CLOSE(s.results[0].standard_error, (110. / 410 - 90. / 390) / 2, 1e-12);
	CHECK_CLOSE(s.results[1].standard_error, 0, 0);
	CHECK_CLOSE(s.results[2].standard_error, 10, 1e-12);
	CHECK_CLOSE(s.results[3].standard_error, 0, 0);
	finish(&s);
}

TEST(errors_of_different_events_add_in_quadrature)
{
	struct set s = { 0 };

	define(&s, "sum", "a + b");
	compile(&s);
	measure(&s, "a", 100, 3, 1);
	measure(&s, "b", 100, 4, 1);
	evaluate(&s);
	CHECK_CLOSE(s.results[0].standard_error, 5, 1e-12);
	finish(&s);
}

TEST(what_depends_on_an_unknown_error_has_one)
{
	struct set s = { 0 };

	define(&s, "of", "a * 2");
	define(&s, "beside", "b + 1");
	define(&s, "both", "a / a");
	compile(&s);
	measure(&s, "a", 100, NAN, 0.5);
	measure(&s, "b", 100, 3, 1);
	evaluate(&s);
	CHECK(isnan(s.results[0].standard_error));
	CHECK_CLOSE(s.results[1].standard_error, 3, 1e-12);
	CHECK_CLOSE(s.results[2].standard_error, 0, 0); /* whatever a is */
	finish(&s);
}

TEST(coverage_is_the_least_of_what_the_value_came_from)
{
	struct set s = { 0 };

	define(&s, "used", "a + b");
	define(&s, "branch", "a if c else b");
	define(&s, "through", "used * 2");
	compile(&s);
	measure(&s, "a", 1, 0, 0.9);
	measure(&s, "b", 1, 0, 0.25);
	measure(&s, "c", 1, 0, 0.5);
	evaluate(&s);
	CHECK_CLOSE(s.results[0].coverage, 0.25, 0);
	CHECK_CLOSE(s.results[1].coverage, 0.5, 0);
	CHECK_CLOSE(s.results[2].coverage, 0.25, 0);
	finish(&s);
}

TEST(cycles_are_named_by_the_first_member)
{
	struct set s = { 0 };

	define(&s, "alone", "x");
	define(&s, "M1", "x + M2");
	define(&s, "M2", "x + M3");
	define(&s, "M3", "x + M1");
	define(&s, "user", "M3 * 2");
	compile(&s);
	measure(&s, "x", 1, 0, 1);
	evaluate(&s);
	CHECK_INT(s.results[0].absence, EP_PRESENT);
	for (int i = 1; i < 5; i++) {
		CHECK_INT(s.results[i].absence, EP_ABSENT_CYCLE);
		CHECK_STR(s.results[i].subject, "M1");
	}
	finish(&s);
}

TEST(not_measured_is_absent_and_named)
{
	struct set s = { 0 };

	define(&s, "share", "a / (b - b)");
	define(&s, "other", "1 if z else 2");
	define(&s, "literal", "#slots * 2");
	define(&s, "nothing", "NaN");
	define(&s, "large", "1e999");
	compile(&s);
	measure(&s, "a", 1, 0, 1);
	measure(&s, "b", 1, 0, 1);
	evaluate(&s);
	CHECK_INT(s.results[0].absence, EP_ABSENT_DIV0);
	CHECK_INT(s.results[1].absence, EP_ABSENT_MISSING);
	CHECK_STR(s.results[1].subject, "z");
	CHECK_INT(s.results[2].absence, EP_ABSENT_LITERAL);
	CHECK_STR(s.results[2].subject, "#slots");
	CHECK_INT(s.results[3].absence, EP_ABSENT_NAN);
	CHECK_INT(s.results[4].absence, EP_ABSENT_OVERFLOW);
	finish(&s);
}

TEST(inputs_of_a_definition_are_found_through_others)
{
	struct set s = { 0 };
	bool used[16];

	define(&s, "base", "a + b");
	define(&s, "top", "base / c");
	define(&s, "rest", "d");
	compile(&s);
	ep_program_mark_inputs(s.program, 1, used);
	for (uint32_t i = 0; i < ep_program_n_inputs(s.program); i++)
		CHECK_INT(used[i], strcmp(ep_program_input_name(s.program, i), "d") != 0);
	finish(&s);
}

/* A chain of definitions as long as no recursion would survive. */
TEST(long_chains_of_definitions)
{
	enum { N = 200000 };
	struct ep_definition *definitions = calloc(N, sizeof(*definitions));
	struct ep_ast *asts = calloc(N, sizeof(*asts));
	struct ep_program *program;
	struct ep_scratch *scratch;
	struct ep_result *results = calloc(N, sizeof(*results));
	struct ep_measured one = { .value = 1, .is_measured = true };
	struct ep_error err;

	for (int i = 0; i < N; i++) {
		char text[32];

		snprintf(text, sizeof(text), "m%d", i);
		definitions[i] = (struct ep_definition){ strdup(text), &asts[i] };
		snprintf(text, sizeof(text), "1 + m%d", i + 1);
		CHECK_INT(ep_formula_parse_text(text, &asts[i], &err), 0);
	}
	CHECK_INT(ep_program_create(definitions, N, NULL, &program), 0);
	CHECK_INT(ep_scratch_create(program, &scratch), 0);
	ep_program_eval(program, &one, scratch, results);
	CHECK_CLOSE(results[0].value, N + 1, 0);
	ep_scratch_destroy(scratch);
	ep_program_destroy(program);
	for (int i = 0; i < N; i++) {
		free((char *)definitions[i].name);
		ep_ast_finish(&asts[i]);
	}
	free(results);
	free(asts);
	free(definitions);
}

TEST(a_program_is_json_for_evaluators_elsewhere)
{
	struct set s = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	define(&s, "A", "x / 2");
	define(&s, "B", "A if x > 1 else 1e999");
	compile(&s);
	ep_program_print_json(s.program, 2, out);
	fclose(out);
	CHECK_STR(text,
		"\"code\":[[\"input\",0],[\"number\",2],[\"divide\",0,1],[\"number\",1],[\"greater\",0,3],"
		"[\"number\",null],[\"select\",2,4,5]],\"values\":[2,6]");
	free(text);
	finish(&s);
}
