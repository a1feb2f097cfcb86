/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the traces trace.0.gz, trace.1.gz, ... beside trace.gz. They come from ranks of MPI, or from runs that began
 * while another run was writing trace.gz.
 */
#ifndef EVPROF_REPORTER_COMMAND_SIBLINGS_H
#define EVPROF_REPORTER_COMMAND_SIBLINGS_H

#include "common/error.h"
#include "reporter/facts/report.h"

#include <stddef.h>
#include <stdint.h>

struct ep_siblings {
	char **paths; /* (n) sorted by their numbers; NULL follows */
	uint32_t n, capacity;
};

/* Finds the files beside path whose names are its name with a number (trace.0.gz for trace.gz), and that were last
 * written at since_s (CLOCK_REALTIME) or later. Returns 0, also if there are none, or -ENOMEM. */
int ep_siblings_find(const char *path, int64_t since_s, struct ep_siblings *out) EP_MUST_CHECK;
void ep_siblings_finish(struct ep_siblings *siblings);
/* Adds a finding to the report if only one trace was read, and there are newer traces beside it. Returns 0 or
 * -ENOMEM. */
int ep_siblings_note(const char *const *paths, struct ep_report *report) EP_MUST_CHECK;

#endif
