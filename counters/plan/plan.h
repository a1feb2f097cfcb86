/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a recording: the event table and the groups, which are the same for all threads of a process tree. */
#ifndef EVPROF_COUNTERS_PLAN_PLAN_H
#define EVPROF_COUNTERS_PLAN_PLAN_H

#include "common/error.h"

#include "counters/events/event.h"

#include <stdbool.h>
#include <stdint.h>

#define EP_PLAN_MAX_EVENTS 128
#define EP_PLAN_MAX_GROUPS 32
#define EP_GROUP_MAX_EVENTS 32
/* the most events of all groups together; an always-on event counts once for each group */
#define EP_PLAN_MAX_SLOTS 512
#define EP_PLAN_NOTES_BYTES 2048

struct ep_group {
	uint32_t n_events;
	uint8_t events[EP_GROUP_MAX_EVENTS]; /* indexes into the event table */
	uint16_t first_slot;                 /* index into per-thread arrays of EP_PLAN_MAX_SLOTS */
};

struct ep_plan {
	uint32_t n_events;
	uint32_t n_groups;
	uint32_t n_slots;
	struct ep_group groups[EP_PLAN_MAX_GROUPS];
	struct ep_event events[EP_PLAN_MAX_EVENTS];
	/* what the user must know, for the trace's META line: notes separated by '\n', without one at the end */
	char notes[EP_PLAN_NOTES_BYTES];
};

/* Tells whether the overflow of some event can end slices. */
bool ep_plan_has_triggers(const struct ep_plan *plan);

void ep_plan_note(struct ep_plan *plan, const char *format, ...) EP_PRINTF(2, 3);

/* Notes that an event is not counted, in one line with the events before it that have the same reason. */
void ep_plan_note_event(struct ep_plan *plan, const char *name, const char *reason);

/* Tells whether the table has an event of this column (for sources whose events have columns). */
bool ep_plan_has_column(const struct ep_plan *plan, uint32_t column);

/* Appends an event. Returns its index; -1: the table is full. */
int ep_plan_add_event(struct ep_plan *plan, const struct ep_event *event);

/* Appends a group. Returns 0 or -E2BIG. */
int ep_plan_add_group(struct ep_plan *plan, const uint8_t *events, uint32_t n_events) EP_MUST_CHECK;

/* Splits text at ',' and ';' into names, and calls callback with each name and the number of its group. The number is
 * -1 if text has no ';': the groups are then found by trying. Commas inside pmu/a=1,b=2/ do not separate. Stops where
 * the callback does not return 0, and returns its value. */
typedef int (*ep_plan_name_fn)(const char *name, int group, void *argument);
int ep_plan_split(const char *text, ep_plan_name_fn callback, void *argument);

#endif
