/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own event names: software, generic hardware, generic cache events. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_NAMES_H
#define EVPROF_COUNTERS_EVENTS_PERF_NAMES_H

#include <stdint.h>

#include "suggest.h"

struct ep_perf_name {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;     /* perf_event_attr.type */
	uint64_t config;
	const char *unit;
	const char *description;
};

extern const struct ep_perf_name ep_perf_names[]; /* ends with a NULL name */

/* Fills type, config, unit of the event called name (case and '-' or '_' do not matter; a prefix
 * "PERF_COUNT_HW_" or "PERF_COUNT_SW_" may stand before it). -ENOENT when it is not one. */
int ep_perf_name_find(const char *name, struct ep_event *out_event) EP_MUST_CHECK;

/* Calls see for each generic cache event name, in perf's spelling ("L1-dcache-load-misses"). */
void ep_perf_cache_walk(void (*see)(const char *name, uint64_t config, void *data), void *data);

void ep_perf_names_suggest(struct ep_suggest *suggest);

#endif
