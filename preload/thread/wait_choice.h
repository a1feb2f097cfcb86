/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which waits are noted. Noting one takes 4 us, and 20 us with cold caches, which is as much as a server does
 * between two waits: the first of a process are all noted, fewer of them where they are short, and then one for
 * each 4 ms of the thread's CPU time. The longer a wait, the likelier it is chosen: the time waited has a point
 * each step on average, and a wait is noted for the time of a step with each point that is in it (Hansen and
 * Hurwitz's estimator). What waits for a step or more is always noted, for itself. In the thread itself.
 *
 * The step follows what the thread does. Intervals between points are exponential ones, in steps of the time at
 * which they pass: the past then says nothing of the next point, so that any wait stands for its own time on
 * average, whichever came before it and whatever the step is by then. Intervals that are more regular have steadier
 * totals, and a place that the thread comes to after the same others each time has a tenth too little or too much.
 */
#ifndef EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H
#define EVPROF_PRELOAD_THREAD_WAIT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define EP_WAIT_CHOICE_FIRST 128       /* long ones of a process, all noted */
#define EP_WAIT_CHOICE_FIRST_SHORT 16  /* short ones, too */
#define EP_WAIT_CHOICE_LONG_NS 2000000 /* from here on noting one takes a hundredth of it at most */
#define EP_WAIT_CHOICE_MAX_NS 100000000 /* a step at most */
#define EP_WAIT_CHOICE_CPU_NS 4000000   /* of CPU time pay for one that is noted */

struct ep_wait_choice {
	uint64_t step_ns;  /* 0: all are noted */
	double left_steps; /* of waiting until the next point */
	uint64_t random;
	uint64_t waited_ns, cpu_ns; /* of late, from which follows the step */
};

/* A thread begins. seed: another for each thread. */
void ep_wait_choice_start(struct ep_wait_choice *choice, uint64_t seed);

/* Returns the time that a wait that is over stands for; 0: it is not noted. */
uint64_t ep_wait_choice_take(struct ep_wait_choice *choice, uint64_t ns);

/* Time that waits may take from here on without a look, each too short to be chosen for itself. */
uint64_t ep_wait_choice_room(const struct ep_wait_choice *choice);

/* Waits of that room, ns in all, were passed over. */
void ep_wait_choice_pass(struct ep_wait_choice *choice, uint64_t ns);

/* Learns from one that was chosen. stands_ns: the time that it stood for; cpu_ns: the thread's CPU time since the one
 * chosen before; is_first: of the process's first, which have no points once there is a step. */
void ep_wait_choice_learn(
	struct ep_wait_choice *choice, uint64_t stands_ns, uint64_t cpu_ns, bool is_first);

/* n / of, or one more, so that it is right on average. */
uint64_t ep_wait_choice_round(struct ep_wait_choice *choice, uint64_t n, uint64_t of);

/* A wait as long as this one would perhaps be chosen next. */
static inline bool ep_wait_choice_is_near(const struct ep_wait_choice *choice, uint64_t ns)
{
	return choice->left_steps * (double)choice->step_ns < 2 * (double)ns;
}

#endif
