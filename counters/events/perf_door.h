/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_event_open, which a service's seccomp filter may answer by killing. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_DOOR_H
#define EVPROF_COUNTERS_EVENTS_PERF_DOOR_H

#include <stdbool.h>

struct perf_event_attr;

/* Would calling it kill this process? Established once, before another thread asks: where a filter
 * is in place, by a child that calls it. */
bool ep_perf_door_kills(void);

/* Calls perf_event_open with close-on-exec; -ENOSYS where that would kill. In any context, once
 * ep_perf_door_kills was asked. */
int ep_perf_door_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd);

/*
 * The tick's signal. glibc keeps signals 32 and 33 to itself: a program can neither block, handle nor
 * wait for them. 33 (SIGSETXID) is what glibc sends its threads by tgkill on setuid; those are handed
 * on.
 */
#define EP_SLICE_SIGNAL 33

/* Lets each overflow of the calling thread's event send that signal to the thread, with the
 * descriptor's number as si_fd. 0; -EAGAIN where the user's queue of pending signals is full; or -EIO. */
int ep_perf_door_signal(int fd);

/* The same where the thread tid has just made a timer, which shows that the queue has room. */
int ep_perf_door_signal_with_room(int fd, int tid);

#endif
