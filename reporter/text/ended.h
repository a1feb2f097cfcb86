/* SPDX-License-Identifier: BSD-3-Clause */
/* How processes ended, in words. */
#ifndef EVPROF_REPORTER_TEXT_ENDED_H
#define EVPROF_REPORTER_TEXT_ENDED_H

#include "reporter/facts/report.h"

#define EP_ENDED_BYTES 64

/* "killed by signal 11 (SEGV)"; in out where the words are not the same for all. */
const char *ep_ended_text(const struct ep_report_process *process, char out[EP_ENDED_BYTES]);

#endif
