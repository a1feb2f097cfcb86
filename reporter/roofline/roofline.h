/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline model of a run (Williams, Waterman and Patterson, CACM 52(4), 2009) plots operations per second over
 * operations per byte of memory traffic, and compares each point with the roof above it. There are points for the
 * run, its phases, and its procedures or loops.
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

/* The kind of bytes that an intensity is computed from. */
enum ep_roofline_traffic {
	EP_TRAFFIC_NONE,   /* no bytes were counted */
	EP_TRAFFIC_MEMORY, /* all bytes to and from memory */
	/* only cache lines that loads (and simulated stores) missed; since other bytes are missing, the intensity is
	 * too high */
	EP_TRAFFIC_MISSES,
};

enum ep_roofline_bound { EP_BOUND_UNKNOWN, EP_BOUND_MEMORY, EP_BOUND_PEAK };

struct ep_roofline_point {
	enum ep_roofline_kind kind;
	char *name;
	double seconds;                /* time in which flop was computed; NaN: not known */
	double n_cpus;                 /* CPUs whose roofs limit the point, 1 or more */
	struct ep_quantity flop, rate; /* flop: number of operations; rate: operations per second */
	struct ep_quantity intensity;  /* operations per byte */
	enum ep_roofline_traffic traffic;
	double per_access;           /* operations per load or store; NaN: not counted */
	double scalar_share;         /* share of flop that is scalar; NaN: not known */
	enum ep_precision precision; /* precision of most operations */
	/* The members from here on compare the point with the roofs; all are unknown if there are no roofs. */
	enum ep_roofline_bound bound;
	/* Some kinds of bytes may not have been counted. A bound by memory is sure all the same. A bound by the peak
	 * is sure if memory would not be the lower roof even with bytes_factor times the bytes that were counted. */
	bool is_bound_sure;
	double bytes_factor;
	/* operations per second that the lowest roof above the point allows */
	struct ep_quantity ceiling;
	/* the same limit for scalar code; known only if the point's code is scalar */
	struct ep_quantity scalar_ceiling;
	struct ep_quantity reached; /* rate divided by ceiling */
};

struct ep_roofline {
	/* (n_points) the run first, then its phases, then procedures or loops */
	struct ep_roofline_point *points;
	uint32_t n_points, capacity;
	struct ep_machine_roofs roofs;
	bool is_simulated; /* valgrind recorded the trace, so its times are the simulator's */
	/* path of another trace from which the times are taken; NULL: this trace */
	char *time_source;
	/* share of instructions whose code is in no file, so that their operations are unknown; 0: none, or not
	 * known */
	double unread_share;
	/* scopes that have no operations, or whose operations are not known */
	uint32_t n_without_flop;
	/* name of an event that was not counted, so that there are no points; NULL: none */
	char *lacks;
};

/* The time that a scope took. */
struct ep_roofline_time {
	double seconds, error_s; /* NaN: not known */
};

/* Adds a point for a scope. The flops model is evaluated on the scope; if it has no operations, no point is added.
 * n_cpus is as in the point. Returns 0 or -ENOMEM. */
int ep_roofline_add(struct ep_roofline *roofline, enum ep_roofline_kind kind,
	const struct ep_metric_scope *scope, struct ep_model *model, double n_cpus,
	const struct ep_roofline_time *time) EP_MUST_CHECK;
void ep_roofline_finish(struct ep_roofline *roofline);

/* Finds the roof that limits the point at its intensity, and how far the point is below the roof. Tests call this
 * function, too. */
void ep_roofline_place(const struct ep_machine_roofs *roofs, struct ep_roofline_point *point);
/* Returns "memory", "peak" or "-". */
const char *ep_roofline_bound_name(enum ep_roofline_bound bound);
const char *ep_roofline_kind_name(enum ep_roofline_kind kind);

#endif
