/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which waits are noted. Noting one takes 4 us, and 40 us with cold caches, which is as much as a server does between
 * two waits: the first of a process are all noted, fewer of them where they are short, and then one for each 8 ms of
 * the thread's CPU time, or fewer where noting takes longer, and in a thread that has run for long: a hundred samples
 * tell its places apart, and after 2 s of CPU time one for each 32 ms goes on. The longer a wait, the likelier it is
 * chosen: the time waited has a point each step on average, and a wait is noted for the time of a step with each point
 * that is in it (Hansen and Hurwitz's estimator). What waits for a step or more is always noted, for itself. In the
 * thread itself.
 *
 * The step follows what the thread does. Intervals between points are exponential ones, in steps of the time at which
 * they pass: the past then says nothing of the next point, so that any wait stands for its own time on average,
 * whichever came before it and whatever the step is by then. Intervals that are more regular have steadier totals,
 * and a place that the thread comes to after the same others each time has a tenth too little or too much.
 */
#ifndef EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H
#define EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define EP_WAIT_CHOICE_FIRST 128        /* long waits of a process that are all noted at first */
#define EP_WAIT_CHOICE_FIRST_SHORT 16   /* and short ones */
#define EP_WAIT_CHOICE_LONG_NS 2000000  /* noting a longer wait takes at most a hundredth of it */
#define EP_WAIT_CHOICE_MAX_NS 100000000 /* a step at most */
#define EP_WAIT_CHOICE_CPU_NS 8000000   /* of CPU time pay for one noted wait, */
#define EP_WAIT_CHOICE_CPU_MAX_NS 32000000 /* and no more than these, */
#define EP_WAIT_CHOICE_CPU_PER_NS 256      /* ns of CPU time for each ns that noting takes */
#define EP_WAIT_CHOICE_CPU_PARTS                                                                   \
	64 /* parts of the thread's CPU time so far: one pays for a wait as well */

struct ep_wait_choice {
	uint64_t step_ns;  /* 0: all are noted */
	double left_steps; /* how many steps of waiting are left until the next point */
	uint64_t random;
	uint64_t waited_ns, cpu_ns; /* recent waiting and CPU time, from which the step follows */
	uint64_t all_cpu_ns;        /* since the thread began */
	uint64_t noting_ns;         /* a recent average of the time that noting one wait takes */
};

/* A thread begins. seed: another for each thread. */
void ep_wait_choice_start(struct ep_wait_choice *choice, uint64_t seed);

/* Returns the time that a wait that is over stands for; 0: it is not noted. */
uint64_t ep_wait_choice_take(struct ep_wait_choice *choice, uint64_t ns);

/* Returns the time that waits may take without a look from here on, each too short to be always noted. */
uint64_t ep_wait_choice_room(const struct ep_wait_choice *choice);

/* Notes that waits of ns in all, within that room, were passed over. */
void ep_wait_choice_pass(struct ep_wait_choice *choice, uint64_t ns);

/* Learns from a chosen wait. stands_ns: the time that it stood for; cpu_ns: the thread's CPU time since the chosen
 * wait before; is_first: one of the process's first, which have no points once there is a step. */
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
