/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shares N_THREADS MS [TURN_NS]: each thread gives its CPU time to three procedures, 60, 30 and 10 percent of it, in
 * turns of some milliseconds, or of TURN_NS of its own clock. The truth is the time of each procedure by the thread's
 * own clock, without leaps: Linux may charge a thread for time in which the host of its virtual machine gave the CPU to
 * others.
 */
#include "work.h"

static int64_t turn_ns = 5000000;

struct spent {
	int64_t most_ns, some_ns, little_ns;
};

#define LEAP_NS 1000000 /* a hundred times the usual time between two readings */

/* Returns the thread's clock without the leaps between two readings of it. */
static int64_t steady_ns(void)
{
	static __thread int64_t last_ns, leaps_ns;
	int64_t now_ns = work_cpu_ns();

	if (last_ns && now_ns - last_ns > LEAP_NS)
		leaps_ns += now_ns - last_ns;
	last_ns = now_ns;
	return now_ns - leaps_ns;
}

/* The clock is read only after many rounds, since each reading is a system call, whose time belongs to another
 * procedure. */
#define SPINNER(name)                                                                              \
	__attribute__((noinline)) static int64_t name(int64_t cpu_ns)                              \
	{                                                                                          \
		int64_t start_ns = steady_ns(), now_ns = start_ns;                                 \
		volatile uint64_t sink = 1;                                                        \
                                                                                                   \
		while (now_ns - start_ns < cpu_ns) {                                               \
			for (int i = 0; i < 5000; i++)                                             \
				sink = sink * 2862933555777941757 + 3037000493;                    \
			now_ns = steady_ns();                                                      \
		}                                                                                  \
		return now_ns - start_ns;                                                          \
	}

SPINNER(spend_most)
SPINNER(spend_some)
SPINNER(spend_little)

struct share_worker {
	pthread_t id;
	int64_t cpu_ns;
	struct spent spent;
};

/* If a procedure takes too long in one turn, it gets that much less in the next turn. */
static void *work(void *argument)
{
	struct share_worker *me = argument;
	struct spent *spent = &me->spent;

	for (int64_t goal_ns = turn_ns; goal_ns <= me->cpu_ns; goal_ns += turn_ns) {
		spent->most_ns += spend_most(goal_ns * 60 / 100 - spent->most_ns);
		spent->some_ns += spend_some(goal_ns * 30 / 100 - spent->some_ns);
		spent->little_ns += spend_little(goal_ns * 10 / 100 - spent->little_ns);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n_workers = atoi(argv[1]);
	struct share_worker *workers = calloc(n_workers, sizeof(*workers));
	struct spent sum = { 0 };
	FILE *truth;

	if (argc > 3)
		turn_ns = atol(argv[3]);
	for (int i = 0; i < n_workers; i++) {
		workers[i].cpu_ns = atol(argv[2]) * 1000000;
		pthread_create(&workers[i].id, NULL, work, &workers[i]);
	}
	for (int i = 0; i < n_workers; i++) {
		pthread_join(workers[i].id, NULL);
		sum.most_ns += workers[i].spent.most_ns;
		sum.some_ns += workers[i].spent.some_ns;
		sum.little_ns += workers[i].spent.little_ns;
	}
	truth = work_open_truth();
	fprintf(truth, "{\"procedures_ns\": {\"spend_most\": %lld, \"spend_some\": %lld, ",
		(long long)sum.most_ns, (long long)sum.some_ns);
	fprintf(truth, "\"spend_little\": %lld}}\n", (long long)sum.little_ns);
	fclose(truth);
	return 0;
}
