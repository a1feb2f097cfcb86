// SPDX-License-Identifier: BSD-3-Clause
/*
 * walk [DEPTH]: ns per frame of a stack walked from a signal's context: ours, libunwind's
 * unw_step from the same context, and unw_backtrace (which stops at what it finds by itself).
 * First: with nothing cached; then the median of many.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "common/cleanup.h"
#include "preload/unwind/unwind.h"

enum { N_ROUNDS = 2001 };

static struct ep_stack_bounds bounds;
static double rounds_ns[N_ROUNDS];

static unsigned walk_ours(ucontext_t *uc)
{
	static struct ep_unwind_memory memory;
	struct ep_stack stack;

	ep_unwind(uc, bounds, &memory, &stack);
	return stack.n_frames;
}

static unsigned walk_steps(ucontext_t *uc)
{
	unw_cursor_t cursor;
	unsigned n = 0;
	unw_word_t ip;

	unw_init_local2(&cursor, (unw_context_t *)uc, UNW_INIT_SIGNAL_FRAME);
	do {
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		n++;
	} while (unw_step(&cursor) > 0);
	return n;
}

static unsigned walk_backtrace(ucontext_t *uc)
{
	void *addresses[256];

	(void)uc;
	return unw_backtrace(addresses, 256);
}

static const struct {
	const char *name;
	unsigned (*walk)(ucontext_t *uc);
} walkers[] = {
	{ "evprof", walk_ours },
	{ "unw_step", walk_steps },
	{ "unw_backtrace", walk_backtrace },
};

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	for (size_t k = 0; k < EP_ARRAY_SIZE(walkers); k++) {
		unsigned n_frames = 1;
		double first_ns;

		for (int i = 0; i < N_ROUNDS; i++) {
			double begin_ns = now_ns();

			n_frames = walkers[k].walk(context);
			rounds_ns[i] = now_ns() - begin_ns;
		}
		first_ns = rounds_ns[0];
		qsort(rounds_ns, N_ROUNDS, sizeof(rounds_ns[0]), by_value);
		printf("%-14s %3u frames: first %8.0f ns, then %6.0f ns, %6.1f ns a frame\n",
			walkers[k].name, n_frames, first_ns, rounds_ns[N_ROUNDS / 2],
			rounds_ns[N_ROUNDS / 2] / n_frames);
	}
}

__attribute__((noinline)) static int descend(int depth)
{
	int below = depth ? descend(depth - 1) : raise(SIGUSR1);

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	bounds.high = (uint64_t)argv;
	bounds.low = bounds.high - (8 << 20);
	sigaction(SIGUSR1, &action, NULL);
	return descend(argc > 1 ? atoi(argv[1]) : 15) == 0;
}
