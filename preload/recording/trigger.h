/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ticks by events: which event of the group that is on may end slices, and after how many of its
 * occurrences. In the signal handler.
 *
 * Slices end by time and, within a window between two such ticks, by the overflow of one armed event.
 * Its period is drawn anew at each overflow so that every occurrence has the same probability 2^-k,
 * independent of all before it: the places of the ticks are then a fair draw from the places of the
 * occurrences. Windows end by time alone: were they ended by the event, an event would be armed for
 * less time in the procedures where it is frequent.
 */
#ifndef EVPROF_PRELOAD_RECORDING_TRIGGER_H
#define EVPROF_PRELOAD_RECORDING_TRIGGER_H

#include "counters/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_trigger {
	int member;       /* of the group; -1: none is armed */
	uint32_t event;   /* of the event table */
	uint32_t rarity;  /* k */
	uint32_t n_ticks; /* in this window */
	uint64_t period;  /* the draw */
	bool ran_over; /* the draw ended more than once in the last slice: signals wait that belong to none */
	uint64_t chance;
	uint64_t n_windows[EP_PLAN_MAX_GROUPS]; /* in which the group was on */
};

/* seed: of the thread. */
void ep_trigger_init(struct ep_trigger *trigger, uint64_t seed);

/* A window begins: arms one of the group's events, each as often as any other of the plan, or none
 * before anything is known of the group. counts (the group's members): so far. */
void ep_trigger_choose(struct ep_trigger *trigger, const struct ep_plan *plan, uint32_t group,
	const uint64_t *counts);

/* A tick by time has ended a window of the group. */
static inline void ep_trigger_end_window(struct ep_trigger *trigger, uint32_t group)
{
	trigger->n_windows[group]++;
}

/* A slice has ended, however it did. counts (the group's members): of the slice. A draw that is shorter than our own
 * handler's part of the count ends again and again before the program goes on, and each end sends a signal: hundreds
 * wait then, also behind a tick by time. */
void ep_trigger_note_counts(struct ep_trigger *trigger, const uint64_t *counts);

/* After a slice within a window that the trigger did not end: its draw may begin anew, since how long it
 * has gone on says nothing of how long it will. */
void ep_trigger_go_on(struct ep_trigger *trigger);

/* After a tick of the trigger within a window: draws anew, more rarely where many came. */
void ep_trigger_again(struct ep_trigger *trigger);

/* For the sample's flags: what was armed, and how rarely it ends slices. */
uint32_t ep_trigger_flags(const struct ep_trigger *trigger);

/* The number of trials up to the first success of probability 2^-rarity, rarity at most
 * EP_RARITY_MAX: at least 1, 2^rarity on average. */
uint64_t ep_trigger_draw(uint64_t *chance, uint32_t rarity);

#endif
