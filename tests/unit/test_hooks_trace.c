// SPDX-License-Identifier: BSD-3-Clause
/* A thread that asks to be traced stops ticking: its tracer would see a stop for every tick. */
#include "tests/unit/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "preload/thread/thread.h"

static bool ticks(void)
{
	return ep_self && ep_self->clock.fd >= 0;
}

/* The tests' parent is the tracer: it only waits, so the child stops at no signal of its own. */
static int ask_to_be_traced(void)
{
	bool ticked = ticks();

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 1;
	if (ticks())
		return 2;
	errno = 0;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != -1 || errno != EPERM)
		return 3;
	/* the second was refused, and undone: as before, where the clock is a descriptor */
	return ticks() == ticked ? 0 : 4;
}

TEST(being_traced_stops_the_clock_and_a_refusal_starts_it)
{
	CHECK_INT(in_child(ask_to_be_traced, NULL), 0);
}

static int trace_a_child(void)
{
	int ends[2], status = -1;
	bool ticked = ticks();
	pid_t pid;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (!pid) {
		char byte;

		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	/* arguments of all four places arrive */
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD) ||
		ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		!WIFSTOPPED(status) || ptrace(PTRACE_DETACH, pid, NULL, NULL))
		return 2;
	close(ends[0]);
	close(ends[1]);
	waitpid(pid, &status, 0);
	return ticks() == ticked ? WEXITSTATUS(status) : 3;
}

TEST(a_tracer_goes_on_ticking)
{
	CHECK_INT(in_child(trace_a_child, NULL), 0);
	clean_up();
}
