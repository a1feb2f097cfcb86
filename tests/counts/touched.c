/* SPDX-License-Identifier: BSD-3-Clause */
/* touched N: makes N children that end at once, and N that start a program which ends at once, each with this program's
 * preloaded library and without it. The truth is the mean number of page faults of each kind of child, as the kernel
 * counts them. */
#include "work.h"

#include <sys/wait.h>

static char *const nothing[] = { "touched", "nothing", NULL };
static char *const plain_variables[] = { NULL };

/* Makes a child, and returns its page faults. variables NULL: the child is forked and ends; else it starts a program
 * with these variables. */
static long faults_of_child(const char *self, char *const *variables)
{
	pid_t pid = variables ? vfork() : fork();
	struct rusage usage;

	if (!pid && variables)
		execve(self, nothing, variables);
	if (!pid)
		_exit(0);
	if (pid < 0 || wait4(pid, NULL, 0, &usage) != pid)
		exit(98);
	return usage.ru_minflt;
}

static double mean_of_children(const char *self, char *const *variables, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += faults_of_child(self, variables);
	return (double)sum / n;
}

/* Runs this program once more without the preload, and returns the mean page faults of its forked children. */
static double mean_of_plain_forks(char *self, char *n_text)
{
	char *const arguments[] = { self, n_text, "plain", NULL };
	double mean = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		exit(98);
	pid = vfork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		execve(self, arguments, plain_variables);
		_exit(98);
	}
	close(ends[1]);
	if (read(ends[0], &mean, sizeof(mean)) != sizeof(mean) || waitpid(pid, NULL, 0) != pid)
		exit(98);
	close(ends[0]);
	return mean;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	double forks;
	FILE *truth;

	if (!n)
		return 0;
	forks = mean_of_children(argv[0], NULL, n);
	if (argc > 2)
		return write(STDOUT_FILENO, &forks, sizeof(forks)) != sizeof(forks);
	truth = work_open_truth();
	fprintf(truth, "{\"fork\": [%.2f, %.2f], ", mean_of_plain_forks(argv[0], argv[1]), forks);
	fprintf(truth, "\"exec\": [%.2f, %.2f]}\n", mean_of_children(argv[0], plain_variables, n),
		mean_of_children(argv[0], environ, n));
	fclose(truth);
	return 0;
}
