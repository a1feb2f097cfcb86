/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the attributes of an event for perf_event_open. Allowed in any context, signal handlers included. */
#ifndef EVPROF_COUNTERS_EVENTS_PERF_ATTR_H
#define EVPROF_COUNTERS_EVENTS_PERF_ATTR_H

#include <linux/perf_event.h>

#include "counters/events/event.h"

/* Returns the attributes that the event's encoding determines. The caller sets the others, such as read_format and
 * disabled. */
static inline struct perf_event_attr ep_perf_attr_of(const struct ep_event *event)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.exclude_user = event->exclude_user,
		.exclude_kernel = event->exclude_kernel,
		.exclude_hv = event->exclude_hv,
		.exclude_guest = event->exclude_guest,
	};
}

#endif
