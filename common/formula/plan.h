/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From models to groups of events: the events of one formula share a slice wherever the counters
 * allow it, constraints are respected, the always-on events are in every group.
 */
#ifndef EVPROF_COMMON_FORMULA_PLAN_H
#define EVPROF_COMMON_FORMULA_PLAN_H

#include "common/formula/event_table.h"
#include "common/formula/model.h"
#include "common/trace.h"

struct ep_event_plan;

struct ep_event_plan_request {
	const char *models;  /* "topdown,lcpi": names of the catalog, or paths of formula files */
	const char *cpu;     /* key; NULL: this machine's */
	uint32_t n_counters; /* general counters to use; 0: what the CPU's event table says */
	uint64_t period_ns;  /* CPU time of a slice, for the printed figures; 0: not printed */
	/* Whether the counter source can encode a name; events that it cannot are opened by their
	 * codes. NULL: it can. */
	bool (*is_known)(const char *name);
	/* Tells whether a name that the CPU's table lacks is an event. pmu: libpfm4's name of the CPU's PMU, or
	 * NULL. NULL: the caller cannot tell, and each name is taken for an event. */
	int (*look_up)(const char *pmu, const char *name, struct ep_error *err);
	/* Events of the CPU's table as NAME=rCODE: the counter source needs no library that knows
	 * the names, whose start alone takes more than 2 ms. */
	bool with_codes;
};

/* Reads models and the CPU's event table and packs. -ENOENT: no such model for this CPU (the
 * message lists what there is); -EINVAL: an event that neither the table nor look_up has. */
int ep_event_plan_create(const struct ep_event_plan_request *request, struct ep_event_plan **out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_event_plan_destroy(struct ep_event_plan *plan);

/* Tells whether a metric needs an amount that is read for the whole machine and by no group. */
bool ep_event_plan_needs_amount(const struct ep_event_plan *plan, enum ep_machine_time what);
/* Returns the number of general counters that the plan was made for. */
uint32_t ep_event_plan_n_counters(const struct ep_event_plan *plan);
/* Returns the most general counters that this CPU can have, as where its cores run one hardware thread each. */
uint32_t ep_event_plan_most_counters(const struct ep_event_plan *plan);
/* Makes "EV1,EV2" of the always-on events that have fixed counters. Allocated; NULL: out of memory. */
char *ep_event_plan_fixed(const struct ep_event_plan *plan);
/* "EV1,EV2;EV3,EV4": groups, names as the counter source takes them. An event that others of its
 * group need as leader (slots) comes first, then the always-on events. Allocated; NULL: out of
 * memory. */
char *ep_event_plan_events(const struct ep_event_plan *plan);
/* Prints for people the groups, the coverage, the shortest phase, the metrics that no single group can hold, and
 * those that cannot be known on this CPU. */
void ep_event_plan_print(const struct ep_event_plan *plan, FILE *out);

/* Returns the models that a CPU gets where the user names none: its Top-Down and LCPI, else software events. cpu
 * NULL: this machine's. A constant text. */
const char *ep_event_plan_default_models(const char *cpu);

#endif
