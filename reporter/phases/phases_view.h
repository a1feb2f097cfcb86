/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints phases as text or JSON. */
#ifndef EVPROF_REPORTER_PHASES_PHASES_VIEW_H
#define EVPROF_REPORTER_PHASES_PHASES_VIEW_H

#include "reporter/phases/phases.h"
#include "reporter/text/layout.h"

void ep_phases_print_text(
	const struct ep_phases *phases, const char *trace_path, const struct ep_layout *layout);
/* Returns 0 or -ENOMEM. */
int ep_phases_print_json(
	const struct ep_phases *phases, const char *trace_path, FILE *out) EP_MUST_CHECK;

#endif
