// SPDX-License-Identifier: BSD-3-Clause
/*
 * Another user of the PMU. "pinned N PROGRAM...": N counters of every CPU are taken for good while
 * the program runs. "shared N PROGRAM...": a group of N counters follows the program, as perf
 * stat's would, so that the kernel gives the counters in turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "perf.h"

static int fail(const char *what, int error)
{
	fprintf(stderr, "holdpmu: %s: %s\n", what, strerror(error));
	return 125;
}

static int hold_pinned(int n_events)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (int cpu = 0; cpu < n_cpus; cpu++) {
		for (int i = 0; i < n_events; i++) {
			struct perf_event_attr attr =
				perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

			attr.pinned = 1;
			int fd = perf_open(&attr, -1, cpu, -1);
			if (fd < 0)
				return fd;
		}
	}
	return 0;
}

/* The descriptors go away with exec; the events would too, so this process keeps them open and the
 * program is its child. */
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

int main(int argc, char **argv)
{
	int n_events = argc > 3 ? atoi(argv[2]) : 0, go[2], status, error;
	int pinned = argc > 3 && !strcmp(argv[1], "pinned");

	if (n_events < 1 || (!pinned && strcmp(argv[1], "shared"))) {
		fprintf(stderr, "usage: holdpmu pinned|shared N PROGRAM [ARGS]\n");
		return 2;
	}
	if (pipe2(go, O_CLOEXEC))
		return fail("pipe", errno);
	pid_t child = fork();
	if (child == 0) {
		char byte;
		if (read(go[0], &byte, 1) != 1)
			_exit(125);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	error = pinned ? hold_pinned(n_events) : hold_shared(n_events, child);
	if (error)
		return fail("perf_event_open", -error);
	if (write(go[1], "", 1) != 1)
		return fail("write", errno);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
