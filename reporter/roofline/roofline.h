/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline of a run (Williams, Waterman and Patterson, CACM 52(4), 2009): operations per second over
 * operations per byte of memory traffic, of the run, its phases and its procedures, and the roof above
 * each.
 */
#ifndef EVPROF_REPORTER_ROOFLINE_ROOFLINE_H
#define EVPROF_REPORTER_ROOFLINE_ROOFLINE_H

#include "common/formula/model.h"
#include "reporter/facts/quantity.h"
#include "reporter/metrics/scopes.h"
#include "reporter/roofline/machine_roofs.h"

enum ep_roofline_kind {
	EP_ROOFLINE_RUN,
	EP_ROOFLINE_PHASE,
	EP_ROOFLINE_PROCEDURE,
	EP_ROOFLINE_LOOP
};

/* Which bytes an intensity is of. */
enum ep_roofline_traffic {
	EP_TRAFFIC_NONE,   /* none were counted */
	EP_TRAFFIC_MEMORY, /* to and from memory, all of them */
	EP_TRAFFIC_MISSES, /* lines that loads (and simulated stores) missed: the intensity is too high */
};

enum ep_roofline_bound { EP_BOUND_UNKNOWN, EP_BOUND_MEMORY, EP_BOUND_PEAK };

struct ep_roofline_point {
	enum ep_roofline_kind kind;
	char *name;
	double seconds;                /* in which flop was computed; NaN: no time is told */
	double n_cpus;                 /* that its roofs are of, 1 or more */
	struct ep_quantity flop, rate; /* operations, and per second */
	struct ep_quantity intensity;  /* operations for a byte */
	enum ep_roofline_traffic traffic;
	double per_access;           /* operations for a load or store; NaN: not counted */
	double scalar_share;         /* of flop; NaN: not known */
	enum ep_precision precision; /* of most of flop */
	/* Under the roofs; all unknown where there are none. */
	enum ep_roofline_bound bound;
	/* A peak bounds it for sure where memory does not even with all bytes that may not have been
	 * counted, up to bytes_factor times those that were. */
	bool is_bound_sure;
	double bytes_factor;
	struct ep_quantity ceiling;        /* what the lowest roof above it allows, per second */
	struct ep_quantity scalar_ceiling; /* the same of scalar code, where this one is scalar */
	struct ep_quantity reached;        /* rate over ceiling */
};

struct ep_roofline {
	struct ep_roofline_point *points; /* (n_points) the run, phases, then procedures or loops */
	uint32_t n_points, capacity;
	struct ep_machine_roofs roofs;
	bool is_simulated; /* by valgrind: the trace's times are the simulator's */
	char *time_source; /* another trace that the times are of; NULL: this one */
	double unread_share; /* of the instructions, in code that is in no file; 0: none, or not known */
	uint32_t n_without_flop; /* scopes that computed nothing, or of which it is not known */
	char *lacks;             /* why there is no point: the event that was not counted */
};

/* How long a scope took, where its own time is not what is wanted: replaces seconds and the error of
 * them. */
struct ep_roofline_time {
	double seconds, error_s; /* NaN: not known */
};

/* Adds a point of a scope that the flops model was evaluated on; none where it computed nothing. n_cpus: as in
 * the point. 0 or -ENOMEM. */
int ep_roofline_add(struct ep_roofline *roofline, enum ep_roofline_kind kind,
	const struct ep_metric_scope *scope, struct ep_model *model, double n_cpus,
	const struct ep_roofline_time *time) EP_MUST_CHECK;
void ep_roofline_finish(struct ep_roofline *roofline);

/* Finds what the roofs allow at this intensity. The tests call it, too. */
void ep_roofline_place(const struct ep_machine_roofs *roofs, struct ep_roofline_point *point);
/* "memory", "peak", "-" */
const char *ep_roofline_bound_name(enum ep_roofline_bound bound);
const char *ep_roofline_kind_name(enum ep_roofline_kind kind);

#endif
