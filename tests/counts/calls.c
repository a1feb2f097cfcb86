/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls MS [busy]: computes in one procedure and reads from /dev/zero in two others, one after the other, for MS of CPU
 * time. Sleeps after each round for a time that varies: such a thread has ticks in user mode alone. With busy it does
 * not sleep. The truth is the CPU time of each procedure by the thread's own clock.
 */
#include "work.h"

#include <fcntl.h>

enum { COMPUTE, READ_MUCH, READ_LITTLE, N_PROCEDURES };

static int64_t spent_ns[N_PROCEDURES];
static char buffer[1 << 16];
static int zeros;

__attribute__((noinline)) static void compute(void)
{
	for (volatile int i = 0; i < 200000; i++)
		;
}

__attribute__((noinline)) static void read_much(void)
{
	for (int i = 0; i < 80; i++)
		if (read(zeros, buffer, sizeof(buffer)) < 0)
			exit(97);
}

__attribute__((noinline)) static void read_little(void)
{
	for (int i = 0; i < 40; i++)
		if (read(zeros, buffer, sizeof(buffer)) < 0)
			exit(97);
}

int main(int argc, char **argv)
{
	static void (*const procedures[])(void) = { compute, read_much, read_little };
	static const char *const names[] = { "compute", "read_much", "read_little" };
	int64_t end_ns = atol(argv[1]) * 1000000;
	unsigned chance = 1;
	FILE *truth;

	zeros = open("/dev/zero", O_RDONLY);
	while (work_cpu_ns() < end_ns) {
		for (int k = 0; k < N_PROCEDURES; k++) {
			int64_t start_ns = work_cpu_ns();

			procedures[k]();
			spent_ns[k] += work_cpu_ns() - start_ns;
		}
		if (argc < 3)
			usleep((useconds_t)rand_r(&chance) % 1000);
	}
	truth = work_open_truth();
	fprintf(truth, "{\"procedures_ns\": {");
	for (int k = 0; k < N_PROCEDURES; k++)
		fprintf(truth, "%s\"%s\": %lld", k ? ", " : "", names[k], (long long)spent_ns[k]);
	fprintf(truth, "}}\n");
	fclose(truth);
	return 0;
}
