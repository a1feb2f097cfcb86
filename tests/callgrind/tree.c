// SPDX-License-Identifier: BSD-3-Clause
/* A tree of processes, each with work of its own in a procedure of its own: fork, a failed exec and one
 * that succeeds, threads, a deadly signal, and one that is killed while it works. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILLED_AFTER_MS 1500 /* of CPU time: then some of it is in the trace */

static volatile unsigned sink;

/* n rounds of some instructions. */
__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 3 + i;
}

#define PART(name, n)                                                                              \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		work(n);                                                                           \
		sink++; /* no tail call */                                                         \
	}

PART(in_root, 20000)
PART(in_child, 30000)
PART(before_exec, 40000)
PART(after_exec, 50000)
PART(in_thread, 60000)
PART(before_segv, 70000)

__attribute__((noinline)) static void in_killed(void)
{
	for (;;)
		work(100000);
}

static void *run_thread(void *argument)
{
	in_thread();
	return argument;
}

static void become(const char *self)
{
	before_exec();
	execl("/nonexistent", "x", (char *)NULL);
	execl(self, self, "again", (char *)NULL);
	_exit(1);
}

static void use_threads(const char *self)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	/* has the number in valgrind that one of them had */
	pthread_create(&threads[0], NULL, run_thread, NULL);
	pthread_join(threads[0], NULL);
}

static void use_child(const char *self)
{
	in_child();
}

static void die(const char *self)
{
	before_segv();
	*(volatile int *)0 = 1;
}

static void be_killed(const char *self)
{
	in_killed();
}

static pid_t start(void (*run)(const char *self), const char *self)
{
	pid_t child = fork();

	if (child)
		return child;
	run(self);
	_exit(0);
}

static void kill_after_a_while(pid_t child)
{
	struct timespec used = { 0 }, moment = { 0, 10000000 };
	clockid_t clock;

	clock_getcpuclockid(child, &clock);
	while (!clock_gettime(clock, &used) &&
		used.tv_sec * 1000 + used.tv_nsec / 1000000 < KILLED_AFTER_MS)
		nanosleep(&moment, NULL);
	kill(child, SIGKILL);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "again")) {
		after_exec();
		return 0;
	}
	in_root();
	start(use_child, argv[0]);
	start(become, argv[0]);
	start(use_threads, argv[0]);
	if (argc > 1 && !strcmp(argv[1], "die"))
		start(die, argv[0]);
	if (argc > 1 && !strcmp(argv[1], "kill"))
		kill_after_a_while(start(be_killed, argv[0]));
	while (wait(NULL) > 0)
		;
	return 0;
}
