/* SPDX-License-Identifier: BSD-3-Clause */
/* outside N_CHILDREN MS: the process and a forked child burn MS of CPU time each. So does each of N_CHILDREN further
 * children, which are linked statically, so that no library is preloaded into them; they run `outside burn MS`. The
 * truth is the CPU time of these further children by the kernel's account. */
#include "work.h"

#include <string.h>
#include <sys/wait.h>

static void burn(long cpu_ms)
{
	int64_t end_ns = work_cpu_ns() + cpu_ms * 1000000;

	while (work_cpu_ns() < end_ns)
		;
}

static pid_t start_static(char *cpu_ms)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - sizeof("_static"));
	pid_t pid = fork();

	if (pid)
		return pid;
	strcpy(path + (size > 0 ? size : 0), "_static");
	execl(path, path, "burn", cpu_ms, NULL);
	_exit(98);
}

/* Waits for the child, and returns its CPU time in seconds. */
static double wait_for(pid_t pid)
{
	struct rusage usage;
	int status = -1;

	if (wait4(pid, &status, 0, &usage) != pid || status)
		exit(97);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	long cpu_ms = atol(argv[2]);
	double outside_s = 0;
	FILE *truth;
	pid_t pid;

	if (argc > 2 && !strcmp(argv[1], "burn")) {
		burn(cpu_ms);
		return 0;
	}
	pid = fork();
	burn(cpu_ms);
	if (!pid)
		exit(0);
	wait_for(pid);
	for (int i = 0; i < atoi(argv[1]); i++)
		outside_s += wait_for(start_static(argv[2]));
	truth = work_open_truth();
	fprintf(truth, "{\"n_processes\": %d, \"outside_s\": %.6f}\n", 2 + atoi(argv[1]),
		outside_s);
	fclose(truth);
	return 0;
}
