// SPDX-License-Identifier: BSD-3-Clause
/* Implements models: the metrics, thresholds, checks and parameters of a formula file become one struct ep_program. */
#include "common/formula/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

enum { N_BOUNDS = 3, N_CHECK_DEFINITIONS = 1 + 2 * N_BOUNDS };

static const char *const relations[N_BOUNDS] = { "=", "<=", ">=" };

/* Rounding may move a share this far out of the range from 0 to 1. */
static const double share_slack = 1e-9;
static const double default_tolerance = 1e-6;

struct ep_model {
	struct ep_formula_file file;
	struct ep_program *program;
	struct ep_scratch *scratch;
	struct ep_measured *inputs;        /* (I) the inputs of the program */
	struct ep_result *results;         /* (D) the values of all definitions */
	struct ep_metric_trust *trusts;    /* (n_metrics of the file) how far each can be trusted */
	struct ep_definition *definitions; /* (D) in the order of first_threshold and first_check */
	char **names;       /* (D) the file's names; those of thresholds and checks are hidden */
	struct ep_ast *own; /* (D) trees that are not in the file */
	uint32_t n_definitions;
	/* Definitions are in the order metrics, parameters, thresholds (M), checks (7 each). */
	uint32_t first_threshold, first_check;
};

static int add_definition(struct ep_model *m, char *name, const struct ep_ast *ast)
{
	if (!name)
		return -ENOMEM;
	m->names[m->n_definitions] = name;
	m->definitions[m->n_definitions].name = name;
	m->definitions[m->n_definitions].ast = ast;
	m->n_definitions++;
	return 0;
}

/* Makes a name that no formula can contain. */
static char *hidden_name(const char *what, uint32_t idx)
{
	char *name = NULL;

	return asprintf(&name, "(%s %u)", what, idx) < 0 ? NULL : name;
}

static int set_absent(struct ep_ast *ast)
{
	struct ep_node node = { .op = EP_OP_NAN };

	return ep_ast_add_node(ast, &node);
}

/* Adds a tree of the file. An empty tree becomes NaN. */
static int add_tree(struct ep_model *m, char *name, const struct ep_ast *tree)
{
	struct ep_ast *own = &m->own[m->n_definitions];

	if (tree->n_nodes)
		return add_definition(m, name, tree);
	if (set_absent(own)) {
		free(name);
		return -ENOMEM;
	}
	return add_definition(m, name, own);
}

/* Adds the difference left - right of two earlier definitions. */
static int add_difference(struct ep_model *m, char *name, uint32_t left, uint32_t right)
{
	struct ep_ast *own = &m->own[m->n_definitions];
	struct ep_node difference = { .op = EP_OP_SUBTRACT, .operand = { 0, 1 } };
	uint32_t sides[] = { left, right };

	for (int i = 0; i < 2; i++) {
		struct ep_node node = { .op = EP_OP_NAME };
		const char *side = m->names[sides[i]];

		if (ep_ast_add_name(own, side, (uint32_t)strlen(side), &node.operand[0]) ||
			ep_ast_add_node(own, &node)) {
			free(name);
			return -ENOMEM;
		}
	}
	if (ep_ast_add_node(own, &difference)) {
		free(name);
		return -ENOMEM;
	}
	return add_definition(m, name, own);
}

static int add_check(struct ep_model *m, uint32_t check_idx)
{
	const struct ep_formula_check *check = &m->file.checks[check_idx];
	const struct ep_ast *bounds[N_BOUNDS] = { &check->equals, &check->at_most,
		&check->at_least };
	uint32_t first = m->n_definitions;
	int rc = add_tree(m, hidden_name("check", first), &check->expr);

	for (int i = 0; !rc && i < N_BOUNDS; i++) {
		rc = add_tree(m, hidden_name("bound", m->n_definitions), bounds[i]);
		if (!rc)
			rc = add_difference(m, hidden_name("difference", m->n_definitions), first,
				m->n_definitions - 1);
	}
	return rc;
}

static int add_metrics(struct ep_model *m, const struct ep_names *overridden)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->file.n_metrics; i++) {
		const struct ep_formula_metric *metric = &m->file.metrics[i];
		bool given = overridden && ep_names_find(overridden, metric->name) != EP_NONE;

		rc = add_tree(
			m, given ? hidden_name("formula", i) : strdup(metric->name), &metric->expr);
	}
	return rc;
}

