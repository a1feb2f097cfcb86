/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a finished report from a loaded trace. */
#ifndef EVPROF_REPORTER_RUN_RUN_H
#define EVPROF_REPORTER_RUN_RUN_H

#include "reporter/facts/report.h"

/* Makes the report, which is not changed afterwards. It points into trace and symbols, and must be destroyed
 * before them. NULL: out of memory. */
const struct ep_report *ep_report_create(struct ep_trace *trace, struct ep_symbols *symbols,
	const struct ep_report_options *options);

#endif
