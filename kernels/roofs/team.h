/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs threads on separate CPUs that begin the same work together, and measures their speed. */
#ifndef EVPROF_KERNELS_ROOFS_TEAM_H
#define EVPROF_KERNELS_ROOFS_TEAM_H

#include "kernels/micro/roofs.h"
#include "kernels/roofs/roofs.h"

/* The work of each thread: it repeats a round of peak, or a chunk of stream. */
struct ep_team_work {
	const struct ep_peak_kernel *peak; /* NULL: the work is stream */
	ep_stream_fn stream;
	/* for each thread; array_bytes is a multiple of chunk_bytes */
	size_t n_arrays, array_bytes, chunk_bytes;
	/* operations of a round, or bytes of a chunk in all arrays, by one thread */
	double amount;
};

/* Finds the best rate of n_repetitions by wall time, from the first thread's start to the last one's end: a repetition
 * that is interrupted takes longer, and so is not the best. Memory is mapped anew. Returns 0, -ENOMEM or -EAGAIN. */
int ep_team_run(const struct ep_cal_machine *machine, size_t n_threads,
	const struct ep_team_work *work, unsigned n_repetitions, double *out) EP_MUST_CHECK;

#endif
