// SPDX-License-Identifier: BSD-3-Clause
/*
 * Three ills that only a PMU's events show, on the PMU that a program drives itself: each loop adds what a CPU's
 * counters would have in it. Beside it runs a loop with as much time and none of that. Usage: counted NAME
 * ill|repaired. Of a cache line that two threads write to each load that comes behind the other thread's store is one
 * of a modified line; the store between is taken to be there before each load, as where both always run.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "counters/sources/program_pmu.h"

enum event { INSTRUCTIONS, CYCLES, BLOCKED_LOADS, CONTESTED_LOADS, ASSISTS };
enum { N_STEPS = 100000 }; /* of a turn: more than a slice, so that most slices hold one loop */

static __thread struct ep_program_counters mine;

__attribute__((visibility("default"))) struct ep_program_counters *ep_program_counters(void)
{
	return &mine;
}

static bool is_repaired;
static volatile uint64_t sink;

/* Each turn of every loop has these. */
#define COUNT_TURN()                                                                               \
	do {                                                                                       \
		EP_PROGRAM_ADD(&mine, INSTRUCTIONS, 8);                                            \
		EP_PROGRAM_ADD(&mine, CYCLES, 20);                                                 \
		sink += 1;                                                                         \
	} while (0)

__attribute__((noinline)) static void join_halves(void)
{
	for (int i = 0; i < N_STEPS; i++) { /* loop: store_to_load */
		COUNT_TURN();
		EP_PROGRAM_ADD(&mine, BLOCKED_LOADS, !is_repaired);
	}
}

__attribute__((noinline)) static void count_up(void)
{
	for (int i = 0; i < N_STEPS; i++) { /* loop: false_sharing */
		COUNT_TURN();
		EP_PROGRAM_ADD(&mine, CONTESTED_LOADS, !is_repaired);
	}
}

__attribute__((noinline)) static void damp(void)
{
	for (int i = 0; i < N_STEPS; i++) { /* loop: denormals */
		COUNT_TURN();
		EP_PROGRAM_ADD(&mine, ASSISTS, !is_repaired);
	}
}

__attribute__((noinline)) static void be_well(void)
{
	for (int i = 0; i < N_STEPS; i++) /* loop: none */
		COUNT_TURN();
}

static const struct {
	const char *name;
	void (*run)(void);
} ills[] = { { "store_to_load", join_halves }, { "false_sharing", count_up },
	{ "denormals", damp } };

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	double until_s = cpu_s() + 0.3;

	if (argc != 3)
		return 2;
	is_repaired = !strcmp(argv[2], "repaired");
	for (size_t i = 0; i < sizeof(ills) / sizeof(ills[0]); i++)
		while (!strcmp(ills[i].name, argv[1]) && cpu_s() < until_s) {
			ills[i].run();
			be_well();
		}
	return 0;
}
