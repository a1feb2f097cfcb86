// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program whose regions are known: regions WHAT. "work" computes in region heavy three times as much as in
 * light, both in step, which is entered 200 times; two threads do so at once. The others are what programs do to
 * regions: fork, longjmp, exits in the middle, ends that do not fit, more than there is room for.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/evprof.h"

enum { N_STEPS = 200, N_ROUNDS = 2000000, UNIT = 300000 };

/* The same instructions, however often: n is what counts. */
__attribute__((noinline)) static uint64_t compute(uint64_t n)
{
	uint64_t value = n;

	for (uint64_t i = 0; i < n; i++) {
		value = value * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

static void *work(void *unused)
{
	uint64_t sum = 0;

	for (int i = 0; i < N_STEPS; i++) {
		evprof_region_begin("step");
		evprof_region_begin("heavy");
		sum += compute(3 * UNIT);
		evprof_region_end("heavy");
		evprof_region_begin("light");
		sum += compute(UNIT);
		evprof_region_end("light");
		evprof_region_end("step");
	}
	return (void *)(uintptr_t)(sum & 1);
}

static void work_in_threads(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* The child goes on in outer, which its parent began. */
static void fork_in_the_middle(void)
{
	evprof_region_begin("outer");
	if (!fork()) {
		evprof_region_begin("child");
		compute(UNIT);
		evprof_region_end("child");
		evprof_region_end("outer");
		_exit(0);
	}
	wait(NULL);
	evprof_region_end("outer");
}

static jmp_buf back;

static void leave_by_longjmp(void)
{
	for (volatile int i = 0; i < 10; i++) {
		evprof_region_begin("outer");
		if (!setjmp(back)) {
			evprof_region_begin("left");
			longjmp(back, 1);
		}
		evprof_region_end("outer");
	}
}

static void in_handler(int number)
{
	evprof_region_begin("handler");
	evprof_region_end("handler");
}

/* Signals come while regions begin and end. */
static void be_interrupted(void)
{

	signal(SIGUSR1, in_handler);
	for (int i = 0; i < 1000; i++) {
		evprof_region_begin("outer");
		if (i % 10 == 0)
			raise(SIGUSR1);
		evprof_region_end("outer");
	}
}

static void set_off_alarms(void (*handler)(int), int period_us)
{
	struct itimerval period = { { 0, period_us }, { 0, period_us } };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &period, NULL);
}

/* Handlers enter regions at any instruction. The first round is before them: a handler that comes while a name
 * is new finds no room for its own. */
static void be_interrupted_anywhere(void)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		if (i == 1)
			set_off_alarms(in_handler, 50);
		evprof_region_begin("outer");
		evprof_region_end("outer");
	}
	set_off_alarms(SIG_IGN, 0);
}

static void end_in_handler(int number)
{
	evprof_region_end("outer");
}

/* At any instruction, also between a look at the region and its end. */
static void be_ended_by_handler(void)
{
	set_off_alarms(end_in_handler, 50);
	for (int i = 0; i < N_ROUNDS; i++) {
		evprof_region_begin("outer");
		evprof_region_end("outer");
	}
	set_off_alarms(SIG_IGN, 0);
}

static void end_without_begin(void)
{
	evprof_region_end("never");
	evprof_region_begin("open");
	evprof_region_end("never");
	compute(UNIT);
}

/* More names than a thread keeps, and deeper than it follows. */
static void take_all_room(void)
{
	char name[32];

	evprof_region_begin("many");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		evprof_region_begin(name);
		evprof_region_end(name);
	}
	evprof_region_end("many");
	for (int i = 0; i < 100; i++)
		evprof_region_begin("deep");
	for (int i = 0; i < 100; i++)
		evprof_region_end("deep");
	evprof_region_begin("last");
	evprof_region_end("last");
}

static void *take_steps(void *of_thread)
{
	char name[64];

	for (int i = 0; i < 110; i++) {
		snprintf(name, sizeof(name), "step %d of %d in %d", i, *(int *)of_thread, getpid());
		evprof_region_begin(name);
		evprof_region_begin("inner");
		evprof_region_end("inner");
		evprof_region_end(name);
	}
	return of_thread;
}

/* 2,200 regions that no other run has: two runs have more than a report keeps. */
static void take_steps_in_threads(void)
{
	pthread_t threads[10];
	int numbers[10];

	for (int i = 0; i < 10; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, take_steps, &numbers[i]);
	}
	for (int i = 0; i < 10; i++)
		pthread_join(threads[i], NULL);
}

/* Sleeps in one region, computes in the next. */
static void rest_before_work(void)
{
	evprof_region_begin("rest");
	usleep(300000);
	evprof_region_end("rest");
	evprof_region_begin("burst");
	compute(100 * UNIT);
	evprof_region_end("burst");
}

static void sleep_for(int n, int us)
{
	for (int i = 0; i < n; i++)
		usleep((useconds_t)us);
}

/* Waits in a region, in one in it, in another, and in none; hardly any slice ends in them. */
static void *wait_in_regions(void *unused)
{
	for (int i = 0; i < 3; i++) {
		sleep_for(1, 4000);
		evprof_region_begin("outer");
		sleep_for(2, 4000);
		evprof_region_begin("inner");
		sleep_for(3, 4000);
		evprof_region_end("inner");
		evprof_region_end("outer");
		evprof_region_begin("other");
		sleep_for(4, 4000);
		evprof_region_end("other");
		compute(UNIT);
	}
	return unused;
}

/* Another thread is in no region. */
static void *wait_in_none(void *unused)
{
	sleep_for(7, 4000);
	return unused;
}

static void wait_in_threads(void)
{
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, wait_in_regions, NULL) ||
		pthread_create(&threads[1], NULL, wait_in_none, NULL))
		abort();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void exec_in_the_middle(void)
{
	evprof_region_begin("before");
	execlp("true", "true", (char *)NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "work", work_in_threads },
		{ "fork", fork_in_the_middle },
		{ "longjmp", leave_by_longjmp },
		{ "handler", be_interrupted },
		{ "handler-anywhere", be_interrupted_anywhere },
		{ "ended-by-handler", be_ended_by_handler },
		{ "unbalanced", end_without_begin },
		{ "room", take_all_room },
		{ "steps", take_steps_in_threads },
		{ "rest", rest_before_work },
		{ "waits", wait_in_threads },
		{ "exec", exec_in_the_middle },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	printf("done\n");
	return 0;
}
