/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a kernel's points with groups of events, and gives the counts. */
#ifndef EVPROF_KERNELS_MEASURE_MEASURE_H
#define EVPROF_KERNELS_MEASURE_MEASURE_H

#include "kernels/measure/kernel.h"
#include "kernels/measure/measure_table.h"
#include "kernels/measure/source.h"

/* The counts of G events in R repetitions by T threads at P points. */
struct ep_measurement {
	struct ep_run *run;
	const struct ep_count_source *source;
	size_t n_reps;
	double *values; /* (G, R, T, P) counts, with room for EP_COUNT_GROUP_MAX events */
};

int ep_measurement_init(struct ep_measurement *measurement, struct ep_run *run,
	const struct ep_count_source *source, size_t n_reps, struct ep_error *err) EP_MUST_CHECK;
/* Measures as many of the first events as can be counted together (*out_n) into values. Returns -EAGAIN if the counters
 * were shared with others in every try. */
int ep_measurement_group(struct ep_measurement *measurement, const struct ep_event *events,
	size_t n_events, size_t *out_n, struct ep_error *err) EP_MUST_CHECK;
void ep_measurement_finish(struct ep_measurement *measurement);

#endif
