/* SPDX-License-Identifier: BSD-3-Clause */
/* copies N: forks N times, and computes for some slices after each fork. The first slice after a fork writes pages that
 * the fork has write-protected, which costs a page fault for each page. The computing lasts for a CPU time, not for a
 * number of steps, so that a slice ends after every fork on a fast machine, too. */
#include "work.h"

#include <sys/wait.h>

enum { COMPUTE_NS = 30000000 };

static void compute(void)
{
	int64_t end = work_cpu_ns() + COMPUTE_NS;

	while (work_cpu_ns() < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}

int main(int argc, char **argv)
{
	int n_forks = atoi(argv[1]);
	struct rusage usage;
	FILE *truth;

	for (int i = 0; i < n_forks; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			return 98;
		compute();
	}
	getrusage(RUSAGE_SELF, &usage);
	truth = work_open_truth();
	fprintf(truth, "{\"pid\": %d, \"n_forks\": %d, \"minor_faults\": %ld}\n", getpid(), n_forks,
		usage.ru_minflt);
	fclose(truth);
	return 0;
}
