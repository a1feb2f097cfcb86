/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that traces its child must see the stops that the child itself causes and no others, and no process or
 * thread that the child did not make. Stop and continue of job control must work, too.
 */
#include "probe.h"

#include <sys/ptrace.h>

static void be_traced(void)
{
	EXPECT_INT(ptrace(PTRACE_TRACEME, 0, NULL, NULL), 0);
	raise(SIGSTOP);
	burn_ms(30);
	raise(SIGUSR1);
	burn_ms(30);
	_exit(7);
}

static void be_traced_in_exec(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execl(probe_sibling("target"), "target", NULL);
	_exit(99);
}

/* A debugger is told of each fork, vfork and clone of the process, so it would see a profiler's helper process. This
 * child makes no process. */
static void expect_no_birth(int status)
{
	EXPECT_MSG(status >> 16 == 0, "event %d: a process or thread nobody made", status >> 16);
}

/*
 * Does not pass the child's signals on. The exception is a program that was started by a traced exec: it gets the
 * signals that glibc reserves, which its ticks use, as it gets them from debuggers.
 */
static void trace(const char *name, void (*child)(void))
{
	const long births = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	pid_t pid = probe_fork();
	int status;

	if (pid == 0)
		child();
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		bool is_internal = WSTOPSIG(status) >= 32 && WSTOPSIG(status) < SIGRTMIN;
		bool is_passed_on = is_internal && child == be_traced_in_exec;

		EXPECT_INT(ptrace(PTRACE_SETOPTIONS, pid, NULL, births), 0);
		expect_no_birth(status);
		if (!is_passed_on)
			printf("%s: stopped by %d\n", name, WSTOPSIG(status));
		EXPECT_INT(ptrace(PTRACE_CONT, pid, NULL, is_passed_on ? WSTOPSIG(status) : 0), 0);
	}
	probe_print_status(name, status);
}

static void stop_myself(void)
{
	burn_ms(5);
	raise(SIGSTOP);
	burn_ms(5);
	_exit(8);
}

static void control_job(void)
{
	pid_t pid = probe_fork();
	int status;

	if (pid == 0)
		stop_myself();
	EXPECT_INT(waitpid(pid, &status, WUNTRACED | WCONTINUED), pid);
	EXPECT(WIFSTOPPED(status));
	kill(pid, SIGCONT);
	EXPECT_INT(waitpid(pid, &status, WUNTRACED | WCONTINUED), pid);
	EXPECT(WIFCONTINUED(status));
	EXPECT_INT(waitpid(pid, &status, WUNTRACED | WCONTINUED), pid);
	probe_print_status("job", status);
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		trace("traced", be_traced);
		trace("traced exec", be_traced_in_exec);
		control_job();
	}
	return probe_end();
}
