/* SPDX-License-Identifier: BSD-3-Clause */
/* An event for a counter source: its name and its encoding. */
#ifndef EVPROF_COUNTERS_EVENTS_EVENT_H
#define EVPROF_COUNTERS_EVENTS_EVENT_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define EP_EVENT_NAME_BYTES 120

enum ep_event_flag {
	EP_EVENT_ALWAYS = 1,   /* the event is in every group */
	EP_EVENT_SOFTWARE = 2, /* the kernel counts the event without a hardware counter */
	/* the event is the first of each group that names it (counters/plan/lead.h) */
	EP_EVENT_LEADS = 4,
	EP_EVENT_TICKS = 16, /* the event's overflow can end a slice */
	EP_EVENT_LED = 8,    /* the event opens only in a group with a leader (EP_EVENT_LEADS) */
};

struct ep_event {
	char name[EP_EVENT_NAME_BYTES]; /* the name as the user wrote it, with modifiers */
	char unit[8];                   /* "count", "ns", "J", ... */
	uint32_t flags;                 /* bits of enum ep_event_flag */
	/* perf_event_attr's fields of the same names (perf source) */
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest;
	uint32_t column; /* sim source: the table's column; papi: the event's code */
};

/*
 * Encodes a perf event by its name. Software events and the kernel's generic events are in a table of evprof (no
 * library is loaded for them; case does not matter, and '-' equals '_'). rHEX is a raw code, NAME=rHEX a raw code with
 * a name. pmu/field=value,.../ and pmu/alias/ are found in sysfs. Other names are passed to libpfm4, which is loaded at
 * its first use. Modifiers are :u :k :h. Hardware events do not count what a KVM guest of this thread executes. Returns
 * -ENOENT for an unknown name, with the nearest names in the message, or -ENOSYS if libpfm4 is needed and not
 * installed. Must not be called in signal handlers.
 */
int ep_perf_encode(
	const char *name, struct ep_event *out_event, struct ep_error *err) EP_MUST_CHECK;

#endif
