// SPDX-License-Identifier: BSD-3-Clause
/* From a metric to equations, counts and source. */
#include "tests/unit/test.h"

#include <errno.h>
#include <math.h>

#include "reporter/metrics/explain.h"

#define KNOWN(v)                                                                                   \
	{                                                                                          \
		.value = (v), .state = EP_QUANTITY_KNOWN                                           \
	}

static const char file_text[] =
	"evprof-formula 1\n[model]\nname = m\ntitle = A model\nsource = A paper\n"
	"[parameter Width]\nvalue = 4\nunit = slots\n"
	"[metric Lost]\nexpr = 1 - Kept\nkind = share\nbase = Slots\nabout = What was lost.\n"
	"[metric Kept]\nexpr = retired / Slots\nkind = share\nnote = as printed\n"
	"[metric Slots]\nexpr = Width * cycles\n"
	"[metric Faults]\nexpr = minor\\-faults - major\\-faults\n"
	"[metric Other]\nexpr = nothing / cycles\n";

static struct ep_event_row row = {
	.name = "retired", .open = "r7", .code = "event=0x7", .meaning = "What retired"
};
static struct ep_event_table table = { .rows = &row, .n_rows = 1 };
static struct ep_report_event events[2] = {
	{ .name = "cycles",
		.n_slices = 50,
		.n_slices_measured = 50,
		.total = { .count = KNOWN(1000) } },
	{ .name = "r7",
		.n_slices = 50,
		.n_slices_measured = 10,
		.estimator = "path",
		.holdout_error = KNOWN(0.25),
		.error = KNOWN(150),
		.total = { .count = KNOWN(3000),
			.is_estimate = true,
			.measured_share = 0.2,
			.estimate_error = KNOWN(150) } },
};
static struct ep_report report = { .command = "app", .n_events = 2, .events = events, .cpu_ns = 1 };

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

static char *text;

static int explain(const char *metric)
{
	const struct ep_scope_request whole = { EP_SCOPE_PROGRAM, 0, NAN, NAN };
	struct ep_metric_scopes scopes = { 0 };
	struct ep_model *model = make_model();
	size_t size = 0;

	free(text);
	text = NULL;
	FILE *out = open_memstream(&text, &size);
	const struct ep_layout layout = { .out = out, .width = 80 };

	CHECK_INT(ep_metric_scopes_create(&report, &whole, &table, &scopes), 0);
	int rc = ep_explain(&scopes.scopes[0], model, metric, &layout);

	fclose(out);
	ep_metric_scopes_finish(&scopes);
	ep_model_destroy(model);
	return rc;
}

static void says(const char *what)
{
	CHECK_MSG(strstr(text, what), "\"%s\" is not in:\n%s", what, text);
}

TEST(each_step_with_its_number)
{
	CHECK_INT(explain("Lost"), 0);
	says("Lost  25.00 % +-7.5 of Slots\n  What was lost.\n  = 1 - Kept\n");
	says("Kept  75.00 % +-7.5");
	says("  = retired / Slots\n  note: as printed\n");
	says("Slots  4000\n  = Width * cycles\n");
	says("  retired  3000 +-10 %\n"
	     "    counted in 10 of the run's 50 slices, estimated for the others (path);\n"
	     "    counts that were hidden from it were predicted to 25 % on average\n"
	     "    event=0x7: What retired");
	says("  Width  4 slots, a constant\n");
	says("  cycles  1000\n    counted all the time\n");
	says("A paper");
	CHECK(!strstr(text, "nothing")); /* of another metric */
}

/* Without a run: the same equations, and events in place of counts. */
TEST(a_definition_without_a_run)
{
	const struct ep_metric_scope definition = { .table = &table };
	struct ep_model *model = make_model();
	size_t size = 0;

	free(text);
	text = NULL;
	FILE *out = open_memstream(&text, &size);
	const struct ep_layout layout = { .out = out, .width = 80 };

	CHECK_INT(ep_explain(&definition, model, "Lost", &layout), 0);
	CHECK_INT(ep_explain(&definition, model, "NoSuch", &layout), -ENOENT);
	CHECK_INT(ep_explain(&definition, model, "Faults", &layout), 0);
	fclose(out);
	ep_model_destroy(model);
	says("Lost  a share of Slots\n  What was lost.\n  = 1 - Kept\n");
	says("  = minor-faults - major-faults\n");
	says("Kept  a share\n");
	says("  retired\n    event=0x7: What retired\n");
	says("  cycles  not an event of this CPU\n");
	says("  Width  4 slots, a constant\n");
	CHECK(!strstr(text, "3000"));
}

TEST(what_is_missing)
{
	CHECK_INT(explain("Other"), 0);
	says("Other  not known: missing:nothing\n");
	says("  nothing  not counted\n");
	CHECK_INT(explain("NoSuch"), -ENOENT);
}
