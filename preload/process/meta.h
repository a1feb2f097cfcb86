/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the META block, and takes a tree's settings from the META block of its root. */
#ifndef EVPROF_PRELOAD_PROCESS_META_H
#define EVPROF_PRELOAD_PROCESS_META_H

#include "common/error.h"
#include "common/trace.h"

/* Keeps a copy of argv as it is when the program starts, since a program may change its argv later. Called once per
 * process image. */
void ep_meta_keep_arguments(int argc, char **argv);
/* Reads argv from /proc/self/cmdline. Called if ep_process_begin did not get argv. */
void ep_meta_read_arguments(void);

/* Appends this process's META block; the root's block also describes the machine. */
void ep_meta_append(struct ep_wire *wire);

/* Facts of the root that a later process of the tree takes over. */
struct ep_meta_root {
	int pid;
	uint64_t start_ticks;
	char host[65];
	char pid_ns[32];   /* the namespace of its process numbers; empty: not known */
	char output[4096]; /* the setting EVPROF_OUTPUT */
};

/* Returns the flags (EP_EVENT_ALWAYS, ...) that a META line names, for example "always,sw". */
uint32_t ep_meta_event_flags(const char *names);

/* Reads the root's META block, which is the first block of fd's file. If apply is set, plan, source, clock and period
 * are set in ep_recording. Returns -EBADMSG if the file is no trace of evprof. */
int ep_meta_read_root(int fd, bool apply, struct ep_meta_root *out_root) EP_MUST_CHECK;

/* Writes the identifier of this process's namespace of process numbers to out, such as "4026531836"; an empty text if
 * /proc is missing. */
void ep_meta_pid_ns(char *out, size_t size);

/* Reads field 4 (parent) and field 22 (start in clock ticks since boot) of /proc/PID/stat. pid 0 means this process.
 * Its own pid cannot be used for itself: if /proc belongs to an outer namespace, the process has another number
 * there. */
int ep_meta_process_stat(int pid, int *out_parent, uint64_t *out_start_ticks) EP_MUST_CHECK;

#endif
