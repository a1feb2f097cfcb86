// SPDX-License-Identifier: BSD-3-Clause
/*
 * The published expressions of perf and perfmon: their licence keeps them outside the tree, so
 * they are read from ../shared beside it, and the test skips where that is not there.
 */
#include "tests/unit/test.h"

#include "tests/unit/corpus.h"

enum { N_VECTORS = 5 };

#define DATA "../shared/data/formulas/"

static struct corpus_values vectors[N_VECTORS];

static void read_or_skip(const char *name, struct tsv *out)
{
	if (tsv_read_source(name, out))
		return;
	printf("1..0 # SKIP values that are not ours to hand on: no %s\n", name);
	exit(0);
}

static void load_vectors(void)
{
	struct tsv t = { 0 };

	if (vectors[0].values)
		return;
	read_or_skip(DATA "perf-ids.tsv.gz", &t);
	for (size_t i = 0; i < t.n_rows; i++)
		for (int v = 0; v < N_VECTORS; v++)
			corpus_add(&vectors[v], t.rows[i][0], t.rows[i][v + 2], t.rows[i][1]);
	tsv_finish(&t);
	read_or_skip(DATA "perf-literals.tsv", &t);
	for (size_t i = 0; i < t.n_rows; i++)
		for (int v = 0; v < N_VECTORS; v++)
			corpus_add(&vectors[v], t.rows[i][0], t.rows[i][v + 1], NULL);
	tsv_finish(&t);
}

static void check_definition(const struct ep_program *program, uint32_t definition, int vector,
	const char *what, char **expected)
{
	struct ep_measured *inputs = calloc(ep_program_n_inputs(program) + 1, sizeof(*inputs));
	struct ep_result *results = calloc(ep_program_n_definitions(program), sizeof(*results));
	struct ep_scratch *scratch;

	CHECK_INT(ep_scratch_create(program, &scratch), 0);
	corpus_bind(program, &vectors[vector], inputs);
	ep_program_eval(program, inputs, scratch, results);
	corpus_check_strict(what, &results[definition], expected[1], expected[2]);
	ep_program_eval_perf(program, inputs, scratch, results);
	corpus_check_perf(what, &results[definition], expected[0]);
	ep_scratch_destroy(scratch);
	free(results);
	free(inputs);
}

static void check_expression(
	const char *id, const char *text, const struct tsv *expected, const size_t *rows)
{
	struct ep_ast ast = { 0 };
	struct ep_error err = { 0 };
	struct ep_definition definition = { "SELF", &ast };
	struct ep_program *program;
	int rc = ep_formula_parse_text(text, &ast, &err);

	CHECK_MSG(!rc, "%s: %s: %s", id, err.where, err.message);
	if (rc)
		return;
	CHECK_INT(ep_program_create(&definition, 1, "3", &program), 0);
	for (int v = 0; v < N_VECTORS; v++)
		check_definition(program, 0, v, id, expected->rows[rows[v]] + 2);
	ep_program_destroy(program);
	ep_ast_finish(&ast);
}

TEST(every_published_expression_agrees)
{
	struct tsv metrics = { 0 }, expected = { 0 };
	struct ep_names ids = { 0 };
	size_t(*rows)[N_VECTORS], n_checked = 0;
	bool *seen;

	load_vectors();
	read_or_skip(DATA "perf-expected.tsv.gz", &expected);
	read_or_skip(DATA "perf-metrics.tsv.gz", &metrics);
	rows = calloc(expected.n_rows, sizeof(*rows));
	seen = calloc(expected.n_rows, sizeof(*seen));
	for (size_t i = 0; i < expected.n_rows; i++) {
		uint32_t idx;

		CHECK_INT(ep_names_add(&ids, expected.rows[i][0], &idx), 0);
		rows[idx][expected.rows[i][1][1] - '1'] = i;
	}
	for (size_t i = 0; i < metrics.n_rows; i++) {
		uint32_t idx = ep_names_find(&ids, metrics.rows[i][0]);

		if (idx == EP_NONE || seen[idx])
			continue;
		seen[idx] = true;
		n_checked += N_VECTORS;
		check_expression(metrics.rows[i][0], metrics.rows[i][7], &expected, rows[idx]);
	}
	CHECK_INT(n_checked, expected.n_rows);
	ep_names_finish(&ids);
	free(rows);
	free(seen);
	tsv_finish(&metrics);
	tsv_finish(&expected);
}

/* The metrics of one CPU and PMU, compiled together. */
struct machine {
	struct ep_definition *definitions;
	struct ep_ast *asts;
	uint32_t n;
	struct ep_program *program;
};

static char *machine_key(const char *cpu, const char *pmu)
{
	char *key;

	if (asprintf(&key, "%s\t%s", cpu, pmu) < 0)
		abort();
	return key;
}

static void collect(const struct tsv *metrics, const char *key, struct machine *m)
{
	m->definitions = calloc(metrics->n_rows, sizeof(*m->definitions));
	m->asts = calloc(metrics->n_rows, sizeof(*m->asts));
	for (size_t i = 0; i < metrics->n_rows; i++) {
		char **row = metrics->rows[i], *row_key = machine_key(row[1], row[3]);
		struct ep_error err;

		if (!strcmp(row_key, key) && !strcmp(row[5], "linux-6.12") &&
			!strcmp(row[6], "expr")) {
			CHECK_INT(ep_formula_parse_text(row[7], &m->asts[m->n], &err), 0);
			m->definitions[m->n].name = row[2];
			m->definitions[m->n].ast = &m->asts[m->n];
			m->n++;
		}
		free(row_key);
	}
	CHECK_INT(ep_program_create(m->definitions, m->n, "3", &m->program), 0);
}

static void finish_machine(struct machine *m)
{
	ep_program_destroy(m->program);
	for (uint32_t i = 0; i < m->n; i++)
		ep_ast_finish(&m->asts[i]);
	free(m->asts);
	free(m->definitions);
}

static void check_resolved(const struct machine *m, char **row)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!strcmp(m->definitions[i].name, row[2])) {
			check_definition(m->program, i, row[3][1] - '1', row[2], row + 4);
			return;
		}
	CHECK_MSG(false, "no metric %s", row[2]);
}

TEST(metrics_that_use_metrics_agree)
{
	struct tsv metrics = { 0 }, resolved = { 0 };
	struct ep_names keys = { 0 };
	struct machine machines[256] = { 0 };

	load_vectors();
	read_or_skip(DATA "perf-metrics.tsv.gz", &metrics);
	read_or_skip(DATA "perf-resolved.tsv.gz", &resolved);
	CHECK(resolved.n_rows > 4000);
	for (size_t i = 0; i < resolved.n_rows; i++) {
		char *key = machine_key(resolved.rows[i][0], resolved.rows[i][1]);
		uint32_t idx;

		CHECK_INT(ep_names_add(&keys, key, &idx), 0);
		if (!machines[idx].program)
			collect(&metrics, key, &machines[idx]);
		check_resolved(&machines[idx], resolved.rows[i]);
		free(key);
	}
	for (uint32_t i = 0; i < keys.n_names; i++)
		finish_machine(&machines[i]);
	ep_names_finish(&keys);
	tsv_finish(&metrics);
	tsv_finish(&resolved);
}
