/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan's insides, shared by its makers and its printer. */
#ifndef EVPROF_COMMON_FORMULA_PLAN_PRIVATE_H
#define EVPROF_COMMON_FORMULA_PLAN_PRIVATE_H

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
	uint32_t n_metrics, metric_capacity;
	struct ep_names events; /* distinct names as formulas write them */
	struct ep_need *needs;  /* (events.n_names) */
	uint32_t need_capacity;
	struct ep_names unlisted; /* events that the table lacks */
	uint32_t *always;         /* (pack.n_always) */
	struct ep_pack pack;
	struct ep_event_table table;
	bool needs_amount[EP_N_MACHINE_TIMES];
	uint64_t period_ns;
	bool (*is_known)(const char *name); /* these two are of the request */
	bool with_codes;
	char *cpu;
};

/* A plan in the making: its table is read, then the always-on events are taken, then the events of each metric.
 * The caller creates the plan, and destroys it where a step failed. */
struct ep_plan_maker {
	struct ep_event_plan *plan;
	const struct ep_event_plan_request *request;
	bool has_table; /* of the CPU's events */
	struct ep_error *err;
};

/* Takes the table's always-on events. */
int ep_plan_maker_begin(struct ep_plan_maker *m) EP_MUST_CHECK;
/* The number of an event in the plan, with what it needs when it is new. */
int ep_plan_maker_find_event(
	struct ep_plan_maker *m, const char *name, uint32_t *out_event) EP_MUST_CHECK;
/* Adds a metric with room for max_events events; it is valid until the next one is added. */
int ep_plan_maker_add_metric(struct ep_plan_maker *m, const char *name, const char *model,
	uint32_t max_events, struct ep_event_plan_metric **out_metric) EP_MUST_CHECK;
int ep_plan_metric_cannot_tell(struct ep_plan_maker *m, struct ep_event_plan_metric *metric,
	const char *parameter) EP_MUST_CHECK;
/* The metrics of a formula file. */
int ep_plan_maker_add_file(struct ep_plan_maker *m, const char *path) EP_MUST_CHECK;
/* Packs all into groups. */
int ep_plan_maker_finish(struct ep_plan_maker *m) EP_MUST_CHECK;

#endif
