/* SPDX-License-Identifier: BSD-3-Clause */
/* ready MS: two threads share one CPU for MS of wall time and are busy all the time; a third one sleeps for as long.
 * The truth is how long each thread waited for a CPU during its work, by the kernel's account (schedstat). */
#include "work.h"

#include <sched.h>
#include <stdbool.h>

struct sharer {
	pthread_t id;
	bool is_busy;
	int tid;
	long ms;
	double wall_s;
	long long ready_ns; /* -1: the kernel keeps no account */
};

static int first_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

static void share_a_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(first_cpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long long read_ready_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	long long ready_ns, n_turns = 0;

	if (!file)
		return -1;
	if (fscanf(file, "%*d %lld %lld", &ready_ns, &n_turns) != 2 || !n_turns)
		ready_ns = -1;
	fclose(file);
	return ready_ns;
}

static void *work(void *argument)
{
	struct sharer *me = argument;
	struct timespec all = { me->ms / 1000, me->ms % 1000 * 1000000 };
	double start_s = now_s();
	long long before_ns = read_ready_ns(), after_ns;

	me->tid = gettid();
	if (me->is_busy) {
		share_a_cpu();
		while (now_s() < start_s + (double)me->ms / 1e3)
			;
	} else {
		nanosleep(&all, NULL);
	}
	after_ns = read_ready_ns();
	me->ready_ns = after_ns < 0 ? -1 : after_ns - before_ns;
	me->wall_s = now_s() - start_s;
	return NULL;
}

int main(int argc, char **argv)
{
	struct sharer sharers[3];
	FILE *truth;

	for (int i = 0; i < 3; i++) {
		sharers[i] = (struct sharer){ .is_busy = i < 2, .ms = atol(argv[1]) };
		pthread_create(&sharers[i].id, NULL, work, &sharers[i]);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(sharers[i].id, NULL);
	truth = work_open_truth();
	fprintf(truth, "{\"pid\": %d, \"threads\": [", getpid());
	for (int i = 0; i < 3; i++)
		fprintf(truth, "%s{\"tid\": %d, \"busy\": %d, \"wall_s\": %f, \"ready_ns\": %lld}",
			i ? ", " : "", sharers[i].tid, sharers[i].is_busy, sharers[i].wall_s,
			sharers[i].ready_ns);
	fprintf(truth, "]}\n");
	fclose(truth);
	return 0;
}
