// SPDX-License-Identifier: BSD-3-Clause
/* glibc makes threads of its own behind these calls, and a handler for the signal we tick with. */
#include "tests/unit/test.h"

#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/process/process.h"
#include "preload/process/signals.h"

static void *tick_handler(void)
{
	struct ep_kernel_sigaction action;

	ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &action);
	return action.handler;
}

static void note(union sigval value)
{
}

static int make_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = note };
	timer_t timer;

	return timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_delete(timer);
}

static int read_in_background(void)
{
	char byte;
	struct aiocb block = {
		.aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = &byte, .aio_nbytes = 1
	};
	const struct aiocb *blocks[] = { &block };

	if (aio_read(&block) || aio_suspend(blocks, 1, NULL))
		return 1;
	return aio_error(&block) || aio_return(&block) != 1;
}

/* 0: the call worked, and the handler is what it was before. */
static int run_in_child(int (*call)(void), bool is_on)
{
	pid_t pid;
	int status = -1;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		void *before;

		ep_recording.key.pid = (uint32_t)getpid();
		ep_signals_begin();
		ep_recording.is_on = is_on;
		before = tick_handler();
		if (call())
			_exit(1);
		_exit(tick_handler() == before ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST(the_handler_is_put_back_behind_glibcs_threads)
{
	CHECK_INT(run_in_child(make_timer, true), 0);
	CHECK_INT(run_in_child(read_in_background, true), 0);
}

/* The hooks are needed: without them glibc's handler stays. */
TEST(when_it_is_off_glibcs_handler_stays)
{
	CHECK_INT(run_in_child(make_timer, false), 2);
}
