// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/report/opened.h"

#include <errno.h>

#include "reporter/report/cmd_report.h"

const char *const ep_default_traces[] = { EP_DEFAULT_TRACE, NULL };

void ep_opened_report_finish(struct ep_opened_report *opened)
{
	ep_report_destroy(opened->report);
	ep_symbols_destroy(opened->symbols);
	ep_trace_destroy(opened->trace);
	*opened = (struct ep_opened_report){ 0 };
}

int ep_opened_report_create(const struct ep_report_options *options, const char *sysroot,
	struct ep_opened_report *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_opened_report_finish))) struct ep_opened_report opened = { 0 };
	struct ep_load_options how = { .filler = options->filler };
	int rc = ep_traces_load(options->trace_paths, &how, &opened.trace, err);

	if (rc)
		return rc;
	struct ep_symbols_options where = {
		.sysroot = sysroot,
		.run_start_ns = ep_process_number(&opened.trace->processes[0], EP_META_REALTIME, 0),
	};

	opened.symbols = ep_symbols_create(opened.trace, &where);
	if (opened.symbols)
		opened.report = ep_report_create(opened.trace, opened.symbols, options);
	if (!opened.report)
		return ep_fail(err, -ENOMEM, "out of memory");
	*out = opened;
	opened = (struct ep_opened_report){ 0 };
	return 0;
}
