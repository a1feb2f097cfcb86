// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_formula METRICS.tsv[.gz] MODEL.formula: one core; columns of METRICS as in
 * data/formulas/perf-metrics.tsv.gz (the expression is the eighth).
 *   1. parses every distinct expression; evaluates each 1,000 times
 *   2. MODEL over 100 scopes x 1,000 time bins
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/file.h"
#include "common/formula/model.h"
#include "common/formula/parse.h"
#include "common/formula/program_private.h"

enum { N_TIMES = 1000, N_SCOPES = 100, N_BINS = 1000 };

struct corpus {
	struct ep_program **programs;
	size_t n, n_operators;
};

static size_t count_operators(const struct ep_program *program)
{
	size_t n = 0;

	for (uint32_t i = 0; i < program->n_code; i++)
		n += ep_op_n_operands(program->code[i].op) > 0;
	return n;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const struct ep_error *err)
{
	ep_error_print(err, "bench_formula");
	exit(1);
}

static char *eighth_column(char *line)
{
	for (int i = 0; i < 7 && line; i++)
		strsep(&line, "\t");
	return line;
}

static void add_expression(struct corpus *c, const char *text)
{
	struct ep_ast ast = { 0 };
	struct ep_definition definition = { "", &ast };
	struct ep_error err;

	if (ep_formula_parse_text(text, &ast, &err))
		fail(&err);
	c->programs = realloc(c->programs, (c->n + 1) * sizeof(*c->programs));
	if (!c->programs || ep_program_create(&definition, 1, "0", &c->programs[c->n]))
		abort();
	c->n_operators += count_operators(c->programs[c->n++]);
	ep_ast_finish(&ast);
}

static void parse_all(const char *path, struct corpus *c)
{
	struct ep_names seen = { 0 };
	struct ep_error err;
	size_t size;
	char *text, *rest, *line;
	double start;

	if (ep_file_read(path, &text, &size, &err))
		fail(&err);
	start = now_s();
	rest = text;
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n"))) {
		char *expression = eighth_column(line);
		uint32_t idx, n_before = seen.n_names;

		if (expression && !ep_names_add(&seen, expression, &idx) && idx == n_before)
			add_expression(c, expression);
	}
	printf("parsed and compiled %zu expressions, %zu operators: %.1f ms\n", c->n,
		c->n_operators, (now_s() - start) * 1e3);
	ep_names_finish(&seen);
	free(text);
}

static void report(const char *what, size_t n_operators, double seconds)
{
	printf("%s: %.3f s, %.1f million operators/s\n", what, seconds,
		(double)n_operators * N_TIMES / seconds / 1e6);
}

static struct ep_measured *some_inputs(const struct ep_program *program)
{
	uint32_t n = ep_program_n_inputs(program);
	struct ep_measured *inputs = calloc(n + 1, sizeof(*inputs));

	for (uint32_t i = 0; i < n; i++)
		inputs[i] = (struct ep_measured){ 1000 + i, 0, 1, 1, true };
	return inputs;
}

static void eval_scalar(const struct corpus *c)
{
	double start = now_s(), sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct ep_measured *inputs = some_inputs(c->programs[i]);
		struct ep_scratch *scratch;
		struct ep_result result;

		if (ep_scratch_create(c->programs[i], &scratch))
			abort();
		for (int k = 0; k < N_TIMES; k++) {
			inputs[0].value = k;
			ep_program_eval(c->programs[i], inputs, scratch, &result);
			sum += result.absence;
		}
		ep_scratch_destroy(scratch);
		free(inputs);
	}
	report("one scope at a time", c->n_operators, now_s() - start);
	if (isnan(sum))
		abort();
}

/* One row of bins per scope, as a report would walk them. */
static void eval_model(const char *path)
{
	struct ep_formula_file file;
	struct ep_model *model;
	struct ep_error err;
	const struct ep_program *program;
	struct ep_scratch *scratch;
	struct ep_measured *inputs;
	struct ep_result *results;
	double start;

	if (ep_formula_file_read(path, &file, &err) ||
		ep_model_create(&file, NULL, NULL, &model, &err))
		fail(&err);
	program = ep_model_program(model);
	inputs = some_inputs(program);
	results = calloc(ep_program_n_definitions(program) + 1, sizeof(*results));
	if (!results || ep_scratch_create(program, &scratch))
		abort();
	start = now_s();
	for (int cell = 0; cell < N_SCOPES * N_BINS; cell++) {
		inputs[0].value = cell;
		ep_program_eval(program, inputs, scratch, results);
	}
	printf("%s: %u metrics from %u inputs over %d x %d cells: %.3f s\n", path,
		ep_model_file(model)->n_metrics, ep_program_n_inputs(program), N_SCOPES, N_BINS,
		now_s() - start);
	ep_scratch_destroy(scratch);
	ep_model_destroy(model);
	free(results);
	free(inputs);
}

int main(int argc, char **argv)
{
	struct corpus corpus = { 0 };

	if (argc != 3) {
		fprintf(stderr, "usage: bench_formula METRICS.tsv[.gz] MODEL.formula\n");
		return 2;
	}
	parse_all(argv[1], &corpus);
	eval_scalar(&corpus);
	eval_model(argv[2]);
	for (size_t i = 0; i < corpus.n; i++)
		ep_program_destroy(corpus.programs[i]);
	free(corpus.programs);
	return 0;
}
