/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads traces and finds their phases, for commands. */
#ifndef EVPROF_REPORTER_COMMAND_PHASE_LOAD_H
#define EVPROF_REPORTER_COMMAND_PHASE_LOAD_H

#include "reporter/phases/phases.h"

struct ep_loaded_phases {
	struct ep_trace *trace;
	struct ep_symbols *symbols;
	struct ep_phases phases;
};

struct ep_phase_question {
	const char *const *paths; /* traces; NULL follows the last */
	const char *sysroot;      /* folder of programs and libraries, or NULL */
	const char *region;       /* only phases of what ran in this region; NULL: of the run */
};

/* Reads traces for their phases only. Returns 0, the trace's error, or -ENOMEM. */
int ep_loaded_phases_create(const struct ep_phase_question *question, struct ep_loaded_phases *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_loaded_phases_finish(struct ep_loaded_phases *loaded);

/* Finds when the phase of this number (from 1) began and ended. Returns -ENOENT if there are fewer phases. */
int ep_phase_find_times(const struct ep_phase_question *question, uint32_t number,
	double out_times_s[2], struct ep_error *err) EP_MUST_CHECK;

#endif
