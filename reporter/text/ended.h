/* SPDX-License-Identifier: BSD-3-Clause */
/* Says in words how processes ended. */
#ifndef EVPROF_REPORTER_TEXT_ENDED_H
#define EVPROF_REPORTER_TEXT_ENDED_H

#include "reporter/facts/report.h"

#define EP_ENDED_BYTES 64

/* Returns text such as "killed by signal 11 (SEGV)". The text is in out where it depends on the process, and
 * constant otherwise. */
const char *ep_ended_text(const struct ep_report_process *process, char out[EP_ENDED_BYTES]);

#endif
