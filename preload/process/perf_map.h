/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of code made at run time, from the map that the program writes (/tmp/perf-PID.map): what ticks met of
 * it goes into the trace as the process ends, since such files are removed, or written anew by another process
 * of the number. Signal handlers.
 */
#ifndef EVPROF_PRELOAD_PROCESS_PERF_MAP_H
#define EVPROF_PRELOAD_PROCESS_PERF_MAP_H

#include "preload/recording/out.h"

/* Appends PERF_MAP blocks; the lock is held. start_s: when the process began
 * (CLOCK_REALTIME); an older file is another process's and is left alone. true: the map has more
 * than is read of it or kept. */
bool ep_perf_map_keep(struct ep_out *out, struct ep_process_key key, int64_t start_s);

#endif
