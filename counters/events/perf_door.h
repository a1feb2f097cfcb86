/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_event_open, for which a service's seccomp filter may kill the process. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_DOOR_H
#define EVPROF_COUNTERS_EVENTS_PERF_DOOR_H

#include <stdbool.h>

struct perf_event_attr;

/* Tells whether a call of perf_event_open would kill this process. This is found out once, before another thread asks:
 * where a filter is in place, a child process calls it. */
bool ep_perf_door_kills(void);

/* Calls perf_event_open with close-on-exec. Returns -ENOSYS where the call would kill. Allowed in any context, once
 * ep_perf_door_kills was called. */
int ep_perf_door_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd);

/*
 * The signal of ticks. glibc reserves signals 32 and 33: a program can neither block, handle nor wait for them. glibc
 * sends 33 (SIGSETXID) to its threads by tgkill for setuid; evprof's handler passes those on.
 */
#define EP_SLICE_SIGNAL 33

/* Makes each overflow of the calling thread's event send that signal to the thread, with the descriptor's number as
 * si_fd. Returns 0; -EAGAIN where the user's queue of pending signals is full; or -EIO. */
int ep_perf_door_signal(int fd);

/* Does the same where the thread tid has just created a timer, which shows that the queue has room. */
int ep_perf_door_signal_with_room(int fd, int tid);

#endif
