/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The analysis of a data set: filters events, projects them, chooses some, solves for the metrics, rounds coefficients,
 * and judges the result. There are E events, P points, D dims (expectations), K chosen events and M metrics. The method
 * is that of the event-analysis paper (equations 3 to 5, algorithm 2), as docs/calibration.md interprets it.
 */
#ifndef EVPROF_KERNELS_DERIVE_DERIVE_H
#define EVPROF_KERNELS_DERIVE_DERIVE_H

#include "kernels/derive/qrcp.h"
#include "kernels/derive/screen.h"
#include "kernels/derive/set.h"
#include "kernels/derive/solve.h"

/* A metric is definable if its error before rounding is below this value, which separates definable metrics from others
 * in all known data sets. */
#define EP_DEFINABLE_ERROR 1e-8
/* Errors below this value are rounding noise, and are printed as "small". */
#define EP_SMALL_ERROR 1e-14

enum ep_fitness {
	/* the rounded combination equals the signature up to rounding noise */
	EP_FITNESS_EXACT,
	/* the metric is definable; the rounded combination differs as much as the machine's
	 * events do from their ideal */
	EP_FITNESS_CLOSE,
	EP_FITNESS_PARTIAL, /* the metric is not definable: a part of the signature is reached */
	EP_FITNESS_NONE,    /* the metric is not definable: no part of the signature is reached */
	EP_FITNESS_N,
};
extern const char *const ep_fitness_name[EP_FITNESS_N];

struct ep_derivation {
	const struct ep_set *set;
	struct ep_screen screen;
	size_t n_chosen;
	/* (K) chosen events; their member candidate is the index among all events */
	struct ep_pivot *pivots;
	double *x;                     /* (K, D) coordinates of chosen events in the basis */
	double *coefficients;          /* (M, K) least-squares coefficients */
	double *rounded;               /* (M, K) rounded coefficients; 0: rounded away */
	struct ep_signature_fit *fits; /* (M) error of each metric's fit */
};

/* Runs the analysis. set must outlive the derivation. */
int ep_derive(struct ep_derivation *derivation, const struct ep_set *set,
	struct ep_error *err) EP_MUST_CHECK;
void ep_derivation_finish(struct ep_derivation *derivation);
enum ep_fitness ep_derivation_fitness(const struct ep_derivation *derivation, size_t metric);
/* Writes a sentence that tells why a metric is not definable. */
void ep_derivation_explain(
	const struct ep_derivation *derivation, size_t metric, char *out, size_t size);

#endif
