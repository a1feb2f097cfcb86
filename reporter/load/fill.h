/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of fillers: every value that no slice measured comes from a filler. */
#ifndef EVPROF_REPORTER_LOAD_FILL_H
#define EVPROF_REPORTER_LOAD_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of replicas of an estimate (delete-a-group jackknife, Kott 2001); each replica leaves out a part
 * of the measured slices. It is a prime, so that a rotation of groups does not always fall on the same
 * replicas. */
enum { EP_N_REPLICAS = 17 };

/* The change of one count in up to three replicas. The changes of a sum are added up by replica: so errors of
 * events that were measured by the same slices are correlated as they should be. */
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
	/* name of the estimator; NULL: there was no gap, or nothing to estimate it from */
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
	/* Both are (n_slices), or NULL for fillers that do not use places. A place is a hash of the call site
	 * and the piece of code that the slice ended in; where the slice before ended at another call site,
	 * the place is a hash of both call sites. A site is the call site alone. */
	const uint64_t *places, *sites;
	/* (n_slices, n_events) zero at the start; NULL where places is NULL */
	struct ep_value_change *changes;
	bool has_changes; /* the filler has set changes */
	/* each slice measured each event, so that there are no gaps */
	bool is_whole;
	/* (n_events) whether an event of a whole stretch has any count other than 0; NULL: not known */
	const bool *is_counted;
	uint32_t n_learnt; /* how many of the first slices were shown to learn before */
	uint64_t seed;     /* seed of random choices; each stretch has its own */
};

struct ep_filler_ops;

/* The events of a process as a filler sees them, and the context that it works with. The objects behind the
 * pointers live as long as this struct. */
struct ep_fill_events {
	uint32_t n_events;
	const char **names;                 /* (n_events) names of the events */
	uint8_t *always;                    /* (n_events) whether each event is in every group */
	const struct ep_filler_ops *filler; /* the filler that gets them */
	void *context;                      /* filler_context of the load options */
	/* How many bytes the states of all processes hold together, so that fillers can obey a limit. NULL:
	 * there is one process only. */
	size_t *n_bytes_of_all;
};

/* Fills missing values and marks them in state; a value that it cannot estimate stays missing. Stretches of
 * one thread come in order; those of different threads are interleaved. */
struct ep_filler_ops {
	const char *name;
	/* How many slices the filler needs at once (0: any number), and how many it takes at most where there
	 * is memory. */
	uint32_t n_slices, n_slices_most;
	bool uses_places;     /* the filler uses places, and tells errors by changes */
	bool tells_variances; /* the filler tells the variance of each value */
	/* Create and destroy the states of a process and of a thread. A function that is NULL makes no state:
	 * the argument that it would get is passed on to the next level, and so fill may at last get the list
	 * of events. */
	void *(*process_create)(struct ep_fill_events *events);
	void (*process_destroy)(void *process);
	void *(*thread_create)(void *process);
	void (*thread_destroy)(void *thread);
	/* Shows slices from n_learnt on, which are not filled yet, so that gaps in earlier slices can be
	 * filled with their help; fill does not learn from them again. learn may be NULL, and variances and
	 * changes are NULL here. */
	void (*learn)(void *thread, const struct ep_stretch *stretch);
	void (*fill)(void *thread, struct ep_stretch *stretch);
};

/* Each gap gets the rate of the last slice that measured the event (May 2001). Before the first such slice
 * the rate of that first one is used; in a thread that never measured the event, the process's mean. */
extern const struct ep_filler_ops ep_filler_fixed;

#endif
