// SPDX-License-Identifier: BSD-3-Clause
/* Filters of three kinds, each in a child that is to survive them. */
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "counters/events/perf_door.h"

#define NO_FILTER 0xffffffffu
#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

static bool close_door(unsigned action)
{
	struct sock_filter filter[] = { LOAD_NUMBER,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { EP_ARRAY_SIZE(filter), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* 0: as it should be. */
static int check(unsigned action, bool kills)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1 };

	if (action != NO_FILTER && !close_door(action))
		return 1;
	if (ep_perf_door_kills() != kills)
		return 2;
	/* nothing to wait for is left */
	if (waitpid(-1, NULL, __WALL | WNOHANG) != -1 || errno != ECHILD)
		return 3;
	return kills && ep_perf_door_open(&attr, 0, -1, -1) != -ENOSYS ? 4 : 0;
}

TEST(who_would_be_killed_does_not_knock)
{
	static const struct {
		unsigned action;
		bool kills;
	} rows[] = {
		{ NO_FILTER, false },
		{ SECCOMP_RET_ERRNO | EPERM, false },
		{ SECCOMP_RET_TRAP, true },
		{ SECCOMP_RET_KILL_THREAD, true },
		{ SECCOMP_RET_KILL_PROCESS, true },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		pid_t pid = fork();
		int status = -1;

		if (!pid)
			_exit(check(rows[i].action, rows[i].kills));
		waitpid(pid, &status, 0);
		CHECK_MSG(!status, "action %#x: wait status %#x", rows[i].action, status);
	}
}
