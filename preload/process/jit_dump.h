/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the names and lines of code made at run time from the jitdump that the program writes. The records of code that
 * ticks have met are written to the trace as the process ends, as is done with the lines of its perf map (perf_map.h).
 * Runs in signal handlers.
 */
#ifndef EVPROF_PRELOAD_PROCESS_JIT_DUMP_H
#define EVPROF_PRELOAD_PROCESS_JIT_DUMP_H

#include "preload/recording/out.h"

/* Appends MADE_CODE blocks; the caller holds the trace's lock. start_s: when the process began (CLOCK_REALTIME); an
 * older file belongs to another process and is not read. Returns a sentence for the user if names may be missing, else
 * NULL. */
const char *ep_jit_dump_keep(struct ep_out *out, struct ep_process_key key, int64_t start_s);

#endif
