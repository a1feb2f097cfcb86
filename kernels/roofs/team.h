/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads on CPUs of their own that begin the same work together, and how fast they were. */
#ifndef EVPROF_KERNELS_ROOFS_TEAM_H
#define EVPROF_KERNELS_ROOFS_TEAM_H

#include "kernels/micro/roofs.h"
#include "kernels/roofs/roofs.h"

/* Each thread repeats a round of peak, or a chunk of stream. */
struct ep_team_work {
	const struct ep_peak_kernel *peak; /* else stream */
	ep_stream_fn stream;
	size_t n_arrays, array_bytes, chunk_bytes; /* each thread's; chunks of an array fill it */
	double amount; /* operations, or bytes, of one repetition by one thread */
};

/* The best rate of n_repetitions by the clock on the wall, from the first thread's start to the last one's
 * end: an interrupted repetition takes longer and does not count. Memory is mapped anew. -ENOMEM, -EAGAIN. */
int ep_team_run(const struct ep_cal_machine *machine, size_t n_threads,
	const struct ep_team_work *work, unsigned n_repetitions, double *out) EP_MUST_CHECK;

#endif
