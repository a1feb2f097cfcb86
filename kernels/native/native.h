/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that PAPI's cat_collect writes, one per event and benchmark: FOLDER/EVENT.SUFFIX, or one
 * folder per repetition inside FOLDER. */
#ifndef EVPROF_KERNELS_NATIVE_NATIVE_H
#define EVPROF_KERNELS_NATIVE_NATIVE_H

#include "kernels/derive/set.h"

extern const size_t ep_native_n_kinds;

/* Reads every file of the kind (an index below ep_native_n_kinds) into a data set named after it.
 * given may name a basis and signatures to use instead of the built-in ones. Empty files (events
 * that could not be counted) are counted in *out_n_empty. -ENOENT when there is no such file;
 * -ENOTSUP when the kind has no expectations of its own and none are given. */
int ep_native_read(struct ep_set *set, const struct ep_set_paths *given, size_t kind,
	size_t *out_n_empty, struct ep_error *err) EP_MUST_CHECK;

#endif
