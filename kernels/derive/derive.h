/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The analysis of a data set: filter, project, choose, solve, round, judge.
 * E events, P points, D dims, K chosen, M metrics. Source: the event-analysis paper (equations 3 to
 * 5, algorithm 2) with the readings of docs/calibration.md.
 */
#ifndef EVPROF_KERNELS_DERIVE_DERIVE_H
#define EVPROF_KERNELS_DERIVE_DERIVE_H

#include "kernels/derive/qrcp.h"
#include "kernels/derive/screen.h"
#include "kernels/derive/set.h"
#include "kernels/derive/solve.h"

/* Below this a metric's unrounded error means "definable" (separates all known data sets). */
#define EP_DEFINABLE_ERROR 1e-8
/* Errors below this are rounding noise: only "small". */
#define EP_SMALL_ERROR 1e-14

enum ep_fitness {
	EP_FITNESS_EXACT,   /* the rounded combination equals the signature to rounding noise */
	EP_FITNESS_CLOSE,   /* definable; the rounded one is off by what the machine's events are */
	EP_FITNESS_PARTIAL, /* not definable: some of the signature is reached */
	EP_FITNESS_NONE,    /* not definable: nothing of it is */
	EP_FITNESS_N,
};
extern const char *const ep_fitness_name[EP_FITNESS_N];

struct ep_derivation {
	const struct ep_set *set;
	struct ep_screen screen;
	size_t n_chosen;
	struct ep_pivot *pivots;       /* (K), candidate replaced by the event's index */
	double *x;                     /* (K, D), chosen events in the basis */
	double *coefficients;          /* (M, K) */
	double *rounded;               /* (M, K), 0 where rounded away */
	struct ep_signature_fit *fits; /* (M) */
};

/* set must outlive the derivation. */
int ep_derive(struct ep_derivation *derivation, const struct ep_set *set,
	struct ep_error *err) EP_MUST_CHECK;
void ep_derivation_finish(struct ep_derivation *derivation);
enum ep_fitness ep_derivation_fitness(const struct ep_derivation *derivation, size_t metric);
/* Why a metric is not definable, in words. */
void ep_derivation_explain(
	const struct ep_derivation *derivation, size_t metric, char *out, size_t size);

#endif
