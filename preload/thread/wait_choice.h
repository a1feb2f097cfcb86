/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which waits are noted. To note a wait takes 4 us, and 40 us with cold caches, which is as much as a server
 * works between two waits. The first waits of a process are all noted (fewer of them where they are short), and after
 * that one for each 8 ms of the thread's CPU time. There are fewer where noting takes longer, and in a thread that has
 * run for long: a hundred samples are enough to compare its places, and after 2 s of CPU time one is noted for each 32
 * ms.
 *
 * The longer a wait, the more likely it is chosen. The waited time has random points, one in each step on average; a
 * wait is noted with the time of one step for each point within it (Hansen and Hurwitz's estimator). A wait of a step
 * or more is always noted, with its own time. All of this runs in the thread itself.
 *
 * The step follows the thread's behaviour. The intervals between points are exponential, measured in steps of the
 * present length: so the past says nothing about the next point, and each wait counts with its own time on average,
 * whatever waits came before it and whatever the step is then. More regular intervals would make totals steadier, but a
 * place that the thread always reaches after the same other waits would get a tenth too little or too much.
 */
#ifndef EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H
#define EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* the first long waits of a process are all noted: this many */
#define EP_WAIT_CHOICE_FIRST 128
#define EP_WAIT_CHOICE_FIRST_SHORT 16 /* the first short waits that are all noted */
/* noting a wait longer than this takes at most a hundredth of it */
#define EP_WAIT_CHOICE_LONG_NS 2000000
#define EP_WAIT_CHOICE_MAX_NS 100000000    /* the longest step */
#define EP_WAIT_CHOICE_CPU_NS 8000000      /* the CPU time for each wait that is noted, at least */
#define EP_WAIT_CHOICE_CPU_MAX_NS 32000000 /* the CPU time for each wait that is noted, at most */
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

/* Returns how much time waits may take from now on without ep_wait_choice_take; each of them is too short to be always
 * noted. */
uint64_t ep_wait_choice_room(const struct ep_wait_choice *choice);

/* Reports that waits of ns together, within that time, were passed over. */
void ep_wait_choice_pass(struct ep_wait_choice *choice, uint64_t ns);

/* Learns from a chosen wait. stands_ns: the time with which it is noted; cpu_ns: the thread's CPU time since the last
 * chosen wait; is_first: one of the process's first waits, which do not count in the waited time once there is a step. */
void ep_wait_choice_learn(
	struct ep_wait_choice *choice, uint64_t stands_ns, uint64_t cpu_ns, bool is_first);

/* Learns how long it took to note one wait. */
void ep_wait_choice_learn_cost(struct ep_wait_choice *choice, uint64_t ns);

/* Returns n / of, rounded up or down so that it is right on average. */
uint64_t ep_wait_choice_round(struct ep_wait_choice *choice, uint64_t n, uint64_t of);

/* Tells whether a wait of this length may be chosen next. */
static inline bool ep_wait_choice_is_near(const struct ep_wait_choice *choice, uint64_t ns)
{
	return choice->left_steps * (double)choice->step_ns < 2 * (double)ns;
}

#endif
