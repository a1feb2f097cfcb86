// SPDX-License-Identifier: BSD-3-Clause
// Procedures that take turns, each with its own mix of a Skylake's events: it drives the PMU of evpmu.c, and at its
// end prints its account as lines "procedure code amount".
//
// usage: mixes SHAPE STEPS ROUNDS. Shapes: two, five, twenty procedures; tail calls; inlined ones; two that recurse
// into each other; threads with different ones; phases in which the mix changes. A turn lasts STEPS steps.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "evpmu.h"

#define N_PROCEDURES 20
#define N_CODES 16
#define WORK                                                                                       \
	4000 // rounds of a loop between two calls: the program's time is to be its own, not the kernel's

// Codes as Intel's manual has them: event, unit mask << 8, edge << 18, counter mask << 24.
static const unsigned long codes[N_CODES] = {
	EVPMU_CYCLES,
	EVPMU_INSTRUCTIONS,
	0x10e,      // UOPS_ISSUED.ANY
	0x2c2,      // UOPS_RETIRED.RETIRE_SLOTS
	0x10d,      // INT_MISC.RECOVERY_CYCLES
	0x19c,      // IDQ_UOPS_NOT_DELIVERED.CORE
	0x400019c,  // IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE
	0xc5,       // BR_MISP_RETIRED.ALL_BRANCHES
	0x10401c3,  // MACHINE_CLEARS.COUNT
	0x2a6,      // EXE_ACTIVITY.1_PORTS_UTIL
	0x4a6,      // EXE_ACTIVITY.2_PORTS_UTIL
	0x40a6,     // EXE_ACTIVITY.BOUND_ON_STORES
	0x40004a3,  // CYCLE_ACTIVITY.STALLS_TOTAL
	0x140014a3, // CYCLE_ACTIVITY.STALLS_MEM_ANY
	EVPMU_CACHE_MISSES,
	EVPMU_L1D_LOAD_MISSES,
};

// Parts of 1,000 cycles that are bound by the front end, by wrong speculation, by memory, by nothing; in the codes' order.
static const unsigned long mixes[4][N_CODES] = {
	{ 1000, 900, 1200, 1200, 20, 2400, 500, 1, 0, 100, 100, 10, 100, 20, 1, 5 },
	{ 1000, 1100, 2200, 1200, 150, 400, 50, 30, 2, 200, 200, 10, 100, 30, 2, 10 },
	{ 1000, 300, 400, 400, 0, 200, 30, 1, 0, 50, 20, 40, 850, 800, 40, 90 },
	{ 1000, 3400, 3600, 3500, 10, 200, 20, 1, 0, 100, 300, 5, 50, 10, 0, 4 },
};

static int device;
static __thread unsigned long account[N_PROCEDURES][N_CODES];
static unsigned long accounts[N_PROCEDURES][N_CODES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_steps, n_rounds, shift;

// A turn of a procedure. The call of ioctl stands in the procedure itself, as an interrupt's address would. Debug
// information names each of these where it was inlined.
#define RUN(name)                                                                                  \
	static inline __attribute__((always_inline)) void name(int procedure)                      \
	{                                                                                          \
		const unsigned long *mix = mixes[(procedure + shift) % 4];                         \
		struct evpmu_amounts amounts;                                                      \
                                                                                                   \
		for (int i = 0; i < N_CODES; i++)                                                  \
			account[procedure][i] += mix[i] * (unsigned long)n_steps;                  \
		for (int i = 0; i < n_steps; i++) {                                                \
			long rc;                                                                   \
                                                                                                   \
			amounts.n = N_CODES;                                                       \
			for (int code = 0; code < N_CODES; code++) {                               \
				amounts.amounts[code].code = codes[code];                          \
				amounts.amounts[code].amount = mix[code];                          \
			}                                                                          \
			do {                                                                       \
				rc = 16;                                                           \
				__asm__ volatile(                                                  \
					"syscall"                                                  \
					: "+a"(rc)                                                 \
					: "D"((long)device), "S"((long)EVPMU_ADD), "d"(&amounts)   \
					: "rcx", "r11", "memory");                                 \
			} while (rc == EVPMU_REST);                                                \
			if (rc)                                                                    \
				abort();                                                           \
			for (int work = 0; work < WORK; work++)                                    \
				__asm__ volatile("");                                              \
		}                                                                                  \
	}
RUN(run)
RUN(inlined_even)
RUN(inlined_odd)

#define PROCEDURE(n)                                                                               \
	__attribute__((noinline, no_icf)) static void p##n(void)                                   \
	{                                                                                          \
		run(n);                                                                            \
		__asm__ volatile("");                                                              \
	}
// clang-format off
PROCEDURE(0) PROCEDURE(1) PROCEDURE(2) PROCEDURE(3) PROCEDURE(4) PROCEDURE(5) PROCEDURE(6)
PROCEDURE(7) PROCEDURE(8) PROCEDURE(9) PROCEDURE(10) PROCEDURE(11) PROCEDURE(12) PROCEDURE(13)
PROCEDURE(14) PROCEDURE(15) PROCEDURE(16) PROCEDURE(17) PROCEDURE(18) PROCEDURE(19)

static void (*const procedures[N_PROCEDURES])(void) = { p0, p1, p2, p3, p4, p5, p6, p7, p8, p9,
	p10, p11, p12, p13, p14, p15, p16, p17, p18, p19 };
// clang-format on

static void take_turns(int n, int first, int rounds)
{
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++)
			procedures[first + i]();
}

