// SPDX-License-Identifier: BSD-3-Clause
/*
 * pauses DEPTH N MS [MIB]: computes below DEPTH frames, going through MIB of memory at random,
 * until N signals have interrupted it, but for no longer than MS of CPU time, watching the clock
 * jump at every interruption. Prints how many signals came and what their interruptions took of its
 * CPU time, in us; then the same of the scheduler's ticks without one, and of other interruptions.
 * Where an empty handler (empty_handler.c) and another are preloaded, they take turns, each until
 * N: the first line is the empty one's and one for the other follows. Both are then of one process
 * at one time, since what an interruption takes differs from minute to minute by more than a
 * handler does. A signal that came with one of these ticks takes its share of them off, since the
 * tick comes without it, too. Other programs' turns are no part of a thread's CPU time and do not
 * count; nor does how fast the machine computes, which differs from run to run by more than a
 * profiler takes. That a signal came is seen by what the kernel leaves below the stack: no handler
 * of its own. The scheduler ticks at one phase of the clock: there most of what is no signal lies.
 */
#include "clocks.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PAUSE_NS 3000 /* a look at the clock takes 50, one at memory less than 500 */
/* More of it is the host's, which the kernel charges to the thread at times. */
#define LONGEST_NS 2000000
/* Below the stack, out of reach of a call of clock_gettime: a signal's frame lies across. */
#define MARKS_FROM 512
#define MARKS_TO 3584
#define MARK_STEP 64
#define MARK 0x6d61726b6d61726bu

#define N_PHASES 40 /* of a period of the scheduler's ticks */

struct kind {
	unsigned long n;
	int64_t cpu_ns;
};

static struct kind signals[2][N_PHASES], others[N_PHASES];
static unsigned long n_signals[2];
static unsigned turn;    /* whose signals come */
static unsigned n_early; /* of this turn: do not count yet */
static uint64_t tick_ns;
static uint64_t nothing, *memory = &nothing;
static uint64_t n_words = 1;
static struct {
	uint64_t cpu_ns, wall_ns;
} last_pause; /* its end */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void mark(uintptr_t frame)
{
	for (uintptr_t below = MARKS_FROM; below < MARKS_TO; below += MARK_STEP)
		*(volatile uint64_t *)(frame - below) = MARK;
}

static bool is_marked(uintptr_t frame)
{
	for (uintptr_t below = MARKS_FROM; below < MARKS_TO; below += MARK_STEP)
		if (*(volatile uint64_t *)(frame - below) != MARK)
			return false;
	return true;
}

static void begin_span(uintptr_t frame)
{
	mark(frame);
	last_pause.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	last_pause.wall_ns = clock_ns(CLOCK_MONOTONIC);
}

/* Between two pauses nothing else ran: CPU time beyond that wall time went to the pause. */
static void end_span(uintptr_t frame, uint64_t paused_at_ns)
{
	uint64_t phase = paused_at_ns % tick_ns * N_PHASES / tick_ns;
	struct kind *kind = is_marked(frame) ? &others[phase] : &signals[turn][phase];
	bool is_signal = kind != &others[phase];
	uint64_t before_ns = last_pause.cpu_ns, ran_ns = paused_at_ns - last_pause.wall_ns;
	int64_t taken_ns;

	begin_span(frame);
	taken_ns = (int64_t)(last_pause.cpu_ns - before_ns) - (int64_t)ran_ns;
	if (taken_ns < LONGEST_NS && !(is_signal && n_early)) {
		kind->cpu_ns += taken_ns;
		kind->n++;
		n_signals[turn] += is_signal;
	}
	if (is_signal && n_early)
		n_early--;
}

__attribute__((noinline)) static uint64_t leaf(uint64_t x)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	uint64_t before_ns;

	begin_span(frame);
	before_ns = last_pause.wall_ns;
	for (int i = 0; i < 20000; i++) {
		uint64_t now_ns;

		for (int k = 0; k < 8; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			memory[(x >> 33) % n_words] += x;
		}
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns - before_ns > PAUSE_NS) {
			end_span(frame, before_ns);
			now_ns = last_pause.wall_ns;
		}
		before_ns = now_ns;
	}
	return x;
}

