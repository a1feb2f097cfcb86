/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills gaps. ep_fit() takes a series (T slices, E events, some cells measured), hides a part of the measured
 * cells, lets the estimators fill them, and keeps the best estimator for each event; ep_fit_fill() gives
 * every cell a value and a standard error. There is no global state; several threads may read one fit.
 * Everything here runs offline, in the reporter.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_ESTIMATE_H
#define EVPROF_REPORTER_ESTIMATE_ESTIMATE_H

#include "common/error.h"

#include <stddef.h>

struct ep_series {
	size_t n_slices, n_events;     /* T, E */
	const char *const *names;      /* (E) names of the events */
	const double *values;          /* (T, E) counts in the slice */
	const unsigned char *measured; /* (T, E) whether each cell was measured */
	/* (E) events measured in every slice, which are never filled */
	const unsigned char *always;
	/* index of an always-on event that measures a slice's length; -1: there is none */
	int clock;
	/* index of an always-on event that counts work, such as instructions; -1: there is none */
	int work;
};

struct ep_fit_options {
	const char *estimator; /* a name of ep_estimator_names(); NULL: "auto" */
	/* file of a network that replaces the built-in one of the same architecture; NULL: none */
	const char *weights_path;
};

struct ep_fit;

/* Chooses and calibrates estimators. Returns -EINVAL for an unknown name of an estimator, -ENOMEM, or the
 * error of reading weights_path. The series is not needed after the call. */
int ep_fit(const struct ep_series *series, const struct ep_fit_options *options,
	struct ep_fit **out_fit, struct ep_error *err) EP_MUST_CHECK;
void ep_fit_destroy(struct ep_fit *fit);

/* Writes values and errors, (T, E) each; either may be NULL. Measured cells have their measured value and
 * error 0; cells of an event that was never measured are NaN in both arrays. A 95 % interval is value +- 1.96
 * errors; no value is negative. */
void ep_fit_fill(const struct ep_fit *fit, double *values, double *errors);

/* Returns values and errors of one event, in the fit's memory: (T) each, NULL if the event was never
 * measured. shared: the part of the errors that all slices of a long gap have in common (long_gaps.h). The
 * shared parts of a gap's slices add up linearly, not as variances. shared is 0 in other slices; NULL if no
 * event has a long gap. */
struct ep_fit_row {
	const double *values, *errors, *shared;
};
struct ep_fit_row ep_fit_row(const struct ep_fit *fit, size_t event);

/* How one event was filled, and how well. */
struct ep_event_fit {
	/* the estimator's name; "measured" or "missing" if no estimator fills the event */
	const char *estimator;
	double coverage; /* share of slices that were measured */
	/* mean relative error r = |estimate - count| / count over hidden slices, where r above
	 * 1 counts as 1 + log r; NaN: not known */
	double holdout_error;
	double total;       /* sum over the whole series, measured and filled */
	double total_error; /* standard error of total */
	/* factor for correlated errors of neighbouring slices, as found by hiding samples: the variance of
	 * the sum of a range of slices is the sum of the values' variances times this factor */
	double inflation;
};
struct ep_event_fit ep_fit_event(const struct ep_fit *fit, size_t event);

/* ep_estimator_names() returns the names of all estimators, NULL-terminated, "auto" first.
 * ep_estimator_summary() returns a sentence about one of them. */
const char *const *ep_estimator_names(void);
const char *ep_estimator_summary(const char *name);
/* The names of all estimators except "auto", for help texts, messages, and the completion of shells. */
#define EP_ESTIMATORS_EXPECTED "fixed, linear, nonlinear, kernel, mlp or gru"
/* Checks the name of an estimator. -EINVAL for an unknown one, with all names in err. */
int ep_estimator_check(const char *name, struct ep_error *err) EP_MUST_CHECK;

/* Guesses which always-on events are the clock and the work, for a table that does not name them: sets
 * series->clock and series->work by usual names (CYC..., INS...); -1: there is none. */
void ep_series_guess(struct ep_series *series);

#endif
