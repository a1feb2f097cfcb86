// SPDX-License-Identifier: BSD-3-Clause
/*
 * spawn N PRELOAD [TRACE]: N pairs of /bin/true, one plain and one with LD_PRELOAD=PRELOAD (and
 * EVPROF_OUTPUT=TRACE), each waited for. Prints the medians: wall plain, wall preloaded, CPU plain,
 * CPU preloaded, in us. Run under the preload itself, its children join its trace.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_PAIRS = 10000 };

static double wall_us[2][MAX_PAIRS], cpu_us[2][MAX_PAIRS];

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec * 1e-3;
}

static double in_us(struct timeval tv)
{
	return tv.tv_sec * 1e6 + tv.tv_usec;
}

static void spawn_one(char **env, double *out_wall_us, double *out_cpu_us)
{
	char *argv[] = { "/bin/true", NULL };
	double begin_us = now_us();
	struct rusage usage;
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, env) ||
		wait4(pid, &status, 0, &usage) < 0 || status)
		abort();
	*out_wall_us = now_us() - begin_us;
	*out_cpu_us = in_us(usage.ru_utime) + in_us(usage.ru_stime);
}

static int by_value(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

int main(int argc, char **argv)
{
	static char preload[4096], output[4096];
	char *envs[2][4] = { { "PATH=/bin", NULL },
		{ "PATH=/bin", preload, argc > 3 ? output : NULL, NULL } };
	int n = argc > 2 ? atoi(argv[1]) : 0;

	if (n < 1 || n > MAX_PAIRS)
		return 2;
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", argv[2]);
	snprintf(output, sizeof(output), "EVPROF_OUTPUT=%s", argc > 3 ? argv[3] : "");
	for (int i = 0; i < n; i++)
		for (int kind = 0; kind < 2; kind++)
			spawn_one(envs[(kind + i) % 2], &wall_us[(kind + i) % 2][i],
				&cpu_us[(kind + i) % 2][i]);
	printf("%.0f %.0f %.0f %.0f\n", median(wall_us[0], n), median(wall_us[1], n),
		median(cpu_us[0], n), median(cpu_us[1], n));
	return 0;
}
