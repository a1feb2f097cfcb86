/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes metrics and checks from values of events. A model is a formula file that is prepared for this. */
#ifndef EVPROF_COMMON_FORMULA_MODEL_H
#define EVPROF_COMMON_FORMULA_MODEL_H

#include "common/formula/formula_file.h"
#include "common/formula/program.h"
#include "common/formula/trust.h"
#include "common/formula/values.h"

struct ep_model;

struct ep_metric_value {
	const struct ep_formula_metric *metric;
	struct ep_result result;
	/* the value is below 0, or above 1, by more than 1e-9, and the metric's kind has this limit */
	bool is_negative, is_above_one;
	bool is_over_threshold;
	struct ep_metric_trust trust;
	/* the first check that fails and makes the metric invalid; NULL: there is none */
	const struct ep_formula_check *broken;
};

enum ep_check_state {
	EP_CHECK_HOLDS,
	/* the check fails by more than its tolerance and twice its standard error */
	EP_CHECK_BROKEN,
	EP_CHECK_UNKNOWN, /* a value that the check needs is absent */
};

struct ep_check_value {
	const struct ep_formula_check *check;
	enum ep_check_state state;
	/* the value of the check's expression, and the first bound that does not hold, else the last bound */
	struct ep_result value, bound;
	const char *relation; /* "=", "<=" or ">=" */
};

/* Creates a model. It takes over the content of file, which is empty afterwards. overridden: names whose values are
 * given although the file defines them, or NULL. runtime_parameter: the text for '?', or NULL. */
int ep_model_create(struct ep_formula_file *file, const struct ep_names *overridden,
	const char *runtime_parameter, struct ep_model **out, struct ep_error *err) EP_MUST_CHECK;
void ep_model_destroy(struct ep_model *model);

const struct ep_formula_file *ep_model_file(const struct ep_model *model);
/* Returns the program; its first n_metrics definitions are the file's metrics, in order. */
const struct ep_program *ep_model_program(const struct ep_model *model);
/* Returns the index of the file's metric with that name; -1: there is none. */
int ep_model_find_metric(const struct ep_model *model, const char *name);

/* Evaluates the file's metrics (n_metrics) and checks (n_checks; NULL: not wanted). Only one thread at a time may use a
 * model. Returns 0 or -ENOMEM. */
int ep_model_eval(struct ep_model *model, const struct ep_values *values,
	struct ep_metric_value *out_metrics, struct ep_check_value *out_checks) EP_MUST_CHECK;
/* Evaluates the same metrics as perf of Linux 6.12 computes them. */
int ep_model_eval_perf(struct ep_model *model, const struct ep_values *values,
	struct ep_metric_value *out_metrics) EP_MUST_CHECK;

/* Prints "ok", "negative", "above1" or the reason why the value is absent. */
void ep_metric_value_print_status(const struct ep_metric_value *value, FILE *out);

#endif
