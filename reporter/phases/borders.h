/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Borders of phases between samples, where windows alone are coarser: of the samples around a border that is known to
 * a window, those before are taken to be draws from the mix of procedures of the phase before, those behind from that
 * of the one behind; the border lies where that is most likely. One thread.
 */
#ifndef EVPROF_REPORTER_PHASES_BORDERS_H
#define EVPROF_REPORTER_PHASES_BORDERS_H

#include "reporter/phases/segment.h"

/* One draw from where the program ran: it was in that column at its end. */
struct ep_border_sample {
	double from_us, end_us; /* its slice began about then */
	uint32_t column;
};

struct ep_border_samples {
	const struct ep_border_sample *rows; /* (n_rows) by end_us */
	uint32_t n_rows, n_columns;
};

/* Moves the edges (n_windows + 1) that borders lie on, and borders to other edges. Where columns do not tell the two
 * phases apart, the border stays. 0 or -ENOMEM. */
int ep_borders_refine(const struct ep_border_samples *samples, double *edges_us,
	struct ep_segmentation *in) EP_MUST_CHECK;

#endif
