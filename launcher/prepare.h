/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of events that the preloaded library plans from. Launcher only. */
#ifndef EVPROF_LAUNCHER_PREPARE_H
#define EVPROF_LAUNCHER_PREPARE_H

#include "common/error.h"

/* Prepares all models that this user has, shipped ones among them, and prints where to. path NULL: in
 * the user's folder, where the library looks first. A file that is there is kept until the new one is
 * whole. */
int ep_prepare_plans(const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
