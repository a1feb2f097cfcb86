/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gap filling. ep_fit() looks at a series (T slices, E events, some cells measured), hides part of
 * what was measured, lets the estimators fill it, and keeps the best for each event; ep_fit_fill()
 * gives every cell a value and a standard error. No global state; one fit may be read by several
 * threads. Everything here runs offline, in the reporter.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_ESTIMATE_H
#define EVPROF_REPORTER_ESTIMATE_ESTIMATE_H

#include "common/error.h"

#include <stddef.h>

struct ep_series {
	size_t n_slices, n_events;     /* T, E */
	const char *const *names;      /* (E) */
	const double *values;          /* (T, E) counts in the slice */
	const unsigned char *measured; /* (T, E) */
	const unsigned char *always;   /* (E) measured in every slice and never filled */
	int clock;                     /* event that gives a slice's length, always on; -1: none */
	int work;                      /* instructions or the like, always on; -1: none */
};

struct ep_fit_options {
	const char *estimator; /* a name of ep_estimator_names(), NULL for "auto" */
	const char
		*weights_path; /* a network to use in place of the built-in of its kind, or NULL */
};

struct ep_fit;

/* Chooses and calibrates. -EINVAL for an unknown estimator name, -ENOMEM. The series must outlive
 * the call only. */
int ep_fit(const struct ep_series *series, const struct ep_fit_options *options,
	struct ep_fit **out_fit, struct ep_error *err) EP_MUST_CHECK;
void ep_fit_destroy(struct ep_fit *fit);

/* values, errors: (T, E), either may be NULL. Measured cells come back as they were with error 0;
 * a cell of an event that was never measured is NaN in both. A 95 % interval is value +- 1.96
 * errors; no value is negative. */
void ep_fit_fill(const struct ep_fit *fit, double *values, double *errors);

/* The same of one event, in the fit's memory: (T) each, NULL where it was never measured. shared:
 * the part of errors that all slices of a long gap have in common, so that it adds up as a sum and
 * not as variances do; 0 elsewhere, NULL where no event has a long gap. */
struct ep_fit_row {
	const double *values, *errors, *shared;
};
struct ep_fit_row ep_fit_row(const struct ep_fit *fit, size_t event);

/* How one event was filled, and how well. */
struct ep_event_fit {
	const char *estimator; /* its name; "measured" or "missing" where none fills the event */
	double coverage;       /* share of slices that were measured */
	double holdout_error;  /* mean |estimate - count| / count over hidden slices (r above 1
				* counts  as 1 + log r), NaN: unknown */
	double total;          /* whole series, measured and filled */
	double total_error;    /* its standard error */
	/* Errors of neighbouring slices go together, as they did in the hold-out: the variance of
	 * any range's sum is the sum of the values' times this */
	double inflation;
};
struct ep_event_fit ep_fit_event(const struct ep_fit *fit, size_t event);

/* Every estimator, NULL-terminated, "auto" first; and a sentence for each. */
const char *const *ep_estimator_names(void);
const char *ep_estimator_summary(const char *name);
/* -EINVAL, with all the names, where it is none of them. */
int ep_estimator_check(const char *name, struct ep_error *err) EP_MUST_CHECK;

/* The always-on events of a table that names none: the clock and the work by their usual names
 * (CYC..., INS...) among the events where every slice is measured; -1 where there is none. */
void ep_series_guess(struct ep_series *series);

#endif
