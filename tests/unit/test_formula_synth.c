// SPDX-License-Identifier: BSD-3-Clause
/* 2,500 generated expressions and 16 ill-formed ones on three vectors: results of perf's own
 * evaluator and of the strict rules, stored with the expressions. */
#include "tests/unit/test.h"

#include "tests/unit/corpus.h"

static void load_vectors(struct corpus_values vectors[3])
{
	struct tsv t = { 0 };

	CHECK(tsv_read_source("tests/data/formulas/synth-values.tsv", &t));
	for (size_t i = 0; i < t.n_rows; i++)
		for (int v = 0; v < 3; v++)
			corpus_add(&vectors[v], t.rows[i][0], t.rows[i][v + 1], NULL);
	tsv_finish(&t);
}

static void check_row(char **row, const struct corpus_values *vector)
{
	struct ep_ast ast = { 0 };
	struct ep_program *program;
	struct ep_scratch *scratch;
	struct ep_measured inputs[64];
	struct ep_result result;
	struct ep_definition definition = { "SELF", &ast };
	struct ep_error err;
	int rc = ep_formula_parse_text(row[5], &ast, &err);

	CHECK_MSG((rc != 0) == !strcmp(row[4], "syntax"), "%s: parsing '%s' gives %d", row[0],
		row[5], rc);
	if (rc)
		return;
	CHECK_INT(ep_program_create(&definition, 1, "3", &program), 0);
	CHECK_INT(ep_scratch_create(program, &scratch), 0);
	CHECK(ep_program_n_inputs(program) <= 64);
	corpus_bind(program, vector, inputs);
	ep_program_eval(program, inputs, scratch, &result);
	corpus_check_strict(row[0], &result, row[3], row[4]);
	ep_program_eval_perf(program, inputs, scratch, &result);
	corpus_check_perf(row[0], &result, row[2]);
	ep_scratch_destroy(scratch);
	ep_program_destroy(program);
	ep_ast_finish(&ast);
}

TEST(every_row_agrees_in_both_semantics)
{
	struct corpus_values vectors[3] = { 0 };
	struct tsv t = { 0 };

	load_vectors(vectors);
	CHECK(tsv_read_source("tests/data/formulas/synth-expr.tsv.gz", &t));
	CHECK_INT(t.n_rows, 3 * 2516);
	for (size_t i = 0; i < t.n_rows; i++)
		check_row(t.rows[i], &vectors[t.rows[i][1][1] - '1']);
	tsv_finish(&t);
	for (int v = 0; v < 3; v++)
		corpus_finish(&vectors[v]);
}
