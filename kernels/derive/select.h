/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of data sets: points that a machine cannot run leave, and what only they stood for. */
#ifndef EVPROF_KERNELS_DERIVE_SELECT_H
#define EVPROF_KERNELS_DERIVE_SELECT_H

#include "kernels/derive/set.h"

#include <stdbool.h>
#include <stdio.h>

/* Keeps the marked points (P) in basis and, when there are any, events; then drops expectations
 * that no point shows any more and metrics that have nothing else. -ENOMEM; -EINVAL when no point
 * or no metric is left. */
int ep_set_keep_points(struct ep_set *set, const bool *keep, struct ep_error *err) EP_MUST_CHECK;
/* As CSV, with CORNER before the columns' names. */
void ep_labelled_write(const struct ep_labelled *matrix, const char *corner, FILE *out);

#endif
