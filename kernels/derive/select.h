/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects parts of data sets: removes points that a machine cannot run, and everything that only they
 * need. */
#ifndef EVPROF_KERNELS_DERIVE_SELECT_H
#define EVPROF_KERNELS_DERIVE_SELECT_H

#include "kernels/derive/set.h"

#include <stdbool.h>
#include <stdio.h>

/* Keeps the marked points (P) in the basis and, if there are any, in the events; then removes expectations that no
 * point shows any more, and metrics that have no other expectation. Returns -ENOMEM, or -EINVAL if no point or no
 * metric is left. */
int ep_set_keep_points(struct ep_set *set, const bool *keep, struct ep_error *err) EP_MUST_CHECK;
/* Writes the matrix as CSV, with corner before the columns' names. */
void ep_labelled_write(const struct ep_labelled *matrix, const char *corner, FILE *out);

#endif
