// SPDX-License-Identifier: BSD-3-Clause
/* Alternate stacks of ours and what they mean for the program's handlers that ask for one. */
#include "tests/unit/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "common/os/sys.h"
#include "preload/process/on_stack.h"
#include "preload/process/signals.h"
#include "preload/recording/recording.h"
#include "preload/sample/alternate.h"

static struct ep_thread thread;

static int run_in_child(int (*check)(void))
{
	stack_t none = { .ss_flags = SS_DISABLE };
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		sigaltstack(&none, NULL); /* a sanitizer's */
		_exit(check());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool has_ours(void)
{
	stack_t now;

	return !sigaltstack(NULL, &now) && ep_alternate_is_ours(&thread, &now);
}

static int check_set(void)
{
	ep_alternate_set(&thread);
	if (has_ours())
		return 1; /* nobody has begun */
	ep_alternate_begin_process();
	ep_alternate_set(&thread);
	if (!has_ours())
		return 2;
	ep_alternate_unset(&thread);
	if (has_ours())
		return 3;
	ep_alternate_leave();
	ep_alternate_set(&thread);
	return has_ours();
}

TEST(a_thread_has_one_of_ours)
{
	CHECK_INT(run_in_child(check_set), 0);
}

static int check_others(void)
{
	static uint8_t memory[1 << 16];
	stack_t own = { .ss_sp = memory, .ss_size = sizeof(memory) }, now;

	if (sigaltstack(&own, NULL))
		return 1;
	ep_alternate_begin_process();
	ep_alternate_set(&thread);
	ep_alternate_unset(&thread);
	return ep_alternate_is_used() || sigaltstack(NULL, &now) || now.ss_sp != memory;
}

TEST(another_stack_is_left_alone)
{
	CHECK_INT(run_in_child(check_others), 0);
}

/* Checks the state that the tick's return restores. */
static int check_look(void)
{
	stack_t ours = { .ss_sp = thread.alternate_stack, .ss_size = EP_ALTERNATE_STACK_BYTES };
	stack_t none = { .ss_flags = SS_DISABLE }, other = { .ss_sp = &ours, .ss_size = 1 << 16 };

	ep_alternate_begin_process();
	if (ep_alternate_look(&thread, &ours) || ours.ss_flags ||
		ep_alternate_look(&thread, &none) || !ep_alternate_is_used())
		return 1;
	if (!ep_alternate_look(&thread, &other) || other.ss_flags || ep_alternate_is_used())
		return 2;
	if (ep_alternate_look(&thread, &ours) || !(ours.ss_flags & SS_DISABLE))
		return 3;
	return ep_alternate_look(&thread, &other) || other.ss_flags;
}

TEST(a_tick_takes_ours_away_where_the_program_has_some)
{
	CHECK_INT(run_in_child(check_look), 0);
}

static int check_look_beside_go(void)
{
	stack_t ours = { .ss_sp = thread.alternate_stack, .ss_size = EP_ALTERNATE_STACK_BYTES };

	ep_alternate_begin_process();
	ep_alternate_leave_to_go();
	return ep_alternate_is_used() || ep_alternate_look(&thread, &ours) || ours.ss_flags;
}

TEST(go_keeps_those_that_are_there)
{
	CHECK_INT(run_in_child(check_look_beside_go), 0);
}

static void handle(int sig)
{
	(void)sig;
}

static unsigned long kernel_flags(int sig)
{
	struct ep_kernel_sigaction action = { .flags = 0 };

	ep_sys_sigaction(sig, NULL, &action);
	return action.flags & SA_ONSTACK;
}

static int check_flags(void)
{
	struct sigaction wanted = { .sa_handler = handle, .sa_flags = SA_ONSTACK }, shown;

	sigaction(SIGUSR1, &wanted, NULL);
	ep_signals_begin();
	if (kernel_flags(SIGUSR1))
		return 1; /* it was set before */
	sigaction(SIGWINCH, &wanted, NULL);
	ep_on_stack_note(SIGWINCH, SA_ONSTACK);
	if (kernel_flags(SIGWINCH) || !kernel_flags(EP_SLICE_SIGNAL) || !kernel_flags(SIGTERM))
		return 2;
	shown.sa_flags = 0;
	ep_on_stack_show(SIGUSR1, &shown);
	if (!(shown.sa_flags & SA_ONSTACK))
		return 3;
	ep_on_stack_note(SIGUSR1, 0); /* another handler, without */
	shown.sa_flags = 0;
	ep_on_stack_show(SIGUSR1, &shown);
	if (shown.sa_flags)
		return 4;
	ep_signals_program_sets_alternate();
	return kernel_flags(SIGUSR1) || !kernel_flags(SIGWINCH) || ep_alternate_is_used();
}

TEST(handlers_flags_mean_nothing_until_there_is_a_stack_of_the_programs)
{
	CHECK_INT(run_in_child(check_flags), 0);
}

static int check_turns(void)
{
	struct ep_on_stack_turn first, second, third;

	if (!ep_on_stack_begin().is_none)
		return 1; /* nothing is measured */
	ep_recording.is_on = true;
	ep_recording.key.pid = (uint32_t)getpid();
	first = ep_on_stack_begin();
	second = ep_on_stack_begin(); /* within the first */
	ep_on_stack_end(second);
	third = ep_on_stack_begin();
	ep_on_stack_end(third);
	ep_on_stack_end(first);
	if (first.is_none || !second.is_none || !third.is_none)
		return 2;
	first = ep_on_stack_begin();
	ep_on_stack_end(first);
	return first.is_none;
}

TEST(a_thread_in_its_turn_waits_for_none)
{
	CHECK_INT(run_in_child(check_turns), 0);
}
