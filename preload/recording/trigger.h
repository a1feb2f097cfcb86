/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ticks by events: which event of the present group may end slices, and after how many occurrences. Runs in the signal
 * handler.
 *
 * Slices end by time and, within a window between two such ticks, by the overflow of one armed event. Its period is
 * drawn anew at each overflow, so that every occurrence has the same probability 2^-k, independent of all before it:
 * the places of the ticks are then an unbiased sample of the places of the occurrences. Windows end by time alone: if
 * an event ended them, it would be armed for less time in procedures where it is frequent.
 */
#ifndef EVPROF_PRELOAD_RECORDING_TRIGGER_H
#define EVPROF_PRELOAD_RECORDING_TRIGGER_H

#include "counters/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct ep_trigger {
	int member;       /* the armed event's index in the group; -1: none is armed */
	uint32_t event;   /* the armed event's index in the event table */
	uint32_t rarity;  /* k: an occurrence ends a slice with probability 2^-k */
	uint32_t n_ticks; /* ticks of the event in this window */
	uint64_t period;  /* occurrences until the next tick, as drawn */
	/* the draw ended more than once in the last slice: further signals are pending */
	bool ran_over;
	uint64_t chance;
	uint64_t n_windows[EP_PLAN_MAX_GROUPS]; /* windows in which each group was on */
};

/* Sets a trigger to its start. seed: differs between threads. */
void ep_trigger_init(struct ep_trigger *trigger, uint64_t seed);

/* Begins a window: arms one of the group's events, or none before anything is known of the group. All events of the
 * plan are armed equally often. counts (the group's members): the counts so far. */
void ep_trigger_choose(struct ep_trigger *trigger, const struct ep_plan *plan, uint32_t group,
	const uint64_t *counts);

/* Notes that a tick by time has ended a window of the group. */
static inline void ep_trigger_end_window(struct ep_trigger *trigger, uint32_t group)
{
	trigger->n_windows[group]++;
}

/* Notes the counts of a slice that has ended for any reason. counts (the group's members): of the slice. A draw that is
 * shorter than the count in evprof's own handler ends again and again before the program goes on, and each end sends a
 * signal. Hundreds are pending then, also behind a tick by time. */
void ep_trigger_note_counts(struct ep_trigger *trigger, const uint64_t *counts);

/* Draws anew after a slice within a window that the trigger did not end. This is allowed, since the time that a draw
 * has taken says nothing about the time that is left. */
void ep_trigger_go_on(struct ep_trigger *trigger);

/* Draws anew after a tick of the trigger within a window; later ticks become rarer where many came. */
void ep_trigger_again(struct ep_trigger *trigger);

/* Returns the sample's flags: which event was armed, and how rarely it ends slices. */
uint32_t ep_trigger_flags(const struct ep_trigger *trigger);

/* Draws the number of trials up to the first success of probability 2^-rarity: at least 1, 2^rarity on average. rarity:
 * EP_RARITY_MAX at most. */
uint64_t ep_trigger_draw(uint64_t *chance, uint32_t rarity);

#endif
