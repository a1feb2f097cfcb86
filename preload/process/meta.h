/* SPDX-License-Identifier: BSD-3-Clause */
/* The META block: writing one, and taking a tree's settings from its root's. */
#ifndef EVPROF_PRELOAD_PROCESS_META_H
#define EVPROF_PRELOAD_PROCESS_META_H

#include "common/error.h"
#include "common/trace.h"

/* Keeps argv as it was when the program started, since programs may write into theirs. Once per
 * process image. */
void ep_meta_keep_arguments(int argc, char **argv);
/* Reads argv from /proc where no caller has handed it over yet. */
void ep_meta_read_arguments(void);

/* Appends this process's META block; the root's says more of the machine. */
void ep_meta_append(struct ep_wire *wire);

/* The facts that a later process of the tree takes over from the root. */
struct ep_meta_root {
	int pid;
	uint64_t start_ticks;
	char host[65];
	char pid_ns[32];   /* the namespace that its pids are of; empty: not known */
	char output[4096]; /* the setting */
};

/* Returns the flags (EP_EVENT_ALWAYS, ...) that a META line names, as in "always,sw". */
uint32_t ep_meta_event_flags(const char *names);

/* Reads the first block of the file behind fd. With apply, the plan, source, clock and period go
 * into ep_recording. -EBADMSG: it is no trace of evprof's. */
int ep_meta_read_root(int fd, bool apply, struct ep_meta_root *out_root) EP_MUST_CHECK;

/* The namespace of process numbers that this process is in, as "4026531836"; empty where /proc is
 * not there. */
void ep_meta_pid_ns(char *out, size_t size);

/* /proc/PID/stat: field 4 (parent) and 22 (start in clock ticks since boot). 0: this process, whose
 * number in /proc is another one where that belongs to an outer namespace. */
int ep_meta_process_stat(int pid, int *out_parent, uint64_t *out_start_ticks) EP_MUST_CHECK;

#endif
