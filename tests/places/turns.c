// SPDX-License-Identifier: BSD-3-Clause
/*
 * Procedures that take turns and count what they cause: the program drives the source "program", and
 * at its end prints its own account as lines "procedure event count", and "procedure time ns".
 *
 * usage: turns SHAPE TURN_US SECONDS. Shapes: two (also stretched: more of event 1), five, twenty procedures; tail calls, inlined ones,
 * recursion; threads with different mixes; phases in which the mix changes; bursts of a rare event.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/sources/program_pmu.h"

#define MAX_PROCEDURES 20
#define KNOWN_EVENTS 4

static __thread struct ep_program_counters mine;

__attribute__((visibility("default"))) struct ep_program_counters *ep_program_counters(void)
{
	return &mine;
}

struct account {
	uint64_t counts[KNOWN_EVENTS];
	uint64_t ns;
};

static __thread struct account own_accounts[MAX_PROCEDURES];
static struct account accounts[MAX_PROCEDURES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double turn_ns;
static double stretch = 1; /* of the rates, by phases */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Events per step: a procedure's own mix. Event 0 is as frequent everywhere; 1 belongs to even
 * procedures, 2 to every third one, 3 is rare and comes in bursts. */
#define STEP(name)                                                                                 \
	static inline __attribute__((always_inline)) void name(int procedure, uint64_t n_step)     \
	{                                                                                          \
		struct account *account = &own_accounts[procedure];                                \
		uint64_t n[KNOWN_EVENTS] = { 10, procedure % 2 ? 1 : 30, procedure % 3 ? 2 : 9,    \
			0 };                                                                       \
                                                                                                   \
		if (procedure == 1 && n_step % 4096 < 16)                                          \
			n[3] = 5;                                                                  \
		n[1] = (uint64_t)((double)n[1] * stretch);                                         \
		for (int e = 0; e < KNOWN_EVENTS; e++) {                                           \
			for (uint64_t i = 0; i < n[e]; i++)                                        \
				EP_PROGRAM_ADD(&mine, e, 1);                                       \
			account->counts[e] += n[e];                                                \
		}                                                                                  \
	}
STEP(step)
STEP(inlined_even)
STEP(inlined_odd)

/* A turn is a number of steps, the most that one of the first turns had time for. If it ended by the clock, ticks, which
 * take time and come where the armed event happens, would leave less work to the very procedures that they meet. */
#define LEARNT_TURNS 10

struct pace {
	uint32_t n_turns;
	uint64_t n_groups; /* of eight steps */
};

static inline __attribute__((always_inline)) bool goes_on(
	const struct pace *pace, uint64_t n_groups, uint64_t begin_ns)
{
	if (pace->n_turns >= LEARNT_TURNS)
		return n_groups < pace->n_groups;
	return (double)(now_ns() - begin_ns) < turn_ns;
}

static inline __attribute__((always_inline)) void run_by(
	int procedure, void (*make_step)(int procedure, uint64_t n_step))
{
	static __thread uint64_t n_steps[MAX_PROCEDURES];
	static __thread struct pace paces[MAX_PROCEDURES];
	struct pace *pace = &paces[procedure];
	uint64_t begin = now_ns(), n_groups = 0;

	do {
		for (int i = 0; i < 8; i++)
			make_step(procedure, n_steps[procedure]++);
		n_groups++;
	} while (goes_on(pace, n_groups, begin));
	if (pace->n_turns++ < LEARNT_TURNS && n_groups > pace->n_groups)
		pace->n_groups = n_groups;
	own_accounts[procedure].ns += now_ns() - begin;
}

static inline __attribute__((always_inline)) void run(int procedure)
{
	run_by(procedure, step);
}

/* GCC would make one of two procedures that are alike, and end tail_source in a jump only at -O2. */
#ifdef __clang__
#define APART __attribute__((noinline))
#define WITH_TAIL_CALLS __attribute__((noinline))
#else
#define APART __attribute__((noinline, no_icf))
#define WITH_TAIL_CALLS __attribute__((noinline, optimize("O2")))
#endif

#define PROCEDURE(n)                                                                               \
	APART static void p##n(void)                                                               \
	{                                                                                          \
		run(n);                                                                            \
		__asm__ volatile("");                                                              \
	}
