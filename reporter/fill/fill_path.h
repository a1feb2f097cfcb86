/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVPROF_REPORTER_FILL_FILL_PATH_H
#define EVPROF_REPORTER_FILL_FILL_PATH_H

#include "reporter/load/fill.h"

/* The filler `path` fills gaps from slices that ended in the same place of the program. It also sets how each
 * value changes in the jackknife's replicas (struct ep_value_change), from which errors of all computed
 * values follow. */
extern const struct ep_filler_ops ep_filler_path;

#endif
