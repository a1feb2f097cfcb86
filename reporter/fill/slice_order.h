/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders the slices of a stretch so that slices with the same key are adjacent. */
#ifndef EVPROF_REPORTER_FILL_SLICE_ORDER_H
#define EVPROF_REPORTER_FILL_SLICE_ORDER_H

#include <stdint.h>

struct ep_keyed_slice {
	uint64_t key;
	uint32_t slice;
};

/* Returns (n) slices: those with the first slice's key in order of time, then those with the next key that
 * occurs, and so on. keys: (n) hashes. The caller frees the result; NULL: out of memory. */
struct ep_keyed_slice *ep_slices_by_key(const uint64_t *keys, uint32_t n);

/* Returns (n) slices 0, 1, ..., which all have the same key. */
struct ep_keyed_slice *ep_slices_in_time(uint32_t n);

#endif
