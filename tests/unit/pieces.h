/* SPDX-License-Identifier: BSD-3-Clause */
/* Small traces of threads' slices, for what happens to them on the way through the loader. */
#ifndef EVPROF_TESTS_UNIT_PIECES_H
#define EVPROF_TESTS_UNIT_PIECES_H

#include "reporter/load/load.h"

enum { E = 3, MOST = 24 }; /* events: cycles always, a and b by turns; slices of a piece */

/* The rows of all pieces. */
extern struct ep_sample rows[MOST];
extern uint64_t values[MOST * E];

/* Slices of 1000 us that ran, below main's first call: cycles 10, a 20 or b 30. */
void make(uint32_t n_slices);

/* One block of a thread's slices. */
struct piece {
	int pid;
	uint32_t thread, n_slices;
	bool is_last; /* the thread ends, and its process */
};

/* As ep_trace_load, of a file that holds the pieces. */
int load_pieces(const struct ep_filler_ops *filler, const struct piece *pieces, size_t n_pieces,
	struct ep_trace **out_trace);

#endif