// Ends in a jump to p2, whose caller is then this one's.
__attribute__((noinline, optimize("O2"))) static void tail(void)
{
	run(1);
	p2();
}

static void run_tails(void)
{
	for (int r = 0; r < n_rounds; r++)
		tail();
}

#define DEPTH 9

static void odd(int depth);

__attribute__((noinline, no_icf)) static void even(int depth)
{
	run(1);
	if (depth)
		odd(depth - 1);
	__asm__ volatile("");
}

__attribute__((noinline, no_icf)) static void odd(int depth)
{
	run(2);
	if (depth)
		even(depth - 1);
	__asm__ volatile("");
}

static void run_inlined(void)
{
	for (int r = 0; r < n_rounds; r++) {
		inlined_even(1);
		inlined_odd(2);
	}
}

// In as many turns as elsewhere.
static void run_recursion(void)
{
	for (int r = 0; r < n_rounds * 2 / (DEPTH + 1); r++)
		even(DEPTH);
}

static void add_accounts(void)
{
	pthread_mutex_lock(&lock);
	for (int p = 0; p < N_PROCEDURES; p++)
		for (int i = 0; i < N_CODES; i++)
			accounts[p][i] += account[p][i];
	pthread_mutex_unlock(&lock);
}

static void *thread(void *first)
{
	take_turns(2, *(int *)first, n_rounds);
	add_accounts();
	return NULL;
}

static void run_threads(void)
{
	int firsts[2] = { 0, 2 };
	pthread_t ids[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, thread, &firsts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
}

static void run_two(void)
{
	take_turns(2, 1, n_rounds);
}

static void run_five(void)
{
	take_turns(5, 1, n_rounds);
}

static void run_twenty(void)
{
	take_turns(20, 0, n_rounds);
}

static void run_phases(void)
{
	for (shift = 0; shift < 3; shift++)
		take_turns(2, 1, n_rounds / 3);
}

// names: of the procedures whose accounts are those of 1 and 2; NULL: they have names of their own.
static const struct shape {
	const char *name;
	void (*run)(void);
	const char *names[2];
} shapes[] = {
	{ "two", run_two, { NULL } },
	{ "five", run_five, { NULL } },
	{ "twenty", run_twenty, { NULL } },
	{ "tails", run_tails, { "tail", "p2" } },
	// of the program that is built with debug information
	{ "inlined", run_inlined, { "inlined_even", "inlined_odd" } },
	{ "recursion", run_recursion, { "even", "odd" } },
	{ "threads", run_threads, { NULL } },
	{ "phases", run_phases, { NULL } },
};

static const struct shape *find_shape(const char *name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	return NULL;
}

static void print_account(const struct shape *shape, int p)
{
	char name[16];

	if (shape->names[0] && (p == 1 || p == 2))
		snprintf(name, sizeof(name), "%s", shape->names[p - 1]);
	else
		snprintf(name, sizeof(name), "p%d", p);
	for (int i = 0; i < N_CODES && accounts[p][0]; i++)
		printf("%s %#lx %lu\n", name, codes[i], accounts[p][i]);
}

int main(int argc, char **argv)
{
	const struct shape *shape = argc == 4 ? find_shape(argv[1]) : NULL;

	if (!shape) {
		fprintf(stderr, "usage: mixes SHAPE STEPS ROUNDS\n");
		return 2;
	}
	device = open("/dev/evpmu", O_RDWR | O_CLOEXEC);
	n_steps = atoi(argv[2]);
	n_rounds = atoi(argv[3]);
	if (device < 0) {
		fprintf(stderr, "mixes: no /dev/evpmu\n");
		return 2;
	}
	shape->run();
	add_accounts();
	for (int p = 0; p < N_PROCEDURES; p++)
		print_account(shape, p);
	return 0;
}
