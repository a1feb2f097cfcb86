/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the phases to the report of a run. */
#ifndef EVPROF_REPORTER_PHASES_PHASES_IN_SHORT_H
#define EVPROF_REPORTER_PHASES_PHASES_IN_SHORT_H

#include "reporter/facts/report.h"
#include "reporter/phases/phases.h"

/* Gives the report its phases, and a sentence on them, if there are at least two kinds. Returns 0 or -ENOMEM. */
int ep_phases_in_short(struct ep_report *report, const struct ep_phases *phases) EP_MUST_CHECK;

#endif
