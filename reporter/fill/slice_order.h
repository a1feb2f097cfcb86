/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of a stretch, brought together by what they have in common. */
#ifndef EVPROF_REPORTER_FILL_SLICE_ORDER_H
#define EVPROF_REPORTER_FILL_SLICE_ORDER_H

#include <stdint.h>

struct ep_keyed_slice {
	uint64_t key;
	uint32_t slice;
};

/* (n) those of the first slice's key, in time, then those of the next key that is seen, and so on.
 * keys: (n) hashes. The caller frees; NULL when out of memory. */
struct ep_keyed_slice *ep_slices_by_key(const uint64_t *keys, uint32_t n);

/* (n) 0, 1, ... of one key. */
struct ep_keyed_slice *ep_slices_in_time(uint32_t n);

#endif
