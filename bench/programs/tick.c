// SPDX-License-Identifier: BSD-3-Clause
/*
 * tick ROUNDS: what the kernel takes to interrupt a thread each 250 us of its CPU time, by the ways it has:
 *   signal  a task-clock event that owns a descriptor and sends a signal (F_SETSIG): an interrupt of its own
 *   trap    the same event with attr.sigtrap: SIGTRAP straight from the timer's interrupt, Linux 5.13
 * Plain work and work under each take turns. Prints the median and the quartiles of CPU us a tick.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 250000
#define TICK_SIGNAL (SIGRTMIN + 5)

enum way { BY_SIGNAL, BY_TRAP, N_WAYS };

static const char *const names[] = { "signal", "trap" };
static volatile sig_atomic_t n_ticks;

static void count(int sig)
{
	(void)sig;
	n_ticks++;
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

/* Some 10 ms. */
static double work_us(void)
{
	static volatile unsigned long sum;
	double begin_us = cpu_us();

	for (unsigned long i = 0; i < 40000000; i++)
		sum += i;
	return cpu_us() - begin_us;
}

static int open_clock(enum way way)
{
	struct f_owner_ex owner = { F_OWNER_TID, (int)syscall(SYS_gettid) };
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = PERIOD_NS;
	attr.exclude_kernel = 1;
	attr.disabled = 1;
	attr.wakeup_events = way == BY_SIGNAL;
	attr.sigtrap = attr.remove_on_exec = way == BY_TRAP;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	if (way == BY_SIGNAL) {
		fcntl(fd, F_SETOWN_EX, &owner);
		fcntl(fd, F_SETSIG, TICK_SIGNAL);
		fcntl(fd, F_SETFL, O_ASYNC);
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	return fd;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_way(enum way way, double *tick_us, int n)
{
	if (!n) {
		printf("%-8s not on this kernel, or not permitted\n", names[way]);
		return;
	}
	qsort(tick_us, n, sizeof(*tick_us), compare);
	printf("%-8s %6.1f us a tick (%.1f-%.1f, %d rounds)\n", names[way], tick_us[n / 2],
		tick_us[n / 4], tick_us[n * 3 / 4], n);
}

int main(int argc, char **argv)
{
	int n_rounds = argc > 1 ? atoi(argv[1]) : 150, n[N_WAYS] = { 0 };
	double *tick_us[N_WAYS];

	signal(TICK_SIGNAL, count);
	signal(SIGTRAP, count);
	for (int way = 0; way < N_WAYS; way++)
		tick_us[way] = calloc(n_rounds + 1, sizeof(double));
	for (int i = 0; i < n_rounds * N_WAYS; i++) {
		enum way way = i % N_WAYS;
		double plain_us = work_us(), ticked_us;
		int fd = open_clock(way);

		if (fd < 0)
			continue;
		n_ticks = 0;
		ticked_us = work_us();
		close(fd);
		if (n_ticks)
			tick_us[way][n[way]++] = (ticked_us - plain_us) / n_ticks;
	}
	for (int way = 0; way < N_WAYS; way++)
		print_way(way, tick_us[way], n[way]);
	return 0;
}
