/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which waits are noted. To note a wait takes 4 us, and 40 us with cold caches, which is as much as a server
 * works between two waits. So not all waits are noted. The first waits of a process are all noted (fewer of them where
 * they are short), and after that one for each 8 ms of the thread's CPU time. Fewer are noted where noting takes
 * longer, and in a thread that has run for long: a hundred samples are enough to compare its places. After 2 s of CPU
 * time one wait is noted for each 32 ms.
 *
 * The longer a wait, the more likely it is chosen. Random points are spread over the waited time, one in each step (a
 * length of waited time) on average. A wait is noted with the time of one step for each point within it (Hansen and
 * Hurwitz's estimator). A wait of a step or more is always noted, with its own time. All of this runs in the thread
 * itself.
 *
 * The step is adapted to the thread's behaviour. The intervals between points are exponential, measured in steps of the
 * present length. So the past says nothing about the next point, and each wait counts with its own time on average,
 * for any waits before it and for any step. More regular intervals would make totals steadier, but a
 * place that the thread always reaches after the same other waits would get a tenth too little or too much.
 */
#ifndef EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H
#define EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* the number of a process's first long waits, which are all noted */
#define EP_WAIT_CHOICE_FIRST 128
#define EP_WAIT_CHOICE_FIRST_SHORT 16 /* the number of its first short waits, which are all noted */
/* a wait of at least this is long: to note it takes at most a hundredth of its time */
#define EP_WAIT_CHOICE_LONG_NS 2000000
#define EP_WAIT_CHOICE_MAX_NS 100000000    /* the longest step */
#define EP_WAIT_CHOICE_CPU_NS 8000000      /* the least CPU time for each wait that is noted */
#define EP_WAIT_CHOICE_CPU_MAX_NS 32000000 /* the most CPU time for each wait that is noted */
#define EP_WAIT_CHOICE_CPU_PER_NS 256      /* ns of CPU time for each ns that noting takes */
#define EP_WAIT_CHOICE_CPU_PARTS                                                                   \
	64 /* a wait is noted for each such part of the thread's CPU time so far */

struct ep_wait_choice {
	uint64_t step_ns;  /* 0: all waits are noted */
	double left_steps; /* steps of waiting left until the next point */
	uint64_t random;
	/* recent waited time and CPU time, from which the step is computed */
	uint64_t waited_ns, cpu_ns;
	uint64_t all_cpu_ns; /* the CPU time since the thread began */
	uint64_t noting_ns;  /* a recent average of the time that noting one wait takes */
};

/* Starts the choice when a thread begins. seed: differs between threads. */
void ep_wait_choice_start(struct ep_wait_choice *choice, uint64_t seed);

/* Returns the time with which a finished wait is noted; 0: it is not noted. */
uint64_t ep_wait_choice_take(struct ep_wait_choice *choice, uint64_t ns);

/* Returns how much time waits may take from now on without a call of ep_wait_choice_take, since the next point comes
 * later. The time is at most a step: each of these waits is too short to be always noted. */
uint64_t ep_wait_choice_room(const struct ep_wait_choice *choice);

/* Reports that waits were passed over without ep_wait_choice_take. ns: their time together, at most the time that
 * ep_wait_choice_room returned. */
void ep_wait_choice_pass(struct ep_wait_choice *choice, uint64_t ns);

/* Learns from a chosen wait. stands_ns: the time with which it is noted; cpu_ns: the thread's CPU time since the last
 * chosen wait; is_first: the wait is one of the process's first, whose time is left out once there is a step. */
void ep_wait_choice_learn(
	struct ep_wait_choice *choice, uint64_t stands_ns, uint64_t cpu_ns, bool is_first);

/* Learns how long it took to note one wait. */
void ep_wait_choice_learn_cost(struct ep_wait_choice *choice, uint64_t ns);

/* Returns n / of, rounded up or down at random so that the result is n / of on average. */
uint64_t ep_wait_choice_round(struct ep_wait_choice *choice, uint64_t n, uint64_t of);

/* Tells whether a wait of this length may be chosen next. */
static inline bool ep_wait_choice_is_near(const struct ep_wait_choice *choice, uint64_t ns)
{
	return choice->left_steps * (double)choice->step_ns < 2 * (double)ns;
}

#endif
