/* SPDX-License-Identifier: BSD-3-Clause */
/* killed MS: works in two threads for MS of wall time, then ends by SIGKILL, before which no handler can run. */
#include "work.h"

#include <signal.h>

static void *work(void *unused)
{
	for (;;)
		work_cpu_ns();
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec now, start;
	int64_t wall_ms;
	pthread_t id;
	FILE *truth;

	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_create(&id, NULL, work, NULL);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		wall_ms = (now.tv_sec - start.tv_sec) * 1000 +
			  (now.tv_nsec - start.tv_nsec) / 1000000;
	} while (wall_ms < atol(argv[1]));
	truth = work_open_truth();
	fprintf(truth, "{\"duration_s\": %.3f}\n", wall_ms / 1e3);
	fclose(truth);
	kill(getpid(), SIGKILL);
	return 0;
}
