/* SPDX-License-Identifier: BSD-3-Clause */
/* From traces to their phases, for commands. */
#ifndef EVPROF_REPORTER_COMMAND_PHASE_LOAD_H
#define EVPROF_REPORTER_COMMAND_PHASE_LOAD_H

#include "reporter/phases/phases.h"

struct ep_loaded_phases {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	struct ep_phases phases;
};

struct ep_phase_question {
	const char *const *paths; /* of traces, NULL behind the last */
	const char *sysroot;      /* as elsewhere, or NULL */
	const char *region;       /* phases of what ran in it alone; NULL: of the run */
};

/* Reads the traces for their phases alone. The trace's error, or -ENOMEM. */
int ep_loaded_phases_create(const struct ep_phase_question *question, struct ep_loaded_phases *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_loaded_phases_finish(struct ep_loaded_phases *loaded);

/* When phase number (from 1) was. -ENOENT: there are not so many. */
int ep_phase_find_times(const struct ep_phase_question *question, uint32_t number,
	double out_times_s[2], struct ep_error *err) EP_MUST_CHECK;

#endif
