// SPDX-License-Identifier: BSD-3-Clause
/* Makes a finished report from a loaded trace in three steps: first the facts, then the words about them, then the
 * additions of the caller. */
#include "run.h"

#include <stdlib.h>

#include "reporter/facts/builder.h"
#include "reporter/words/words.h"

const struct ep_report *ep_report_create(
	struct ep_trace *trace, struct ep_symbols *symbols, const struct ep_report_options *options)
{
	struct ep_report *report = calloc(1, sizeof(*report));
	struct ep_builder builder = {
		.trace = trace,
		.symbols = symbols,
		.options = options,
		.report = report,
	};
	struct ep_words words = { .trace = trace, .symbols = symbols, .report = report };

	if (!report)
		return NULL;
	words.said = &report->said;
	report->selection = options->selection;
	report->filler = options->filler->name;
	ep_build_facts(&builder);
	if (!builder.out_of_memory)
		ep_build_findings(&words);
	if (!builder.out_of_memory && !words.out_of_memory)
		ep_build_in_short(&words);
	if (builder.out_of_memory || words.out_of_memory ||
		(options->add && options->add(report, trace, symbols, options->add_context))) {
		ep_report_destroy(report);
		return NULL;
	}
	return report;
}
