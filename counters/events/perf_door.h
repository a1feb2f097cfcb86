/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls perf_event_open, except where a seccomp filter (of a systemd service, for example) would kill the process for
 * it. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_DOOR_H
#define EVPROF_COUNTERS_EVENTS_PERF_DOOR_H

#include <stdbool.h>

struct perf_event_attr;

/* Tells whether a call of perf_event_open would kill this process. The first call of this function finds the answer
 * out, and must return before another thread calls: if a filter is in place, a child process calls perf_event_open. */
bool ep_perf_door_kills(void);

/* Calls perf_event_open with close-on-exec. Returns -ENOSYS where the call would kill. Allowed in any context, once
 * ep_perf_door_kills was called. */
int ep_perf_door_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd);

/*
 * The signal of ticks. glibc reserves signals 32 and 33: a program can neither block, handle nor wait for them. For
 * setuid, glibc sends 33 (SIGSETXID) to the threads by tgkill; evprof's handler passes such signals on to glibc.
 */
#define EP_SLICE_SIGNAL 33

/* Makes each overflow of the calling thread's event send EP_SLICE_SIGNAL to the thread, with the descriptor's number as
 * si_fd. Returns 0; -EAGAIN where the user's queue of pending signals is full; or -EIO. */
int ep_perf_door_signal(int fd);

/* Does the same for the thread tid, without the check of the queue. The thread has just created a timer, which shows
 * that the queue has room. */
int ep_perf_door_signal_with_room(int fd, int tid);

#endif
