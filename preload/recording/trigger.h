/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ticks by events: which event of the present group may end slices, and after how many occurrences. Runs in the signal
 * handler.
 *
 * Slices end by time and, within a window (the time between two ticks by time), by the overflow of one armed event. The
 * event's period is drawn anew at each overflow, so that every occurrence ends a slice with the same probability 2^-k,
 * independent of all occurrences before it. So the places of the ticks are an unbiased sample of the places of the
 * occurrences. Windows end by time alone: if
 * an event ended them, it would be armed for less time in procedures where it is frequent.
 */
#ifndef EVPROF_PRELOAD_RECORDING_TRIGGER_H
#define EVPROF_PRELOAD_RECORDING_TRIGGER_H

#include "counters/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_trigger {
	int member;       /* the armed event's index in the group; -1: none is armed */
	uint32_t event;   /* the armed event's index in the plan's events */
	uint32_t rarity;  /* k: an occurrence ends a slice with probability 2^-k */
	uint32_t n_ticks; /* ticks of the event in this window */
	uint64_t period;  /* occurrences until the next tick, as drawn */
	/* the last slice had at least twice as many occurrences as period: further signals are pending */
	bool ran_over;
	uint64_t chance;
	uint64_t n_windows[EP_PLAN_MAX_GROUPS]; /* windows in which each group was on */
};

/* Sets a trigger to its state at a thread's start. seed: differs between threads. */
void ep_trigger_init(struct ep_trigger *trigger, uint64_t seed);

/* Begins a window: arms one of the group's events, or none in the group's first window, before which it has no counts.
 * All events of the plan are armed equally often. counts: the sums so far, one for each event of the group. */
void ep_trigger_choose(struct ep_trigger *trigger, const struct ep_plan *plan, uint32_t group,
	const uint64_t *counts);

/* Notes that a tick by time has ended a window of the group. */
static inline void ep_trigger_end_window(struct ep_trigger *trigger, uint32_t group)
{
	trigger->n_windows[group]++;
}

/* Notes the counts of a slice that has ended for any reason. counts: the slice's, one for each event of the group. If
 * the event occurs more often than period in evprof's own handler, the period ends again and again before the program
 * goes on, and each end sends a signal. Then hundreds of signals are pending, also after a tick by time. */
void ep_trigger_note_counts(struct ep_trigger *trigger, const uint64_t *counts);

/* Draws another period after a slice within a window that the trigger did not end. This is correct, since the
 * occurrences so far say nothing about the number of occurrences that are left. */
void ep_trigger_go_on(struct ep_trigger *trigger);

/* Draws another period after a tick of the trigger within a window. After many ticks, later ones become rarer. */
void ep_trigger_again(struct ep_trigger *trigger);

/* Returns the sample's flags: which event was armed, and how rarely it ends slices. */
uint32_t ep_trigger_flags(const struct ep_trigger *trigger);

/* Draws the number of trials up to the first success of probability 2^-rarity: at least 1, 2^rarity on average. rarity:
 * EP_RARITY_MAX at most. */
uint64_t ep_trigger_draw(uint64_t *chance, uint32_t rarity);

#endif
