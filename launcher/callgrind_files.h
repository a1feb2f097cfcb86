/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_LAUNCHER_CALLGRIND_FILES_H
#define EVPROF_LAUNCHER_CALLGRIND_FILES_H

#include "common/error.h"

/* Adds the files that callgrind wrote into the folder to the traces of their processes. Processes without a key file,
 * such as children of vfork, are left out. Returns a negative errno if costs could not be added to a trace. */
int ep_callgrind_files_append(const char *folder, struct ep_error *err) EP_MUST_CHECK;

#endif
