/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Refines the borders of phases, which windows alone give only coarsely, to times between samples. The samples before
 * a border are taken as random draws from the mix of procedures of the phase before it, and those after the border as
 * draws from the mix of the phase after it. The border is moved to where these samples are most likely. One thread at
 * a time may refine borders.
 */
#ifndef EVPROF_REPORTER_PHASES_BORDERS_H
#define EVPROF_REPORTER_PHASES_BORDERS_H

#include "reporter/phases/segment.h"

/* A sample. column says in which procedure (or group of procedures) the program ran at end_us; times are since the run
 * began. */
struct ep_border_sample {
	double from_us, end_us; /* from_us: approximate beginning of its slice */
	uint32_t column;
};

struct ep_border_samples {
	const struct ep_border_sample *rows; /* (n_rows) sorted by end_us */
	uint32_t n_rows, n_columns;
};

/* Moves each border to a better time: to the nearest of the windows' edges (n_windows + 1), and that edge to the time.
 * A border stays as it is if the columns do not distinguish its two phases. Returns 0 or -ENOMEM. */
int ep_borders_refine(const struct ep_border_samples *samples, double *edges_us,
	struct ep_segmentation *in) EP_MUST_CHECK;

#endif
