/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names and lines of code made at run time, from the jitdump that the program writes: what ticks met of it goes
 * into the trace as the process ends, as from its perf map. Signal handlers.
 */
#ifndef EVPROF_PRELOAD_PROCESS_JIT_DUMP_H
#define EVPROF_PRELOAD_PROCESS_JIT_DUMP_H

#include "preload/recording/out.h"

/* Appends MADE_CODE blocks; the lock is held. start_s: when the process began (CLOCK_REALTIME); an older file is
 * another process's and is left alone. Returns a sentence for the user where names may be missing, else NULL. */
const char *ep_jit_dump_keep(struct ep_out *out, struct ep_process_key key, int64_t start_s);

#endif
