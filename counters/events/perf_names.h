/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own event names: software, generic hardware and generic cache events. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_NAMES_H
#define EVPROF_COUNTERS_EVENTS_PERF_NAMES_H

#include <stdint.h>

#include "suggest.h"

struct ep_perf_name {
	const char *name;
	const char *alias; /* another name; NULL: none */
	uint32_t type;     /* perf_event_attr.type */
	uint64_t config;
	const char *unit;
	const char *description;
};

extern const struct ep_perf_name ep_perf_names[]; /* the last row has a NULL name */

/* Sets type, config and unit of the event with this name. Case does not matter, '-' equals '_', and a prefix
 * "PERF_COUNT_HW_" or "PERF_COUNT_SW_" is ignored. Returns -ENOENT for a name that is neither in the table nor a cache
 * event's. */
int ep_perf_name_find(const char *name, struct ep_event *out_event) EP_MUST_CHECK;

/* Calls see for each generic cache event name, in perf's spelling ("L1-dcache-load-misses"). */
void ep_perf_cache_walk(void (*see)(const char *name, uint64_t config, void *data), void *data);

void ep_perf_names_suggest(struct ep_suggest *suggest);

#endif