PROCEDURE(0)
PROCEDURE(1)
PROCEDURE(2)
PROCEDURE(3)
PROCEDURE(4)
PROCEDURE(5)
PROCEDURE(6)
PROCEDURE(7)
PROCEDURE(8)
PROCEDURE(9)
PROCEDURE(10)
PROCEDURE(11)
PROCEDURE(12)
PROCEDURE(13)
PROCEDURE(14)
PROCEDURE(15)
PROCEDURE(16)
PROCEDURE(17)
PROCEDURE(18)
PROCEDURE(19)

static void (*const procedures[])(void) = { p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12,
	p13, p14, p15, p16, p17, p18, p19 };

/* p0 ends in a jump to tail_target, whose caller is then p0's. */
APART static void tail_target(void)
{
	run(1);
	__asm__ volatile("");
}

WITH_TAIL_CALLS static void tail_source(void)
{
	run(0);
	tail_target();
}

/* Two that call each other: what is counted in one is on the other's stack, too. */
static void recurse_odd(int depth);

APART static void recurse_even(int depth)
{
	run(0);
	if (depth)
		recurse_odd(depth - 1);
	__asm__ volatile("");
}

APART static void recurse_odd(int depth)
{
	run(1);
	if (depth)
		recurse_even(depth - 1);
	__asm__ volatile("");
}

/* All that it does is in the two that are inlined into it. */
APART static void inlines(void)
{
	run_by(0, inlined_even);
	run_by(1, inlined_odd);
	__asm__ volatile("");
}

static void take_turns(int n, int first, double seconds)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);

	while (now_ns() < end)
		for (int i = 0; i < n; i++)
			procedures[first + i]();
}

static void add_accounts(void)
{
	pthread_mutex_lock(&lock);
	for (int p = 0; p < MAX_PROCEDURES; p++) {
		for (int e = 0; e < KNOWN_EVENTS; e++)
			accounts[p].counts[e] += own_accounts[p].counts[e];
		accounts[p].ns += own_accounts[p].ns;
	}
	pthread_mutex_unlock(&lock);
}

static double seconds;

static void two(void)
{
	take_turns(2, 0, seconds);
}

/* Event 1 is five times as frequent. */
static void stretched(void)
{
	stretch = 5;
	two();
}

static void five(void)
{
	take_turns(5, 0, seconds);
}

static void twenty(void)
{
	take_turns(20, 0, seconds);
}

static void tails(void)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);

	while (now_ns() < end)
		tail_source();
}

static void recursion(void)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);

	while (now_ns() < end)
		recurse_even(9);
}

static void inlined(void)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);

	while (now_ns() < end)
		inlines();
}

static void *thread(void *argument)
{
	take_turns(2, *(int *)argument, seconds);
	add_accounts();
	return NULL;
}

static void threads(void)
{
	int firsts[2] = { 0, 3 };
	pthread_t ids[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, thread, &firsts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
}

static void phases(void)
{
	take_turns(2, 0, seconds / 3);
	stretch = 5;
	take_turns(2, 0, seconds / 3);
	stretch = 0.2;
	take_turns(3, 1, seconds / 3);
}

static const struct {
	const char *name;
	void (*run)(void);
} shapes[] = {
	{ "two", two },
	{ "stretched", stretched },
	{ "five", five },
	{ "twenty", twenty },
	{ "tails", tails },
	{ "recursion", recursion },
	{ "inlined", inlined },
	{ "threads", threads },
	{ "phases", phases },
};

static void print_accounts(const char *shape)
{
	for (int p = 0; p < MAX_PROCEDURES; p++) {
		char name[32];

		if (!accounts[p].ns)
			continue;
		snprintf(name, sizeof(name), "p%d", p);
		if (!strcmp(shape, "tails"))
			snprintf(name, sizeof(name), "%s", p ? "tail_target" : "tail_source");
		if (!strcmp(shape, "inlined"))
			snprintf(name, sizeof(name), "%s", p ? "inlined_odd" : "inlined_even");
		if (!strcmp(shape, "recursion"))
			snprintf(name, sizeof(name), "%s", p ? "recurse_odd" : "recurse_even");
		for (int e = 0; e < KNOWN_EVENTS; e++)
			printf("%s e%d %llu\n", name, e, (unsigned long long)accounts[p].counts[e]);
		printf("%s time %llu\n", name, (unsigned long long)accounts[p].ns);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: turns SHAPE TURN_US SECONDS\n");
		return 2;
	}
	turn_ns = strtod(argv[2], NULL) * 1000;
	seconds = strtod(argv[3], NULL);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].name, argv[1])) {
			shapes[i].run();
			add_accounts();
			print_accounts(argv[1]);
			return 0;
		}
	fprintf(stderr, "turns: no shape %s\n", argv[1]);
	return 2;
}
