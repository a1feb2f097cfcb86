/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.0.gz, trace.1.gz, ... beside trace.gz: of the ranks of MPI, and of runs that began while another
 * was writing trace.gz.
 */
#ifndef EVPROF_REPORTER_COMMAND_SIBLINGS_H
#define EVPROF_REPORTER_COMMAND_SIBLINGS_H

#include "common/error.h"
#include "reporter/facts/report.h"

#include <stddef.h>
#include <stdint.h>

struct ep_siblings {
	char **paths; /* (n), by their numbers; then NULL */
	uint32_t n, capacity;
};

/* Finds the traces beside path that belong to its run and were written after since_s (CLOCK_REALTIME). 0, also
 * where there are none, or -ENOMEM. */
int ep_siblings_find(const char *path, int64_t since_s, struct ep_siblings *out) EP_MUST_CHECK;
void ep_siblings_finish(struct ep_siblings *siblings);
/* One of several that were written at the same time is not the whole: a finding of the report says so. */
int ep_siblings_note(const char *const *paths, struct ep_report *report) EP_MUST_CHECK;

#endif
