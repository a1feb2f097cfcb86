/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The features of a cell, which are the inputs of the networks. Every event has the same list of features.
 * The last ones are the known words (event_words.h) of the event's name; training hides them half of the
 * time. Logarithms are log1p of rates; "base" is the log of the linear interpolation, and other estimates are
 * given as differences from the base. T slices, E events, F features.
 */
#ifndef EVPROF_REPORTER_ESTIMATE_CELL_FEATURES_H
#define EVPROF_REPORTER_ESTIMATE_CELL_FEATURES_H

#include "reporter/estimate/event_features.h"
#include "reporter/estimate/event_words.h"

/* A name that every weights file has: a file with another name is refused. */
#define EP_FEATURES_NAME "evprof-cells-2"

enum { EP_N_KERNELS = 5, EP_N_KERNEL_STATS = 7 };

/* Groups of features in their order; each is written by one function of cell_features.c. */
enum {
	/* 4 neighbouring samples: each one's log of the rate, and distance in mean gaps */
	EP_F_NEIGHBOURS = 0,
	/* estimates by pchip (interpolate.h), and by linear interpolation of logs */
	EP_F_INTERPOLANTS = EP_F_NEIGHBOURS + 8,
	/* base, and its difference from the samples' mean log; deviation, share of zeros and mean of the
	 * samples; mean gap */
	EP_F_LEVEL = EP_F_INTERPOLANTS + 2,
	/* rates of always-on events in the slice and its neighbours, compared with their rates at the event's
	 * samples */
	EP_F_CONTEXT = EP_F_LEVEL + 6,
	EP_F_KERNELS = EP_F_CONTEXT + 10, /* 5 kernels x 7 statistics of similar slices */
	/* levels of the events that other groups measured in the slice and its neighbours */
	EP_F_SURGE = EP_F_KERNELS + EP_N_KERNELS * EP_N_KERNEL_STATS,
	EP_F_POSITION = EP_F_SURGE + 9, /* idle issue slots, and distance to the run's ends */
	/* features of event_features.h, with the words of the name last */
	EP_F_EVENT = EP_F_POSITION + 3,
	EP_N_FEATURES = EP_F_EVENT + EP_N_OUTLINE + EP_N_ENDS + EP_N_WORDS,
};

struct ep_features {
	size_t n_slices, n_events;
	float *x;     /* (E, T, F) zeros for events that are always on or have no sample */
	double *base; /* (E, T) log of the linear interpolation */
};

int ep_features_init(struct ep_features *out, const struct ep_grid *grid);
void ep_features_finish(struct ep_features *features);

#endif
