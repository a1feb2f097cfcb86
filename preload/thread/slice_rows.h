/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's slices that are in no block yet, and their SAMPLES block. Used under the record's lock. */
#ifndef EVPROF_PRELOAD_THREAD_SLICE_ROWS_H
#define EVPROF_PRELOAD_THREAD_SLICE_ROWS_H

#include "preload/thread/thread.h"

struct ep_slice_row {
	uint64_t cpu_us;
	uint64_t wall_us;
	uint64_t idle_us;
	uint32_t node_idx;
	uint32_t group;
	uint32_t flags;
	uint32_t n_values;
	const uint64_t *values;
};

void ep_slice_rows_clear(struct ep_slice_rows *rows);

/* Tells whether the largest possible row would not fit any more. */
bool ep_slice_rows_are_full(const struct ep_slice_rows *rows);

/* Returns false where the row does not fit: the slice is lost. */
bool ep_slice_rows_add(struct ep_slice_rows *rows, const struct ep_slice_row *row);

/* Appends a SAMPLES block with all rows. */
void ep_slice_rows_append(const struct ep_thread *thread, struct ep_wire *wire);

#endif
