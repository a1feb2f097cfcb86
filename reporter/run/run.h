/* SPDX-License-Identifier: BSD-3-Clause */
/* From a loaded trace to a finished report. */
#ifndef EVPROF_REPORTER_RUN_RUN_H
#define EVPROF_REPORTER_RUN_RUN_H

#include "reporter/facts/report.h"

/* Makes the report, which nothing changes afterwards. It is to be destroyed before trace and symbols, into
 * which it points. NULL: out of memory. */
const struct ep_report *ep_report_create(struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_report_options *options);

#endif
