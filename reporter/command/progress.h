/* SPDX-License-Identifier: BSD-3-Clause */
/* A line on stderr for what takes longer than a second; only where a person looks at a terminal. */
#ifndef EVPROF_REPORTER_COMMAND_PROGRESS_H
#define EVPROF_REPORTER_COMMAND_PROGRESS_H

#include <stdint.h>

void ep_progress_start(const char *doing);
/* n_all 0: unknown, n_done is shown as MB. Cheap enough to be called often. */
void ep_progress_show(uint64_t n_done, uint64_t n_all);
void ep_progress_stop(void);

#endif