/* Two call sites: paths fork at every level, but mostly go the same way. */
__attribute__((noinline)) static uint64_t descend(uint64_t x, unsigned left)
{
	if (!left)
		return leaf(x);
	x = (x & 0xff00) ? descend(x, left - 1) : descend(x + 1, left - 1);
	__asm__ volatile("" : "+r"(x));
	return x;
}

static void add(struct kind *sum, struct kind kind)
{
	sum->n += kind.n;
	sum->cpu_ns += kind.cpu_ns;
}

static struct kind sum_of(const struct kind *kinds, unsigned first, unsigned n)
{
	struct kind sum = { 0, 0 };

	for (unsigned i = 0; i < n; i++)
		add(&sum, kinds[(first + i) % N_PHASES]);
	return sum;
}

/* The ticks' phase, which may lie across two; with its neighbours, from here on. */
static unsigned first_phase_of_ticks(void)
{
	unsigned busiest = 0;

	for (unsigned i = 1; i < N_PHASES; i++)
		if (others[i].n > others[busiest].n)
			busiest = i;
	return (busiest + N_PHASES - 1) % N_PHASES;
}

static void print(struct kind kind)
{
	printf("%lu %.1f\n", kind.n, (double)kind.cpu_ns / 1e3);
}

static void print_all(unsigned n_turns)
{
	unsigned first = first_phase_of_ticks();
	struct kind ticks = sum_of(others, first, 3),
		    rest = sum_of(others, first + 3, N_PHASES - 3);

	for (unsigned i = 0; i < n_turns; i++) {
		struct kind all = sum_of(signals[i], 0, N_PHASES);

		if (ticks.n)
			all.cpu_ns -= (int64_t)sum_of(signals[i], first, 3).n * ticks.cpu_ns /
				      (int64_t)ticks.n;
		print(all);
	}
	print(ticks);
	print(rest);
}

/* ---- turns ---- */

/* A profiler that has had no tick for a turn begins with a long slice, a block to write, and
 * (evprof) another clock for 16 periods. The turn goes on for longer than a second's block where
 * ticks are few, so that each writes as many as it does otherwise. */
#define TICKS_OF_A_TURN 182
#define EARLY_TICKS 18

static struct clocks clocks[2]; /* the empty handler's, others' */

/* A single one is left alone. */
static unsigned find_turns(void)
{
	for (int i = 0; i < 2; i++) {
		clocks_find(&clocks[i], SIGRTMIN + EMPTY_SIGNAL, i);
		if (!(clocks[i].n_fds + clocks[i].n_timers))
			return 1;
	}
	clocks_switch(&clocks[1], false);
	return 2;
}

/* The ticks it has had when its turn ends. */
static unsigned long take_turns(unsigned long n_until)
{
	if (n_signals[turn] < n_until)
		return n_until;
	clocks_switch(&clocks[turn], false);
	turn = !turn;
	clocks_switch(&clocks[turn], true);
	n_early = EARLY_TICKS;
	return n_signals[turn] + TICKS_OF_A_TURN;
}

/* Written once, so that its pages are there. */
static void take_memory(uint64_t mib)
{
	uint64_t *words = malloc(mib << 20);

	if (!words)
		return;
	memory = words;
	n_words = (mib << 20) / sizeof(*memory);
	for (uint64_t i = 0; i < n_words; i++)
		memory[i] = i;
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	unsigned long n = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec tick;
	unsigned long n_until = TICKS_OF_A_TURN;
	uint64_t limit_ns = argc > 3 ? strtoull(argv[3], NULL, 10) * 1000000 : 0, x = 1;
	unsigned n_turns = find_turns();

	if (argc > 4)
		take_memory(strtoull(argv[4], NULL, 10));
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	tick_ns = (uint64_t)tick.tv_sec * 1000000000 + (uint64_t)tick.tv_nsec;
	limit_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while ((n_signals[0] < n || (n_turns == 2 && n_signals[1] < n)) &&
		clock_ns(CLOCK_THREAD_CPUTIME_ID) < limit_ns) {
		x = descend(x, depth);
		if (n_turns == 2)
			n_until = take_turns(n_until);
	}
	print_all(n_turns);
	return x == 0;
}
