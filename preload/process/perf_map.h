/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the names of code made at run time from the perf map that the program writes (/tmp/perf-PID.map). The lines of
 * code that ticks have met are written to the trace as the process ends, since such files are removed later, or
 * overwritten by another process with the same number. Runs in signal handlers.
 */
#ifndef EVPROF_PRELOAD_PROCESS_PERF_MAP_H
#define EVPROF_PRELOAD_PROCESS_PERF_MAP_H

#include "preload/recording/out.h"

/* Appends PERF_MAP blocks; the caller holds the trace's lock. start_s: when the process began (CLOCK_REALTIME); an
 * older file belongs to another process and is not read. Returns true if the map has more lines than are read or
 * kept. */
bool ep_perf_map_keep(struct ep_out *out, struct ep_process_key key, int64_t start_s);

#endif
