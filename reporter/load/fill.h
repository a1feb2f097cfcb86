/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of fillers: every value that no slice measured comes from a filler. */
#ifndef EVPROF_REPORTER_LOAD_FILL_H
#define EVPROF_REPORTER_LOAD_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of replicas of an estimate (delete-a-group jackknife, Kott 2001); each replica leaves out a part
 * of the measured slices. It is a prime: groups take turns, and so the slices of one group could otherwise
 * all fall on the same few replicas. */
enum { EP_N_REPLICAS = 17 };

/* The change of one count in up to three replicas: by[k] in replica[k]. The changes of a sum are added up for
 * each replica separately, so that the errors of events that the same slices measured are correlated. */
struct ep_value_change {
	float by[3];
	uint8_t replica[3];
};

enum ep_value_state {
	EP_VALUE_MISSING,
	EP_VALUE_MEASURED,
	EP_VALUE_FILLED,
};

/* How well one event's gaps in a stretch were filled. */
struct ep_fill_quality {
	/* name of the estimator; NULL: there was no gap, or no count to estimate gaps from */
	const char *estimator;
	/* mean relative error of estimates for measured slices that were hidden from the
	 * filler; NaN: not known */
	double holdout_error;
	double variance;     /* variance of the stretch's sum; NaN: not known */
	uint32_t n_outliers; /* number of measured counts that are far above the others */
};

/* A stretch of one thread's slices, in order. */
struct ep_stretch {
	uint32_t n_slices, n_events;
	const double *cpu_us; /* (n_slices) CPU time of each slice */
	double *values;       /* (n_slices, n_events) counts, measured or filled */
	uint8_t *state;       /* (n_slices, n_events), enum ep_value_state */
	/* (n_slices, n_events) variances of the values: 0 where measured, NaN where not known. NULL: all 0,
	 * for a filler that does not tell variances */
	double *variances;
	struct ep_fill_quality *quality; /* (n_events) quality of each event's estimates */
	/* Both arrays are (n_slices), or NULL for fillers that do not use places. A place is a hash of the
	 * call site and the piece of code that the slice ended in; if the slice before ended at another call
	 * site, the place is a hash of the two call sites. A site is a hash of the call site alone. */
	const uint64_t *places, *sites;
	/* (n_slices, n_events) zero at the start; NULL where places is NULL */
	struct ep_value_change *changes;
	bool has_changes; /* the filler has set changes */
	/* each slice measured each event, so that there are no gaps */
	bool is_whole;
	/* (n_events) whether an event of a whole stretch has any count other than 0; NULL: not known */
	const bool *is_counted;
	uint32_t n_learnt; /* the filler's learn has seen the first n_learnt slices */
	uint64_t seed;     /* seed of random choices; each stretch has its own */
};

struct ep_filler_ops;

/* The events of a process as a filler sees them, and the filler's context. The objects behind the pointers
 * live as long as this struct. */
struct ep_fill_events {
	uint32_t n_events;
	const char **names;                 /* (n_events) names of the events */
	uint8_t *always;                    /* (n_events) whether each event is in every group */
	const struct ep_filler_ops *filler; /* the filler that gets this struct */
	void *context;                      /* filler_context of the load options */
	/* How many bytes the states of all processes hold together, so that fillers can obey a limit. NULL:
	 * there is one process only. */
	size_t *n_bytes_of_all;
};

/* A filler. Its function fill sets missing values and marks them in state; a value that cannot be estimated
 * stays missing. Stretches of one thread come in order; those of different threads are interleaved. */
struct ep_filler_ops {
	const char *name;
	/* How many slices the filler needs at once (0: any number), and how many it takes at most where there
	 * is memory. */
	uint32_t n_slices, n_slices_most;
	bool uses_places;     /* the filler uses places, and sets changes */
	bool tells_variances; /* the filler tells the variance of each value */
	/* Create and destroy the states of a process and of a thread. Where process_create is NULL,
	 * thread_create gets the process's events; where thread_create is NULL, learn and fill get the
	 * process's state, or its events if there is no such state. */
	void *(*process_create)(struct ep_fill_events *events);
	void (*process_destroy)(void *process);
	void *(*thread_create)(void *process);
	void (*thread_destroy)(void *thread);
	/* Shows the filler the slices from n_learnt on before their gaps are filled, so that it can use what
	 * they measured for gaps in other slices; fill does not learn from them again. learn may be NULL.
	 * variances and changes may be NULL here. */
	void (*learn)(void *thread, const struct ep_stretch *stretch);
	void (*fill)(void *thread, struct ep_stretch *stretch);
};

/* Each gap gets the rate of the last slice of the thread that measured the event (May 2001). Gaps before the
 * first such slice get that slice's rate; if the thread has not measured the event yet, gaps get the mean
 * rate of the process. */
extern const struct ep_filler_ops ep_filler_fixed;

#endif
