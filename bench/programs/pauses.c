// SPDX-License-Identifier: BSD-3-Clause
/*
 * pauses DEPTH N MS [MIB [FAULTS]]: computes below DEPTH frames, going through MIB of memory at random,
 * and meets FAULTS fresh pages in 1,000 looks at the clock, until N signals have interrupted it, but for no longer than MS of CPU time, watching the clock
 * jump at every interruption. Prints how many signals came and what their interruptions took of its
 * CPU time, in us; then the same of the scheduler's ticks without one, and of other interruptions.
 * Where an empty handler (empty_handler.c) and another are preloaded, they take turns, each until
 * N: the first line is the empty one's and one for the other follows. Both are then of one process
 * at one time, since what an interruption takes differs from minute to minute by more than a
 * handler does. A signal that came with one of these ticks takes its share of them off, since the
 * tick comes without it, too. Other programs' turns are no part of a thread's CPU time and do not
 * count; nor does how fast the machine computes, which differs from run to run by more than a
 * profiler takes. That a signal came is seen by what the kernel leaves below the stack, or at the top
 * of an alternate stack that a preloaded library has set: no handler of its own. The scheduler ticks at one phase of the clock: there most of what is no signal lies.
 * A signal that came with a fresh page has the time of a page fault taken off, which is the program's.
 */
#include "clocks.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 3000       /* a look at the clock takes 50, one at memory less than 500 */
#define FAULT_PAUSE_NS 8000 /* of a look that meets a page; a fault takes 1000 to 3000 */
/* More of it is the host's, which the kernel charges to the thread at times. */
#define LONGEST_NS 2000000
/* Below the stack, out of reach of a call of clock_gettime: a signal's frame lies across. */
#define MARKS_FROM 512
#define MARKS_TO 3584
#define MARK_STEP 64
#define MARK 0x6d61726b6d61726bu
#define ALTERNATE_MARKS 1024 /* below its top: a frame is larger */

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

/* Few, so that giving them back is no pause. */
#define N_PAGES 16
#define PAGE_BYTES 4096

static unsigned looks_of_fault; /* between two of them; 0: there are none */
static volatile char *pages;
static unsigned n_met = N_PAGES;
/* Looks at the clock without a signal, those with a page fault apart: how many, and how long they take. */
static struct {
	uint64_t n;
	int64_t typical_ns;
} looks[2];

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uintptr_t alternate_top; /* 0: there is none */

/* Asked of the kernel: a preloaded library may hide its stack from sigaltstack. */
static void find_alternate_stack(void)
{
	stack_t now;

	if (!syscall(SYS_sigaltstack, NULL, &now) && !(now.ss_flags & SS_DISABLE))
		alternate_top = (uintptr_t)now.ss_sp + now.ss_size;
}

static void mark_below(uintptr_t top, uintptr_t from, uintptr_t to)
{
	for (uintptr_t below = from; below < to; below += MARK_STEP)
		*(volatile uint64_t *)(top - below) = MARK;
}

static bool is_marked_below(uintptr_t top, uintptr_t from, uintptr_t to)
{
	for (uintptr_t below = from; below < to; below += MARK_STEP)
		if (*(volatile uint64_t *)(top - below) != MARK)
			return false;
	return true;
}

static void mark(uintptr_t frame)
{
	mark_below(frame, MARKS_FROM, MARKS_TO);
	if (alternate_top)
		mark_below(alternate_top, MARK_STEP, ALTERNATE_MARKS);
}

static bool is_marked(uintptr_t frame)
{
	return is_marked_below(frame, MARKS_FROM, MARKS_TO) &&
	       (!alternate_top || is_marked_below(alternate_top, MARK_STEP, ALTERNATE_MARKS));
}

static void begin_span(uintptr_t frame)
{
	mark(frame);
	last_pause.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	last_pause.wall_ns = clock_ns(CLOCK_MONOTONIC);
}

/* Returns true where a page fault came with this look. */
static bool meet_page(unsigned look)
{
	if (!looks_of_fault || look % looks_of_fault)
		return false;
	if (n_met == N_PAGES) {
		madvise((void *)pages, N_PAGES * PAGE_BYTES, MADV_DONTNEED);
		n_met = 0;
		return false;
	}
	pages[(size_t)n_met++ * PAGE_BYTES] = 1;
	return true;
}

/* A median that follows the looks in small steps: a mean would be that of the few that the host held up. */
static void add_look(bool has_fault, uint64_t ns)
{
	int64_t step = looks[has_fault].typical_ns / 128 + 1;

	looks[has_fault].n++;
	looks[has_fault].typical_ns += (int64_t)ns > looks[has_fault].typical_ns ? step : -step;
}

static int64_t fault_ns(void)
{
	return looks[true].typical_ns - looks[false].typical_ns;
}

/* Between two pauses nothing else ran: CPU time beyond that wall time went to the pause. */
static void end_span(uintptr_t frame, uint64_t paused_at_ns, bool has_fault)
{
	uint64_t phase = paused_at_ns % tick_ns * N_PHASES / tick_ns;
	struct kind *kind = is_marked(frame) ? &others[phase] : &signals[turn][phase];
	bool is_signal = kind != &others[phase];
	uint64_t before_ns = last_pause.cpu_ns, ran_ns = paused_at_ns - last_pause.wall_ns;
	int64_t taken_ns;

	begin_span(frame);
	taken_ns = (int64_t)(last_pause.cpu_ns - before_ns) - (int64_t)ran_ns;
	if (has_fault && !is_signal && taken_ns < LONGEST_NS) {
		add_look(true, taken_ns > 0 ? (uint64_t)taken_ns : 0);
		return;
	}
	if (has_fault)
		taken_ns -= fault_ns();
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
		bool has_fault = meet_page((unsigned)i);
		uint64_t now_ns;

		for (int k = 0; k < 8; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			memory[(x >> 33) % n_words] += x;
		}
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns - before_ns > (has_fault ? FAULT_PAUSE_NS : PAUSE_NS)) {
			end_span(frame, before_ns, has_fault);
			now_ns = last_pause.wall_ns;
		} else {
			add_look(has_fault, now_ns - before_ns);
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
	uint64_t *words = mib ? malloc(mib << 20) : NULL;

	if (!words)
		return;
	memory = words;
	n_words = (mib << 20) / sizeof(*memory);
	for (uint64_t i = 0; i < n_words; i++)
		memory[i] = i;
}

static void take_pages(unsigned n_faults)
{
	void *fresh = mmap(NULL, N_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!n_faults || fresh == MAP_FAILED)
		return;
	madvise(fresh, N_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	pages = fresh;
	looks_of_fault = n_faults < 1000 ? 1000 / n_faults : 1;
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
	if (argc > 5)
		take_pages((unsigned)atoi(argv[5]));
	find_alternate_stack();
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
	if (looks_of_fault)
		printf("%lu %.1f\n", (unsigned long)looks[1].n,
			(double)looks[1].n * (double)fault_ns() / 1e3);
	return x == 0;
}
