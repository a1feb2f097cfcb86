// SPDX-License-Identifier: BSD-3-Clause
/*
 * systemd's SystemCallFilter=@system-service and similar seccomp filters kill a process that calls perf_event_open.
 * Only a call can show whether a filter does so, and only a child process may risk the call. The child is made by the
 * system call clone, dumps no core, and sends its parent no signal at its end.
 */
#include "perf_door.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/os/own_status.h"
#include "common/os/sys.h"

#define F_SETSIG_COMMAND 10
#define F_SETOWN_EX_COMMAND 15
#define OWNER_TID 0

struct owner {
	int type;
	int pid;
};

enum { NOT_KNOWN, OPEN, DEADLY };

static _Atomic int state;

static void try_and_leave(void)
{
	ep_sys(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
	ep_sys(__NR_perf_event_open, 0, 0, -1, -1, ~0UL);
	ep_sys(__NR_exit_group, 0);
}

static bool kills_a_child(void)
{
	int status = 0;
	long pid = ep_sys(__NR_clone, 0, 0, 0, 0, 0), rc;

	if (!pid)
		try_and_leave();
	if (pid < 0)
		return true;
	do
		rc = ep_sys(__NR_wait4, pid, &status, __WALL, 0);
	while (rc == -EINTR);
	return rc != pid || !WIFEXITED(status);
}

bool ep_perf_door_kills(void)
{
	if (state == NOT_KNOWN)
		state = ep_own_status_at_start()->has_filter && kills_a_child() ? DEADLY : OPEN;
	return state == DEADLY;
}

int ep_perf_door_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	if (ep_perf_door_kills())
		return -ENOSYS;
	return (int)ep_sys(__NR_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

/* Tells whether the user's queue of pending signals is full. If the queue has no room, the kernel sends SIGIO instead
 * of the signal of ticks; the program may notice SIGIO, wait for it, or end by it. A timer takes its place in the queue
 * when it is created, so the creation fails if the queue is full. On a kernel without timers the answer is no. */
static bool is_queue_full(void)
{
	int timer;
	long rc = ep_sys(__NR_timer_create, CLOCK_MONOTONIC, NULL, &timer);

	if (!rc)
		ep_sys(__NR_timer_delete, timer);
	return rc == -EAGAIN;
}

int ep_perf_door_signal_with_room(int fd, int tid)
{
	struct owner owner = { OWNER_TID, tid };

	if (ep_sys_fcntl(fd, F_SETOWN_EX_COMMAND, (unsigned long)&owner) ||
		ep_sys_fcntl(fd, F_SETSIG_COMMAND, EP_SLICE_SIGNAL) ||
		ep_sys_fcntl(fd, F_SETFL, O_RDONLY | O_ASYNC))
		return -EIO;
	return 0;
}

int ep_perf_door_signal(int fd)
{
	return is_queue_full() ? -EAGAIN : ep_perf_door_signal_with_room(fd, ep_sys_gettid());
}
