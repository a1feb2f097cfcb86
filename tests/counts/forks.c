/* SPDX-License-Identifier: BSD-3-Clause */
/* forks N: makes N children, one after the other. Each works for a moment, and the children end with statuses 0 to 6,
 * then 0 to 6 again, and so on. */
#include "work.h"

#include <sys/wait.h>

static void spin_us(int64_t cpu_us)
{
	int64_t end_ns = work_cpu_ns() + cpu_us * 1000;

	while (work_cpu_ns() < end_ns)
		;
}

int main(int argc, char **argv)
{
	int n_children = atoi(argv[1]), n_ended[7] = { 0 };
	struct holdings early, late;
	FILE *truth;

	for (int i = 0; i < n_children; i++) {
		int status = -1;
		pid_t pid = fork();

		if (pid == 0) {
			spin_us(200);
			_exit(i % 7);
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
			WEXITSTATUS(status) != i % 7)
			return 98;
		n_ended[WEXITSTATUS(status)]++;
		if (i == 0)
			early = work_holdings();
	}
	late = work_holdings();
	truth = work_open_truth();
	fprintf(truth, "{\"pid\": %d, \"n_processes\": %d, \"ended\": [", getpid(), n_children + 1);
	for (int s = 0; s < 7; s++)
		fprintf(truth, "%s%d", s ? ", " : "", n_ended[s]);
	fprintf(truth, "], ");
	work_write_holdings(truth, &early, &late);
	fprintf(truth, "}\n");
	fclose(truth);
	return 0;
}
