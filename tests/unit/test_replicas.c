// SPDX-License-Identifier: BSD-3-Clause
/* Errors of metrics from replicas of the counts. */
#include "tests/unit/test.h"

#include <math.h>

#include "reporter/metrics/scopes.h"

static const char file_text[] = "evprof-formula 1\n[model]\nname = m\n"
				"[metric Difference]\nexpr = a - b\n[metric Sum]\nexpr = a + b\n"
				"[metric Other]\nexpr = other_name_of_a / n\n"
				"[metric Ratio]\nexpr = a / (a + shift)\n";

static struct ep_event_row row = { .name = "other_name_of_a", .open = "a" };
static struct ep_event_table table = { .rows = &row, .n_rows = 1 };

static struct ep_model *make_model(void)
{
	struct ep_formula_file file = { 0 };
	struct ep_model *model = NULL;
	struct ep_error err = { 0 };

	CHECK_MSG(!ep_formula_file_parse("m", file_text, strlen(file_text), &file, &err), "%s",
		err.message);
	CHECK_INT(ep_model_create(&file, NULL, NULL, &model, &err), 0);
	return model;
}

static double error_of(const struct ep_metric_value *metrics, int i)
{
	CHECK_INT(metrics[i].result.absence, 0);
	return metrics[i].result.standard_error;
}

/* Two events that change together: of their difference nothing, of their sum twice as much. */
TEST(errors_of_the_same_slices_go_together)
{
	float changes[3 * EP_N_REPLICAS] = { 0 };
	struct ep_report_event events[3] = { { .name = "a" }, { .name = "b" }, { .name = "n" } };
	struct ep_report_value values[3] = { { .count = ep_quantity_exact(1000),
						     .estimate_error = ep_quantity_exact(0),
						     .is_estimate = true },
		{ .count = ep_quantity_exact(400),
			.estimate_error = ep_quantity_exact(0),
			.is_estimate = true },
		{ .count = ep_quantity_exact(10), .measured_share = 1 } };
	struct ep_report_row procedure = { .name = "work", .self_ns = 1, .values = values };
	struct ep_report report = { .n_events = 3,
		.events = events,
		.cpu_ns = 1,
		.procedures = { .rows = &procedure, .n_rows = 1, .n_shown = 1 } };
	const struct ep_scope_request request = { EP_SCOPE_PROCEDURE, 0, NAN, NAN };
	struct ep_metric_scopes scopes = { 0 };
	struct ep_metric_value metrics[4];
	struct ep_model *model = make_model();
	double one = 0;

	for (int j = 0; j < EP_N_REPLICAS; j++) {
		changes[j] = changes[EP_N_REPLICAS + j] = (float)(j - 8);
		one += (j - 8) * (j - 8);
	}
	one = sqrt(one * (EP_N_REPLICAS - 1) / EP_N_REPLICAS);
	for (int e = 0; e < 3; e++)
		values[e].changes = changes + e * EP_N_REPLICAS;
	CHECK_INT(ep_metric_scopes_create(&report, &request, &table, &scopes), 0);
	CHECK_INT(scopes.n_scopes, 1);
	CHECK_INT(ep_metric_scope_eval(&scopes.scopes[0], model, metrics, NULL), 0);
	CHECK(error_of(metrics, 0) == 0);
	CHECK_CLOSE(error_of(metrics, 1), 2 * one, 1e-9);
	CHECK_CLOSE(error_of(metrics, 2), one / 10, 1e-9);
	CHECK_INT(metrics[3].result.absence, EP_ABSENT_MISSING);
	ep_metric_scopes_finish(&scopes);

	/* Counts that were scaled for another user's turns have errors that no replica knows. */
	events[0].is_scaled = true;
	values[0].estimate_error = values[1].estimate_error = ep_quantity_exact(3);
	CHECK_INT(ep_metric_scopes_create(&report, &request, &table, &scopes), 0);
	CHECK_INT(ep_metric_scope_eval(&scopes.scopes[0], model, metrics, NULL), 0);
	CHECK_CLOSE(error_of(metrics, 0), sqrt(18), 1e-9);
	ep_metric_scopes_finish(&scopes);
	ep_model_destroy(model);
}
