/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks other sources about events that formulas name and the CPU's event table does not have. The functions
 * are what ep_event_plan_request.look_up takes. Launcher only. */
#ifndef EVPROF_LAUNCHER_LOOK_UP_H
#define EVPROF_LAUNCHER_LOOK_UP_H

#include "common/error.h"

/* This machine's kernel, its sysfs and libpfm4. */
int ep_look_up_here(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;
/* libpfm4's table of another CPU. Where it has none (Debian's has those of its own architecture), any
 * name is taken. */
int ep_look_up_elsewhere(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;
/* The columns of a table that is played as if it were another CPU's PMU, and that CPU's events. */
int ep_look_up_played(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;
/* The table for ep_look_up_played, until the next call; NULL: none. */
void ep_look_up_set_table(const char *path);
/* Callgrind's machine, of which the event table has all. */
int ep_look_up_simulated(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;

#endif