/* Adds the parameters that have a value. A parameter without a value becomes an input that is never measured, so that
 * results name it as missing. */
static int add_parameters(struct ep_model *m)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->file.n_parameters; i++) {
		const struct ep_formula_parameter *p = &m->file.parameters[i];
		struct ep_ast *own = &m->own[m->n_definitions];

		if (isnan(p->value))
			continue;
		if (ep_ast_set_number(own, p->value))
			return -ENOMEM;
		rc = add_definition(m, strdup(p->name), own);
	}
	return rc;
}

static int add_definitions(struct ep_model *m, const struct ep_names *overridden)
{
	int rc = add_metrics(m, overridden);

	if (!rc)
		rc = add_parameters(m);
	m->first_threshold = m->n_definitions;
	for (uint32_t i = 0; !rc && i < m->file.n_metrics; i++)
		rc = add_tree(m, hidden_name("threshold", i), &m->file.metrics[i].threshold);
	m->first_check = m->n_definitions;
	for (uint32_t i = 0; !rc && i < m->file.n_checks; i++)
		rc = add_check(m, i);
	return rc;
}

static int compile(struct ep_model *m, const char *runtime_parameter)
{
	int rc =
		ep_program_create(m->definitions, m->n_definitions, runtime_parameter, &m->program);

	if (!rc)
		rc = ep_scratch_create(m->program, &m->scratch);
	if (rc)
		return rc;
	m->inputs = calloc(ep_program_n_inputs(m->program) + 1, sizeof(*m->inputs));
	m->results = calloc(m->n_definitions + 1, sizeof(*m->results));
	m->trusts = calloc(m->file.n_metrics + 1, sizeof(*m->trusts));
	if (!m->inputs || !m->results || !m->trusts)
		return -ENOMEM;
	ep_trust_judge(&m->file, m->trusts);
	return 0;
}

static void destroy_model(struct ep_model **model)
{
	ep_model_destroy(*model);
}

int ep_model_create(struct ep_formula_file *file, const struct ep_names *overridden,
	const char *runtime_parameter, struct ep_model **out, struct ep_error *err)
{
	__attribute__((cleanup(destroy_model))) struct ep_model *m = calloc(1, sizeof(*m));
	size_t n_most = 2 * (size_t)file->n_metrics + file->n_parameters +
			N_CHECK_DEFINITIONS * (size_t)file->n_checks + 1;
	int rc = -ENOMEM;

	if (m) {
		m->file = *file;
		*file = (struct ep_formula_file){ 0 };
		m->definitions = calloc(n_most, sizeof(*m->definitions));
		m->names = calloc(n_most, sizeof(*m->names));
		m->own = calloc(n_most, sizeof(*m->own));
	}
	if (m && m->definitions && m->names && m->own)
		rc = add_definitions(m, overridden);
	if (!rc)
		rc = compile(m, runtime_parameter);
	if (rc)
		return ep_fail(err, rc, "out of memory");
	*out = m;
	m = NULL;
	return 0;
}

void ep_model_destroy(struct ep_model *model)
{
	if (!model)
		return;
	for (uint32_t i = 0; i < model->n_definitions; i++) {
		free(model->names[i]);
		ep_ast_finish(&model->own[i]);
	}
	free(model->names);
	free(model->own);
	free(model->definitions);
	free(model->inputs);
	free(model->results);
	free(model->trusts);
	ep_scratch_destroy(model->scratch);
	ep_program_destroy(model->program);
	ep_formula_file_finish(&model->file);
	free(model);
}

const struct ep_formula_file *ep_model_file(const struct ep_model *model)
{
	return &model->file;
}

const struct ep_program *ep_model_program(const struct ep_model *model)
{
	return model->program;
}

int ep_model_find_metric(const struct ep_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->file.n_metrics; i++)
		if (!strcmp(model->file.metrics[i].name, name))
			return (int)i;
	return -1;
}

