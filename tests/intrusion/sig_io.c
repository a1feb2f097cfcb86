/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIGIO ends a program by default, and the kernel sends it instead of another signal if the user's queue of signals is
 * full. survive: a program must not die of SIGIO because of a profiler's signals. die: a program that asked for SIGIO
 * must die of it. later: the queue becomes full after the start, and the program has a descriptor with the signal of a
 * clock, as a forked child has from its parent. handle: the program has a handler of SIGIO.
 */
#include "probe.h"

#include <sys/resource.h>

static void *work(void *unused)
{
	burn_ms(30);
	return unused;
}

static int survive(void)
{
	pthread_t threads[20];

	for (int i = 0; i < 20; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, work, NULL), 0);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	burn_ms(300);
	printf("survived\n");
	return probe_end();
}

static int die(void)
{
	int ends[2];

	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(fcntl(ends[0], F_SETOWN, getpid()), 0);
	EXPECT_INT(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK), 0);
	burn_ms(100);
	EXPECT_INT(write(ends[1], "a", 1), 1);
	burn_ms(1000);
	printf("still alive\n");
	return probe_end();
}

#define CLOCK_SIGNAL 33

static int survive_later(void)
{
	struct rlimit none = { 0, 0 };
	int ends[2];

	EXPECT_INT(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(fcntl(ends[0], F_SETSIG, CLOCK_SIGNAL), 0);
	EXPECT_INT(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK), 0);
	burn_ms(300);
	printf("survived\n");
	return probe_end();
}

static volatile sig_atomic_t n_signals;

static void count(int sig)
{
	(void)sig;
	n_signals++;
}

static void look_at_handler(void)
{
	struct sigaction action;

	EXPECT_INT(sigaction(SIGIO, NULL, &action), 0);
	EXPECT(action.sa_handler == count);
	EXPECT_INT(action.sa_flags & SA_SIGINFO, 0);
}

/* The program's handler must get the program's own SIGIO, and none because the queue is full. */
static int handle(void)
{
	struct sigaction action = { .sa_handler = count };
	struct rlimit limit, none;
	int ends[2];

	EXPECT_INT(sigaction(SIGIO, &action, NULL), 0);
	look_at_handler();
	EXPECT_INT(getrlimit(RLIMIT_SIGPENDING, &limit), 0);
	none = (struct rlimit){ 0, limit.rlim_max };
	EXPECT_INT(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	burn_ms(300);
	EXPECT_INT(n_signals, 0);
	EXPECT_INT(setrlimit(RLIMIT_SIGPENDING, &limit), 0);
	burn_ms(30);
	EXPECT(signal(SIGIO, count) == count);
	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(fcntl(ends[0], F_SETOWN, getpid()), 0);
	EXPECT_INT(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK), 0);
	EXPECT_INT(write(ends[1], "a", 1), 1);
	burn_ms(30);
	EXPECT_INT(n_signals, 1);
	look_at_handler();
	printf("handled\n");
	return probe_end();
}

/* Starts a program with room for no pending signals: the one that argv names, or else this one with survive. */
static int limited(char **argv)
{
	struct rlimit none = { 0, 0 };
	char path[4096];

	unsetenv("EVPROF_PERIOD"); /* so that the cost of a tick is measured at the start */
	EXPECT_INT(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	if (!argv[2])
		execl(argv[0], argv[0], "survive", (char *)NULL);
	snprintf(path, sizeof(path), "%s/%s", getenv("PROBE_DIR"), argv[2]);
	execv(path, argv + 2);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "limited"))
		return limited(argv);
	if (!strcmp(argv[1], "later"))
		return survive_later();
	if (!strcmp(argv[1], "handle"))
		return handle();
	return !strcmp(argv[1], "die") ? die() : survive();
}
