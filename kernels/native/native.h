/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the files of PAPI's cat_collect, one for each event and benchmark: FOLDER/EVENT.SUFFIX, or such files
 * in one folder for each repetition inside FOLDER. */
#ifndef EVPROF_KERNELS_NATIVE_NATIVE_H
#define EVPROF_KERNELS_NATIVE_NATIVE_H

#include "kernels/derive/set.h"

extern const size_t ep_native_n_kinds;

/* Reads all files of a kind (an index below ep_native_n_kinds) into a data set with the kind's name. given may name a
 * basis and signatures to use in place of the built-in ones. *out_n_empty is the number of empty files, of events that
 * could not be counted. Returns -ENOENT if there is no such file, or -ENOTSUP if the kind has no expectations of its
 * own and none are given. */
int ep_native_read(struct ep_set *set, const struct ep_set_paths *given, size_t kind,
	size_t *out_n_empty, struct ep_error *err) EP_MUST_CHECK;

#endif
