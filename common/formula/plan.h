/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes groups of events from models. The events of a formula are in one group if the counters allow it, the
 * constraints of counters are respected, and every group has the always-on events.
 */
#ifndef EVPROF_COMMON_FORMULA_PLAN_H
#define EVPROF_COMMON_FORMULA_PLAN_H

#include "common/formula/event_table.h"
#include "common/formula/model.h"
#include "common/trace.h"

struct ep_event_plan;

struct ep_event_plan_request {
	/* names in the catalog, or paths of formula files, such as "topdown,lcpi" */
	const char *models;
	const char *cpu;     /* the CPU's key; NULL: this machine's CPU */
	uint32_t n_counters; /* general counters to use; 0: the number of the CPU's event table */
	/* CPU time of a slice, for the printed figures; 0: these are not printed */
	uint64_t period_ns;
	/* Tells whether the counter source can encode a name; other events are opened by their codes. NULL: it can
	 * encode all names. */
	bool (*is_known)(const char *name);
	/* Tells whether a name that the CPU's table lacks is an event: returns 0, or an error. pmu: libpfm4's name of
	 * the CPU's PMU, or NULL. look_up NULL: each name is taken as an event. */
	int (*look_up)(const char *pmu, const char *name, struct ep_error *err);
	/* true: events of the CPU's table are written as NAME=rCODE. Then the counter source needs no library that
	 * knows the names; starting such a library takes more than 2 ms. */
	bool with_codes;
};

/* Reads models and the CPU's event table, and packs the events into groups. Returns -ENOENT if there is no such model
 * for this CPU (the message lists those that exist), -EINVAL for an event that neither the table nor look_up knows. */
int ep_event_plan_create(const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_event_plan_destroy(struct ep_event_plan *plan);

/* Tells whether a metric needs an amount that is read for the whole machine, and is in no group. */
bool ep_event_plan_needs_amount(const struct ep_event_plan *plan, enum ep_machine_time what);
/* Returns the number of general counters that the plan was made for. */
uint32_t ep_event_plan_n_counters(const struct ep_event_plan *plan);
/* Returns the most general counters that this CPU can have: those of a core that runs only one hardware thread. */
uint32_t ep_event_plan_most_counters(const struct ep_event_plan *plan);
/* Returns "EV1,EV2" of the always-on events that have fixed counters. Allocated; NULL: out of memory. */
char *ep_event_plan_fixed(const struct ep_event_plan *plan);
/* Returns the groups as "EV1,EV2;EV3,EV4", with names for the counter source. An event that must lead its group, since
 * others share its counter (slots), comes first, then the always-on events. Allocated; NULL: out of memory. */
char *ep_event_plan_events(const struct ep_event_plan *plan);
/* Prints the groups for the user, with coverage, the shortest phase that can be seen, the metrics whose events do not
 * fit into one group, and those that cannot be known on this CPU. */
void ep_event_plan_print(const struct ep_event_plan *plan, FILE *out);

/* Returns the default models of a CPU: its Top-Down and LCPI models, else software events. cpu NULL: this machine's.
 * The text is constant. */
const char *ep_event_plan_default_models(const char *cpu);

#endif
