// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/command/decisions.h"

#include <inttypes.h>
#include <string.h>

#include "reporter/metrics/choose.h"

static void print_estimators(FILE *out, const struct ep_report *report, const char *why)
{
	fprintf(out, "evreport: estimator %s: %s\n", report->filler, why);
	for (uint32_t e = 0; e < report->n_events; e++) {
		const struct ep_report_event *event = &report->events[e];

		fprintf(out, "evreport: event %s was measured in %" PRIu64 " of %" PRIu64 " slices",
			event->name, event->n_slices_measured, event->n_slices);
		if (event->estimator)
			fprintf(out, ", the rest is estimated by %s", event->estimator);
		if (ep_quantity_is_known(&event->holdout_error))
			fprintf(out, ", which met hidden slices to %.1f %%",
				100 * event->holdout_error.value);
		fprintf(out, "\n");
	}
}

/* Prints the name of each model that the report has metrics of, once. The metrics of a model follow each other in the
 * report. */
static void print_models(FILE *out, const struct ep_trace *trace, const struct ep_report *report)
{
	const char *cpuid = ep_trace_cpuid(trace);

	fprintf(out, "evreport: formulas are those for %s\n", cpuid ? cpuid : "no known CPU");
	for (uint32_t m = 0; m < report->n_metrics; m++)
		if (!m || strcmp(report->metrics[m].model, report->metrics[m - 1].model))
			fprintf(out, "evreport: model %s has values\n", report->metrics[m].model);
}

static void print_modules(FILE *out, const struct ep_trace *trace, const struct ep_symbols *symbols)
{
	static const char *const words[] = {
		[EP_MODULE_FOUND] = "names come from the file",
		[EP_MODULE_KEPT] = "names come from the copy that was kept",
		[EP_MODULE_DEBUG] = "names come from its debug file alone",
		[EP_MODULE_CHANGED] = "no names: the file at this path is another build now",
		[EP_MODULE_NEWER] =
			"no names: the file is newer than the run, and has no build-id that would tell whether it is the same",
		[EP_MODULE_ABSENT] =
			"no names: there is no file at this path (--sysroot DIR looks for it below DIR)",
		[EP_MODULE_NO_FILE] = "no names: this code comes from no file",
	};

	for (uint32_t m = 0; m < trace->n_modules; m++) {
		enum ep_module_status status = ep_symbols_module_status(symbols, m);
		const char *path = trace->modules[m].path;

		if (status != EP_MODULE_UNSEEN)
			fprintf(out, "evreport: %s: %s\n", path[0] ? path : "code made at run time",
				words[status]);
	}
}

void ep_decisions_print(FILE *out, const struct ep_trace *trace, const struct ep_symbols *symbols,
	const struct ep_report *report, const char *why_filler)
{
	print_estimators(out, report, why_filler);
	print_models(out, trace, report);
	print_modules(out, trace, symbols);
}
