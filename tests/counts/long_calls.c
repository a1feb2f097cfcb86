/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * long_calls N: makes N system calls of at least LONG_NS of CPU time each, and computes a little between them. The
 * truth is the CPU time of all calls by the thread's own clock.
 */
#include "work.h"

#include <fcntl.h>
#include <sys/uio.h>

#define LONG_NS 24000000 /* six of the scheduler's ticks at 250 a second */
#define MOST_PARTS 1024  /* parts of one system call */

static char buffer[1 << 20];

/* Reads n_parts times into the same buffer by one system call, so that a long call needs little memory. Returns its CPU
 * time. */
static int64_t read_ns(int fd, int n_parts)
{
	static struct iovec parts[MOST_PARTS];
	int64_t start_ns = work_cpu_ns();

	for (int i = 0; i < n_parts; i++)
		parts[i] = (struct iovec){ buffer, sizeof(buffer) };
	if (readv(fd, parts, n_parts) < 0)
		exit(97);
	return work_cpu_ns() - start_ns;
}

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY), n_calls = atoi(argv[1]), n_parts = 1;
	int64_t calls_ns = 0;
	FILE *truth;

	for (int i = 0; i < n_calls;) {
		int64_t ns = read_ns(fd, n_parts);

		calls_ns += ns;
		if (ns < LONG_NS && n_parts < MOST_PARTS)
			n_parts *= 2;
		else
			i++;
		for (volatile int k = 0; k < 2000000; k++)
			;
	}
	truth = work_open_truth();
	fprintf(truth, "{\"calls_ns\": %lld}\n", (long long)calls_ns);
	fclose(truth);
	return 0;
}
