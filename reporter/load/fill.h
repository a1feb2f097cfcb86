/* SPDX-License-Identifier: BSD-3-Clause */
/* Fillers: all values that no slice measured come from one. */
#ifndef EVPROF_REPORTER_LOAD_FILL_H
#define EVPROF_REPORTER_LOAD_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Replicas of an estimate (delete-a-group jackknife, Kott 2001): each leaves out a part of the
 * measured slices. A prime, so that no rotation of groups falls on few of them. */
enum { EP_N_REPLICAS = 17 };

/* How one count would be another in up to three replicas. Of a sum add them up by replica: errors
 * of events that the same slices measured then go together, as they do. */
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
	const char *estimator; /* NULL: there was nothing to fill, or nothing to go by */
	double holdout_error;  /* mean relative error over hidden measured slices; NaN: not known */
	double variance;       /* of the stretch's sum; NaN: not known */
	uint32_t n_outliers;   /* measured counts far above the others */
};

/* A stretch of one thread's slices, in order. */
struct ep_stretch {
	uint32_t n_slices, n_events;
	const double *cpu_us; /* (n_slices) */
	double *values;       /* (n_slices, n_events) */
	uint8_t *state;       /* (n_slices, n_events), enum ep_value_state */
	/* (n_slices, n_events), 0 where measured; NaN: not known. NULL: all 0, for a filler that
	 * does not tell them */
	double *variances;
	struct ep_fill_quality *quality; /* (n_events) */
	/* Both are (n_slices). A place is the call site of the procedure and the piece of code that
	 * the slice ended in, or the call site and that of the slice before where they differ; and
	 * the call site alone. NULL but for fillers that use places */
	const uint64_t *places, *sites;
	struct ep_value_change *changes; /* (n_slices, n_events), zero; NULL as places */
	bool has_changes;                /* the filler has set them */
	bool is_whole;                   /* each slice measured each event: there are no gaps */
	/* (n_events) whether any count of a whole stretch is other than 0; NULL: not told */
	const bool *is_counted;
	uint32_t n_learnt; /* first slices that learn has seen */
	uint64_t seed;     /* of random choices; each stretch has its own */
};

struct ep_filler_ops;

/* The events of a process as a filler sees them, and what it works with. All that the pointers lead
 * to lasts as long. */
struct ep_fill_events {
	uint32_t n_events;
	const char **names;                 /* (n_events) */
	uint8_t *always;                    /* (n_events) */
	const struct ep_filler_ops *filler; /* the filler that gets them */
	void *context;                      /* filler_context of the load options */
	/* The bytes that the states of all processes hold together, so that fillers can keep to a
	 * limit. NULL: there is one process only. */
	size_t *n_bytes_of_all;
};

/* Fills what is missing and says so in state; what it has nothing to go by stays missing.
 * Stretches of a thread come in order, those of different threads mixed. */
struct ep_filler_ops {
	const char *name;
	/* Slices that it needs at once (0: any number), and the most that it takes where there is
	 * memory. */
	uint32_t n_slices, n_slices_most;
	bool uses_places;     /* and tells errors by changes */
	bool tells_variances; /* of single counts */
	/* State of a process, and of a thread. NULL: there is none, and the one below gets what the
	 * one above would be given: fill, at last, the list of events. */
	void *(*process_create)(struct ep_fill_events *events);
	void (*process_destroy)(void *process);
	void *(*thread_create)(void *process);
	void (*thread_destroy)(void *thread);
	/* Counts of the slices from n_learnt on, which wait for their turn, for the gaps of those
	 * before them; fill does not learn them again. May be NULL, as variances and changes are
	 * here. */
	void (*learn)(void *thread, const struct ep_stretch *stretch);
	void (*fill)(void *thread, struct ep_stretch *stretch);
};

/* The rate of the slice measured before holds until the next one (May 2001); before the first the
 * thread's first, and in a thread that never measured it, the process's mean. */
extern const struct ep_filler_ops ep_filler_fixed;

#endif
