/* SPDX-License-Identifier: BSD-3-Clause */
/* An event as a counter source takes it: its name and its encoding. */
#ifndef EVPROF_COUNTERS_EVENTS_EVENT_H
#define EVPROF_COUNTERS_EVENTS_EVENT_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define EP_EVENT_NAME_BYTES 120

enum ep_event_flag {
	EP_EVENT_ALWAYS = 1,   /* in every group */
	EP_EVENT_SOFTWARE = 2, /* counted by the kernel, needs no counter */
	EP_EVENT_LEADS = 4,    /* first of each group that names it (counters/plan/lead.h) */
	EP_EVENT_TICKS = 16,   /* its overflow can end a slice */
	EP_EVENT_LED = 8,      /* opens only in a group with such a leader */
};

struct ep_event {
	char name[EP_EVENT_NAME_BYTES]; /* as the user wrote it, modifiers included */
	char unit[8];                   /* "count", "ns", "J", ... */
	uint32_t flags;                 /* enum ep_event_flag */
	/* perf_event_attr's fields of the same names (perf source) */
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest;
	uint32_t column; /* sim source: column of the table; papi: code */
};

/*
 * Encodes one perf event by name: software events and the kernel's generic ones from a table of our
 * own (no library is loaded for them; case does not matter, '-' and '_' are alike); rHEX raw codes, as
 * NAME=rHEX under a name; pmu/field=value,.../ and pmu/alias/ through sysfs; any other name through libpfm4, which is loaded
 * on first use. Modifiers :u :k :h. What a guest of this thread executes is left out of events that
 * counters count. -ENOENT: unknown, the message gives the nearest names;
 * -ENOSYS: libpfm4 is not installed. Not for signal handlers.
 */
int ep_perf_encode(
	const char *name, struct ep_event *out_event, struct ep_error *err) EP_MUST_CHECK;

#endif
