/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks other sources about events that formulas name and that the CPU's event table does not have. The functions have
 * the type of ep_event_plan_request.look_up. Used by the launcher only. */
#ifndef EVPROF_LAUNCHER_LOOK_UP_H
#define EVPROF_LAUNCHER_LOOK_UP_H

#include "common/error.h"

/* Asks this machine's kernel, its sysfs and libpfm4. */
int ep_look_up_here(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;
/* Asks libpfm4's table of another CPU. If libpfm4 has no table for that CPU (Debian's libpfm4 has only those of its
 * own architecture), any name is accepted. */
int ep_look_up_elsewhere(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;
/* Looks for the name among the columns of a recorded table, which the source sim plays as if it were another CPU's
 * PMU, and then among that CPU's events. */
int ep_look_up_played(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;
/* Sets the table that ep_look_up_played uses, until the next call; NULL: none. */
void ep_look_up_set_table(const char *path);
/* Accepts floating-point events if capstone is installed, and refuses all other names: the event table has every other
 * event of callgrind's machine. */
int ep_look_up_simulated(const char *pmu, const char *name, struct ep_error *err) EP_MUST_CHECK;

#endif
