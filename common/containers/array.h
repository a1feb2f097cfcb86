/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes arrays grow. The caller owns the array, its number of elements and its capacity; all three are zero
 * at first. */
#ifndef EVPROF_COMMON_CONTAINERS_ARRAY_H
#define EVPROF_COMMON_CONTAINERS_ARRAY_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* Makes room for one more element after the n elements of *array; doubles the capacity if it is used up.
 * Returns 0 or -ENOMEM. */
int ep_array_reserve(
	void **array, uint32_t n, uint32_t *capacity, size_t element_bytes) EP_MUST_CHECK;

/* Does the same with the size of the array's element type. */
#define EP_ARRAY_RESERVE(array, n, capacity)                                                       \
	ep_array_reserve((void **)&(array), n, &(capacity), sizeof(*(array)))

#endif