static void judge_metric(const struct ep_model *m, uint32_t idx, struct ep_metric_value *out)
{
	const struct ep_formula_metric *metric = &m->file.metrics[idx];
	const struct ep_formula_kind *kind = ep_formula_kind_find(metric->kind);
	const struct ep_result *threshold = &m->results[m->first_threshold + idx];
	double value = m->results[idx].value;

	*out = (struct ep_metric_value){ .metric = metric, .result = m->results[idx] };
	if (kind && !out->result.absence) {
		out->is_negative = kind->flags_negative && value < -share_slack;
		out->is_above_one = kind->flags_above_one && value > 1 + share_slack;
	}
	out->trust = m->trusts[idx];
	out->is_over_threshold = !threshold->absence && threshold->value != 0;
}

/* Returns how far the value is on the wrong side of the bound; below 0: it is on the right side. */
static double wrong_by(int bound, double difference)
{
	return bound == 0 ? fabs(difference) : bound == 1 ? difference : -difference;
}

static void judge_bound(
	const struct ep_model *m, uint32_t first, int bound, struct ep_check_value *out)
{
	const struct ep_result *value = &m->results[first];
	const struct ep_result *limit = &m->results[first + 1 + 2 * bound];
	const struct ep_result *difference = limit + 1;
	double tolerance = isnan(out->check->tolerance) ? default_tolerance : out->check->tolerance;
	double error = isnan(difference->standard_error) ? 0 : difference->standard_error;

	if (out->state == EP_CHECK_BROKEN)
		return;
	out->value = *value;
	out->bound = *limit;
	out->relation = relations[bound];
	if (difference->absence)
		return;
	out->state = wrong_by(bound, difference->value) > tolerance * fabs(limit->value) + 2 * error
			     ? EP_CHECK_BROKEN
			     : EP_CHECK_HOLDS;
}

static void judge_check(const struct ep_model *m, uint32_t idx, struct ep_check_value *out)
{
	const struct ep_formula_check *check = &m->file.checks[idx];
	const struct ep_ast *bounds[N_BOUNDS] = { &check->equals, &check->at_most,
		&check->at_least };

	*out = (struct ep_check_value){ .check = check, .state = EP_CHECK_UNKNOWN };
	for (int i = 0; i < N_BOUNDS; i++)
		if (bounds[i]->n_nodes)
			judge_bound(m, m->first_check + idx * N_CHECK_DEFINITIONS, i, out);
}

static bool is_listed(const char *list, const char *name)
{
	size_t size = strlen(name);

	for (; *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == size && !strncmp(list, name, size))
			return true;
	return false;
}

/* Marks the metrics that a broken check names as invalid. */
static void spread_check(const struct ep_model *m, const struct ep_check_value *value,
	struct ep_metric_value *metrics)
{
	const char *doubts = value->check->doubts;

	for (uint32_t i = 0; doubts && value->state == EP_CHECK_BROKEN && i < m->file.n_metrics;
		i++)
		if (!metrics[i].broken && is_listed(doubts, m->file.metrics[i].name))
			metrics[i].broken = value->check;
}

int ep_model_eval(struct ep_model *model, const struct ep_values *values,
	struct ep_metric_value *out_metrics, struct ep_check_value *out_checks)
{
	ep_values_bind(values, model->program, model->inputs);
	ep_program_eval(model->program, model->inputs, model->scratch, model->results);
	for (uint32_t i = 0; i < model->file.n_metrics; i++)
		judge_metric(model, i, &out_metrics[i]);
	for (uint32_t i = 0; i < model->file.n_checks; i++) {
		struct ep_check_value value;

		judge_check(model, i, &value);
		spread_check(model, &value, out_metrics);
		if (out_checks)
			out_checks[i] = value;
	}
	return 0;
}

int ep_model_eval_perf(
	struct ep_model *model, const struct ep_values *values, struct ep_metric_value *out_metrics)
{
	ep_values_bind(values, model->program, model->inputs);
	ep_program_eval_perf(model->program, model->inputs, model->scratch, model->results);
	for (uint32_t i = 0; i < model->file.n_metrics; i++)
		out_metrics[i] = (struct ep_metric_value){ .metric = &model->file.metrics[i],
			.result = model->results[i],
			.trust = model->trusts[i] };
	return 0;
}

void ep_metric_value_print_status(const struct ep_metric_value *value, FILE *out)
{
	if (value->result.absence)
		ep_result_print_reason(&value->result, out);
	else
		fputs(value->is_negative ? "negative" : value->is_above_one ? "above1" : "ok", out);
}
