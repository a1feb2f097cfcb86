/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows progress in a line on stderr if work takes longer than a second. It does so only on a terminal. */
#ifndef EVPROF_REPORTER_COMMAND_PROGRESS_H
#define EVPROF_REPORTER_COMMAND_PROGRESS_H

#include <stdint.h>

void ep_progress_start(const char *doing);
/* Shows how much is done. If n_all is 0, the total is not known, and n_done is a number of bytes that is shown in MB.
 * The call is cheap, so that it may be made often. */
void ep_progress_show(uint64_t n_done, uint64_t n_all);
void ep_progress_stop(void);

#endif
