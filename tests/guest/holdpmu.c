// SPDX-License-Identifier: BSD-3-Clause
/*
 * Another user of the PMU. "pinned LEFT PROGRAM...": all counters of every CPU but LEFT are taken
 * for good while the program runs. "shared N PROGRAM...": a group of N counters follows the
 * program, as perf stat's would, so that the kernel gives the counters in turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "perf.h"

/* Those with counters of their own come first, so that what is left takes any event. */
static const struct {
	uint32_t type;
	uint64_t config;
} wanted[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
#if defined(__powerpc64__)
	{ PERF_TYPE_RAW, 0x500fa },
	{ PERF_TYPE_RAW, 0x600f4 },
#endif
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};

static int fail(const char *what, int error)
{
	fprintf(stderr, "holdpmu: %s: %s\n", what, strerror(error));
	return 125;
}

/* Returns the descriptor of a pinned event that has its counter, or -EBUSY when none was free. */
static int take_counter(int cpu, uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = perf_attr(type, config);
	struct group_reading reading;

	attr.pinned = 1;
	int fd = perf_open(&attr, -1, cpu, -1);
	if (fd < 0)
		return fd;
	usleep(1000);
	if (read(fd, &reading, sizeof(reading)) > 0)
		return fd;
	close(fd);
	return -EBUSY;
}

static int hold_cpu(int cpu, int n_left)
{
	int fds[MAX_EVENTS], n = 0, fd = -ENOENT;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* An event that has one counter would get a general one next. */
		int n_most = i + 1 < sizeof(wanted) / sizeof(wanted[0]) ? 1 : MAX_EVENTS;

		for (int k = 0; k < n_most && n < MAX_EVENTS; k++) {
			fd = take_counter(cpu, wanted[i].type, wanted[i].config);
			if (fd < 0)
				break;
			fds[n++] = fd;
		}
	}
	if (n <= n_left)
		return fd;
	while (n_left-- > 0)
		close(fds[--n]);
	return 0;
}

static int hold_pinned(int n_left)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int error = 0;

	for (int cpu = 0; cpu < n_cpus && !error; cpu++)
		error = hold_cpu(cpu, n_left);
	return error;
}

static int hold_shared(int n_events, pid_t child)
{
	int leader = -1;

	for (int i = 0; i < n_events; i++) {
		struct perf_event_attr attr =
			perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

		attr.read_format = 0;
		attr.inherit = 1;
		int fd = perf_open(&attr, child, -1, leader);
		if (fd < 0)
			return fd;
		if (leader < 0)
			leader = fd;
	}
	return 0;
}

/* The program waits for its turn in the child, so that its first instruction meets what we hold. */
static pid_t start(char **program, int go_fd)
{
	pid_t child = fork();
	char byte;

	if (child != 0)
		return child;
	if (read(go_fd, &byte, 1) != 1)
		_exit(125);
	execvp(program[0], program);
	_exit(127);
}

int main(int argc, char **argv)
{
	int pinned = argc > 3 && !strcmp(argv[1], "pinned"), go[2], status;

	if (argc < 4 || (!pinned && strcmp(argv[1], "shared"))) {
		fprintf(stderr, "usage: holdpmu pinned LEFT|shared N PROGRAM [ARGS]\n");
		return 2;
	}
	if (pipe2(go, O_CLOEXEC))
		return fail("pipe", errno);
	pid_t child = start(argv + 3, go[0]);
	int error = pinned ? hold_pinned(atoi(argv[2])) : hold_shared(atoi(argv[2]), child);
	if (error)
		return fail("perf_event_open", -error);
	if (write(go[1], "", 1) != 1)
		return fail("write", errno);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
