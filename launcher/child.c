// SPDX-License-Identifier: BSD-3-Clause
/* Used by the launcher only, for one child. */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/cleanup.h"

static volatile sig_atomic_t child_pid;

static void pass_on(int signal)
{
	kill((pid_t)child_pid, signal);
}

static void set_passed(void (*handler)(int signal))
{
	static const int passed[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < EP_ARRAY_SIZE(passed); i++)
		sigaction(passed[i], &action, NULL);
}

int ep_child_wait(pid_t child)
{
	int status = 0;

	child_pid = child;
	/* The terminal sends its signals to the child, too; signals of other processes are passed on. */
	set_passed(pass_on);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	set_passed(SIG_DFL); /* the child's number may be another process's by now */
	return status;
}

/* Ends this process by a signal. It must leave no core file, which would replace the program's. The signal is
 * unblocked, since the inherited mask may block it. */
static void end_by(int number)
{
	sigset_t set;

	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

int ep_child_end_as(int status)
{
	if (WIFSIGNALED(status))
		end_by(WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
