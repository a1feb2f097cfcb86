/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads measurement tables of GPU profilers: rocprof's wide CSV (a column for each counter), and rocprofv3's
 * counter_collection.csv and ncu --csv (a line for each counter). The function name of a kernel is the name
 * of its point ("A_H_256" or "K_A_H_256" of kernels/sets/gpu); its n-th launch is repetition n.
 */
#ifndef EVPROF_KERNELS_NATIVE_GPU_H
#define EVPROF_KERNELS_NATIVE_GPU_H

#include "kernels/derive/set.h"

#include <stdbool.h>

/* Tells whether a file is such a table, by its header. */
bool ep_gpu_is_table(const char *path);
/* Reads given->events; basis and signatures are the built-in ones unless given. Points that were not launched
 * for every counter are left out. out_missing names the counters for which the profiler wrote n/a, "a, b";
 * NULL: there are none; the caller frees it in any case. -EINVAL for a damaged table. */
int ep_gpu_read(struct ep_set *set, const struct ep_set_paths *given, char **out_missing,
	struct ep_error *err) EP_MUST_CHECK;

#endif
