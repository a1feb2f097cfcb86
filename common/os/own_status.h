/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One reading of /proc/self/status tells much of this process: 119 queries of signals take 30 us where
 * the file takes 14. While a process starts, not in handlers.
 */
#ifndef EVPROF_COMMON_OS_OWN_STATUS_H
#define EVPROF_COMMON_OS_OWN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

struct ep_own_status {
	bool has_filter; /* seccomp's */
	bool has_signals; /* the next two are this process's own: a simulator's file tells of the simulator */
	uint64_t ignored; /* bit sig - 1 */
	uint64_t handled;
};

/* As it was when it was first asked for. */
const struct ep_own_status *ep_own_status_at_start(void);

/* The text of such a file. */
void ep_own_status_parse(const char *text, struct ep_own_status *out_status);

#endif
