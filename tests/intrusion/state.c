/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what a process can ask about itself and what does not change by itself: limits, scheduling, masks, modes,
 * groups. Does so at the start, after work, in a thread and in a child.
 */
#include "probe.h"

#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

static void print_limits(void)
{
	for (int r = 0; r < RLIMIT_NLIMITS; r++) {
		struct rlimit limit;

		getrlimit(r, &limit);
		printf("limit %d: %lld %lld\n", r, (long long)limit.rlim_cur,
			(long long)limit.rlim_max);
	}
}

static void print_scheduling(void)
{
	struct sched_param parameters;
	cpu_set_t cpus;

	sched_getparam(0, &parameters);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	printf("policy %d priority %d nice %d cpus %d\n", sched_getscheduler(0),
		parameters.sched_priority, getpriority(PRIO_PROCESS, 0), CPU_COUNT(&cpus));
}

static void print_modes(void)
{
	mode_t mask = umask(0);
	int signal_number = -1, reaper = -1;

	umask(mask);
	prctl(PR_GET_PDEATHSIG, &signal_number);
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	printf("umask %o personality %x dumpable %d slack %d pdeathsig %d reaper %d\n", mask,
		personality(0xffffffff), prctl(PR_GET_DUMPABLE), prctl(PR_GET_TIMERSLACK),
		signal_number, reaper);
	printf("no new privileges %d seccomp %d keep capabilities %d\n",
		prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_SECCOMP),
		prctl(PR_GET_KEEPCAPS));
}

static void print_timers(void)
{
	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		struct itimerval timer;

		getitimer(which, &timer);
		printf("timer %d: %ld\n", which, timer.it_value.tv_sec + timer.it_value.tv_usec);
	}
}

static void print_folder(void)
{
	char path[4096];

	EXPECT(getcwd(path, sizeof(path)) != NULL);
	EXPECT_MSG(!getenv("PROBE_WORK") || !strcmp(path, getenv("PROBE_WORK")), "folder %s", path);
	printf("session leader %d group leader %d\n", getsid(0) == getpid(), getpgrp() == getpid());
}

static void print_all(void)
{
	print_limits();
	print_scheduling();
	print_modes();
	print_timers();
	print_folder();
}

static void *in_thread(void *unused)
{
	burn_ms(5);
	print_all();
	return NULL;
}

static void change_and_print(void)
{
	struct sched_param parameters = { 0 };
	int cpu = 0, before = nice(0);
	cpu_set_t all, one;

	EXPECT_INT(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	EXPECT_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	EXPECT_INT(nice(3), before + 3 < 19 ? before + 3 : 19);
	EXPECT_INT(sched_setscheduler(0, SCHED_BATCH, &parameters), 0);
	burn_ms(5);
	print_all();
}

int main(void)
{
	pthread_t thread;

	print_all();
	burn_ms(20);
	print_all();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	probe_in_child("child", print_all);
	probe_in_child("changed", change_and_print);
	return probe_end();
}
