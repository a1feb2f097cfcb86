// SPDX-License-Identifier: BSD-3-Clause
/* seccomp, and libc's syscall(): the door by number leads past the same hooks. */
#include "tests/unit/child.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "common/os/fds.h"
#include "preload/process/signals.h"

/* ---- sandboxes ---- */

static struct sock_filter allow_all[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
static const struct sock_fprog filter = { 1, allow_all };

/* Everything is written before the filter is on, and no handler of ours is left. */
static int is_over(void)
{
	struct sigaction action;

	sigaction(SIGTERM, NULL, &action);
	return !ep_recording.is_on && action.sa_handler == SIG_DFL;
}

static int by_prctl(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !ep_recording.is_on)
		return 1;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		return 2;
	return is_over() && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER ? 0 : 3;
}

static int by_number(void)
{
	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !ep_recording.is_on)
		return 1;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
		return 2;
	return is_over() ? 0 : 3;
}

/* The clock's own instruction is forbidden. */
static int by_counter(void)
{
#if defined(__x86_64__)
	if (prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0) || !ep_recording.is_on)
		return 1;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
		return 2;
	return is_over() ? 0 : 3;
#else
	return by_prctl();
#endif
}

static int by_dispatch(void)
{
	static char selector; /* SYSCALL_DISPATCH_FILTER_ALLOW */

	if (prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1 /* on */, 0, 0, &selector) &&
		errno != EINVAL) /* some architectures have none; that is not known before */
		return 2;
	return is_over() ? 0 : 3;
}

/* A question is no sandbox. */
static int by_asking(void)
{
	uint32_t action = SECCOMP_RET_KILL_THREAD;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action))
		return 1;
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) || !ep_recording.is_on)
		return 2;
	ep_process_end(EP_END_EXIT, 0, "");
	return 0;
}

TEST(what_was_measured_is_written_before_the_door_closes)
{
	static const struct {
		int (*run)(void);
		enum ep_end_how how;
	} rows[] = { { by_prctl, EP_END_SANDBOX }, { by_number, EP_END_SANDBOX },
		{ by_counter, EP_END_SANDBOX }, { by_dispatch, EP_END_SANDBOX },
		{ by_asking, EP_END_EXIT } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		struct read_back back;

		CHECK_MSG(in_child(rows[i].run, NULL) == 0, "row %zu", i);
		read_trace(&back);
		CHECK_INT(back.n_images, 1);
		CHECK_INT(back.images[0].n_ends, 1);
		CHECK_INT(back.images[0].how, rows[i].how);
		CHECK(rows[i].how != EP_END_SANDBOX || strstr(back.images[0].note, "sandbox"));
		CHECK_INT(back.n_final_threads, 1);
	}
}

/* ---- syscall() ---- */

static int call_by_number(void)
{
	int mine[2], ours = -1;

	if (syscall(SYS_getpid) != getpid() || syscall(SYS_pipe2, mine, 0))
		return 1;
	errno = 0;
	if (syscall(SYS_close, -5L) != -1 || errno != EBADF)
		return 2;
	errno = 0;
	if (syscall(100000L) != -1 || errno != ENOSYS)
		return 3;
	if (ep_fds_lift(open("/proc/self/status", O_RDONLY), &ours) < 0)
		return 4;
	if (syscall(SYS_close, (long)ours) || fcntl(ours, F_GETFD) < 0)
		return 5;
	/* six arguments: a file mapped at an offset */
	char *page =
		(char *)syscall(SYS_mmap, NULL, 4096L, 1L, 2L, (long)open("/bin/sh", O_RDONLY), 0L);

	if ((long)page == -1 || memcmp(page, "\177ELF", 4))
		return 6;
	if (syscall(SYS_dup3, (long)mine[0], 90L, O_CLOEXEC) != 90 ||
		fcntl(90, F_GETFD) != FD_CLOEXEC)
		return 7;
	syscall(SYS_exit_group, 70L);
	return 8;
}

TEST(by_number_is_like_by_name)
{
	struct read_back back;

	CHECK_INT(in_child(call_by_number, NULL), 70);
	read_trace(&back);
	CHECK_INT(back.images[0].n_ends, 1);
	CHECK_INT(back.images[0].how, EP_END_EXIT_NOW);
	CHECK_INT(back.images[0].status, 70);
}

static int exec_by_number(void)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"exit 71", NULL };

	return (int)syscall(SYS_execve, "/bin/sh", argv, NULL);
}

TEST(exec_by_number_is_an_exec)
{
	struct read_back back;

	CHECK_INT(in_child(exec_by_number, NULL), 71);
	read_trace(&back);
	CHECK_INT(back.images[0].how, EP_END_EXEC);
	clean_up();
}
