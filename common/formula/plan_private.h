/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the contents of a plan, for the files that make and print plans. */
#ifndef EVPROF_COMMON_FORMULA_PLAN_PRIVATE_H
#define EVPROF_COMMON_FORMULA_PLAN_PRIVATE_H

#include "common/formula/pack.h"
#include "common/formula/plan.h"

enum ep_event_plan_state {
	EP_EVENT_PLAN_TOGETHER, /* all events of the metric are in one group */
	/* the metric needs more events than fit into a group: they are in several groups */
	EP_EVENT_PLAN_SPREAD,
	EP_EVENT_PLAN_CANNOT_TELL, /* the metric needs a parameter without a value */
};

struct ep_event_plan_metric {
	char *name, *model;
	uint32_t *events; /* (n_events) numbers of events */
	uint32_t n_events;
	enum ep_event_plan_state state;
	int group;       /* EP_EVENT_PLAN_TOGETHER: the first group that has all its events */
	char *parameter; /* EP_EVENT_PLAN_CANNOT_TELL: the missing parameter */
	bool is_shown;   /* false: it is an intermediate value */
};

struct ep_event_plan {
	struct ep_event_plan_metric *metrics; /* (n_metrics) metrics of all models */
	uint32_t n_metrics, metric_capacity;
	struct ep_names events; /* distinct names as in formulas */
	struct ep_need *needs;  /* (events.n_names) the counters that each event needs */
	uint32_t need_capacity;
	struct ep_names unlisted; /* events that the table lacks */
	uint32_t *always;         /* (pack.n_always) events of every group */
	struct ep_pack pack;
	struct ep_event_table table;
	bool needs_amount[EP_N_MACHINE_TIMES];
	uint64_t period_ns;
	bool (*is_known)(const char *name); /* is_known and with_codes are those of the request */
	bool with_codes;
	char *cpu;
};

/* A plan that is being made: first its table is read, then the always-on events are added, then the events of each
 * metric. The caller creates the plan, and destroys it if a step fails. */
struct ep_plan_maker {
	struct ep_event_plan *plan;
	const struct ep_event_plan_request *request;
	bool has_table; /* the plan's table has the CPU's events */
	struct ep_error *err;
};

/* Adds the table's always-on events. */
int ep_plan_maker_begin(struct ep_plan_maker *m) EP_MUST_CHECK;
/* Finds an event's number in the plan. A new event is added with the counters that it needs. */
int ep_plan_maker_find_event(
	struct ep_plan_maker *m, const char *name, uint32_t *out_event) EP_MUST_CHECK;
/* Adds a metric with room for max_events events. *out_metric is valid until the next metric is added. */
int ep_plan_maker_add_metric(struct ep_plan_maker *m, const char *name, const char *model,
	uint32_t max_events, struct ep_event_plan_metric **out_metric) EP_MUST_CHECK;
int ep_plan_metric_cannot_tell(struct ep_plan_maker *m, struct ep_event_plan_metric *metric,
	const char *parameter) EP_MUST_CHECK;
/* Adds the metrics of a formula file. */
int ep_plan_maker_add_file(struct ep_plan_maker *m, const char *path) EP_MUST_CHECK;
/* Packs all events into groups. */
int ep_plan_maker_finish(struct ep_plan_maker *m) EP_MUST_CHECK;

#endif
