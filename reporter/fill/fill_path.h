/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_PATH_H
#define EVPROF_REPORTER_FILL_FILL_PATH_H

#include "reporter/load/fill.h"

/* Fills counts that slices did not measure from slices that ended in the same place of the program,
 * and gives replicas' changes, from which errors of anything computed follow. */
extern const struct ep_filler_ops ep_filler_path;

#endif
