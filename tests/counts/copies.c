/* SPDX-License-Identifier: BSD-3-Clause */
/* copies N: N forks, each followed by some slices of computing, the first of which finds the pages it
 * writes write-protected for the child's sake: a page fault each. */
#include "work.h"

#include <sys/wait.h>

static void compute(void)
{
	for (volatile int i = 0; i < 3000000; i++)
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
