/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_LAUNCHER_CALLGRIND_FILES_H
#define EVPROF_LAUNCHER_CALLGRIND_FILES_H

#include "common/error.h"

/* Puts the files that callgrind wrote into the folder into the traces of their processes. Processes
 * without a key there, such as vfork's children, are left out. Negative errno: some trace lacks
 * costs. */
int ep_callgrind_files_append(const char *folder, struct ep_error *err) EP_MUST_CHECK;

#endif
