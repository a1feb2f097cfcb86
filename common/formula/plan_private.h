/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan's insides, shared by its maker and its printer. */
#ifndef EVPROF_COMMON_FORMULA_PLAN_PRIVATE_H
#define EVPROF_COMMON_FORMULA_PLAN_PRIVATE_H

#include "common/formula/catalog.h"
#include "common/formula/pack.h"
#include "common/formula/plan.h"

enum ep_event_plan_state {
	EP_EVENT_PLAN_TOGETHER, /* all its events share a group */
	EP_EVENT_PLAN_SPREAD,   /* more events than counters: it is put together from several slices
				 */
	EP_EVENT_PLAN_CANNOT_TELL, /* needs a parameter that has no value on this CPU */
};

struct ep_event_plan_metric {
	char *name, *model;
	uint32_t *events; /* (n_events) */
	uint32_t n_events;
	enum ep_event_plan_state state;
	int group;       /* TOGETHER: the first group that has it */
	char *parameter; /* CANNOT_TELL: which */
	bool is_shown;   /* a metric of its tree, not an intermediate value */
};

struct ep_event_plan {
	struct ep_event_plan_metric *metrics; /* (n_metrics) */
	uint32_t n_metrics;
	struct ep_names events; /* distinct names as formulas write them */
	struct ep_need *needs;  /* (events.n_names) */
	uint32_t *always;       /* (pack.n_always) */
	struct ep_pack pack;
	struct ep_event_table table;
	bool needs_amount[EP_N_MACHINE_TIMES];
	uint64_t period_ns;
	bool (*is_known)(const char *name); /* of the request */
	char *cpu;
};

/* The counter source's name of an event. */
const char *ep_event_plan_open_name(const struct ep_event_plan *plan, uint32_t event);

#endif
