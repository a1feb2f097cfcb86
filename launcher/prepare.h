/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a file of plans (the groups of events of models), which the preloaded library reads. Used by the launcher
 * only. */
#ifndef EVPROF_LAUNCHER_PREPARE_H
#define EVPROF_LAUNCHER_PREPARE_H

#include "common/error.h"

/* Prepares all models that this user has, including those that come with evprof, and prints the path of the file. path
 * NULL: the file is in the user's folder, where the library looks first. An existing file is kept until the new one is
 * complete. */
int ep_prepare_plans(const char *path, struct ep_error *err) EP_MUST_CHECK;

#endif
