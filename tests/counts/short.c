/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * short threads|processes N US [US_ALONE]: makes N threads or processes, one after the other, each with US of CPU time:
 * 40, 20, 7 and 33 percent of it in four procedures, always in this order. With US_ALONE, every second one has US_ALONE
 * of CPU time instead, all of it in a fifth procedure. The truth is the CPU time of each procedure by the threads' own
 * clocks.
 */
#include "work.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { N_PROCEDURES = 5 };

static int64_t life_ns[2];
static int64_t *spent_ns; /* (N_PROCEDURES), shared by all processes, which run one at a time */

/* The clock is read only after many rounds, since each reading is a system call. */
#define SPENDER(name, idx)                                                                         \
	__attribute__((noinline)) static void name(int64_t end_ns)                                 \
	{                                                                                          \
		int64_t start_ns = work_cpu_ns(), now_ns = start_ns;                               \
		volatile uint64_t sink = 1;                                                        \
                                                                                                   \
		while (now_ns < end_ns) {                                                          \
			for (int i = 0; i < 5000; i++)                                             \
				sink = sink * 2862933555777941757 + 3037000493;                    \
			now_ns = work_cpu_ns();                                                    \
		}                                                                                  \
		spent_ns[idx] += now_ns - start_ns;                                                \
	}

SPENDER(spend_first, 0)
SPENDER(spend_second, 1)
SPENDER(spend_third, 2)
SPENDER(spend_fourth, 3)
SPENDER(spend_alone, 4)

static void *live(void *is_alone)
{
	int64_t start_ns = work_cpu_ns(), ns = life_ns[is_alone != NULL];

	if (is_alone) {
		spend_alone(start_ns + ns);
		return NULL;
	}
	spend_first(start_ns + ns * 40 / 100);
	spend_second(start_ns + ns * 60 / 100);
	spend_third(start_ns + ns * 67 / 100);
	spend_fourth(start_ns + ns);
	return NULL;
}

static void run_thread(void *is_alone)
{
	pthread_t id;

	pthread_create(&id, NULL, live, is_alone);
	pthread_join(id, NULL);
}

static void run_process(void *is_alone)
{
	pid_t pid = fork();

	if (!pid) {
		live(is_alone);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "spend_first", "spend_second", "spend_third",
		"spend_fourth", "spend_alone" };
	void (*run)(void *) = strcmp(argv[1], "threads") ? run_process : run_thread;
	FILE *truth;

	spent_ns = mmap(NULL, N_PROCEDURES * sizeof(*spent_ns), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spent_ns == MAP_FAILED)
		return 98;
	life_ns[0] = atol(argv[3]) * 1000;
	life_ns[1] = argc > 4 ? atol(argv[4]) * 1000 : 0;
	for (int i = 0; i < atoi(argv[2]); i++)
		run(life_ns[1] && i % 2 ? life_ns : NULL);
	truth = work_open_truth();
	fprintf(truth, "{\"procedures_ns\": {");
	for (int i = 0; i < N_PROCEDURES; i++)
		fprintf(truth, "%s\"%s\": %lld", i ? ", " : "", names[i], (long long)spent_ns[i]);
	fprintf(truth, "}}\n");
	fclose(truth);
	return 0;
}
