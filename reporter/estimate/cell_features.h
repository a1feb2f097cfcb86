/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the networks see of a cell, the same for any event. The last features are the words of the
 * event's name, if it has any of those that event_words.h knows; training hides them half the time.
 * Logarithms are log1p of rates; "base" is the log of the linear interpolation, and estimates enter
 * as differences from it. T slices, E events, F features.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_CELL_FEATURES_H
#define EVPROF_REPORTER_ESTIMATE_CELL_FEATURES_H

#include "reporter/estimate/event_features.h"
#include "reporter/estimate/event_words.h"

/* Part of every weights file: a file for other features is refused. */
#define EP_FEATURES_NAME "evprof-cells-2"

enum { EP_N_KERNELS = 5, EP_N_KERNEL_STATS = 7 };

/* Groups of features in their order; each is written by one function of cell_features.c. */
enum {
	EP_F_NEIGHBOURS = 0,                     /* 4 x (log of a sample, distance in gaps) */
	EP_F_INTERPOLANTS = EP_F_NEIGHBOURS + 8, /* pchip, linear between logs */
	EP_F_LEVEL = EP_F_INTERPOLANTS + 2,      /* base, its place among the samples, their form */
	EP_F_CONTEXT = EP_F_LEVEL + 6,    /* always-on rates now and around, against samples */
	EP_F_KERNELS = EP_F_CONTEXT + 10, /* 5 kernels x 7 statistics of similar slices */
	EP_F_SURGE = EP_F_KERNELS + EP_N_KERNELS * EP_N_KERNEL_STATS, /* the other groups' events */
	EP_F_POSITION = EP_F_SURGE + 9, /* idle slots, distance to the run's ends */
	EP_F_EVENT = EP_F_POSITION + 3, /* event_features.h, the name's words last */
	EP_N_FEATURES = EP_F_EVENT + EP_N_OUTLINE + EP_N_ENDS + EP_N_WORDS,
};

struct ep_features {
	size_t n_slices, n_events;
	float *x;     /* (E, T, F); zeros for always-on events and those without a sample */
	double *base; /* (E, T) */
};

int ep_features_init(struct ep_features *out, const struct ep_grid *grid);
void ep_features_finish(struct ep_features *features);

#endif
