/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurement tables of GPU profilers: rocprof's wide CSV (a column per counter), rocprofv3's
 * counter_collection.csv and ncu --csv (a line per counter). A kernel's function name is its point
 * ("A_H_256" or "K_A_H_256" of kernels/sets/gpu); its n-th launch is repetition n.
 */
#ifndef EVPROF_KERNELS_NATIVE_GPU_H
#define EVPROF_KERNELS_NATIVE_GPU_H

#include "kernels/derive/set.h"

#include <stdbool.h>

/* Is this file one of theirs, by its header? */
bool ep_gpu_is_table(const char *path);
/* given->events is the file; basis and signatures are the built-in ones unless given. Points that
 * were not launched for every counter are left out. out_missing, to be freed in any case, names the
 * counters for which the profiler wrote n/a, "a, b"; NULL: there are none. -EINVAL for a damaged table. */
int ep_gpu_read(struct ep_set *set, const struct ep_set_paths *given, char **out_missing,
	struct ep_error *err) EP_MUST_CHECK;

#endif
