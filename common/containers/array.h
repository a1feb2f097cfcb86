/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow: the caller owns the array and both of its numbers, which begin as zero. */
#ifndef EVPROF_COMMON_CONTAINERS_ARRAY_H
#define EVPROF_COMMON_CONTAINERS_ARRAY_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* Makes room for one more element behind the n of *array: capacity doubles. 0 or -ENOMEM. */
int ep_array_reserve(
	void **array, uint32_t n, uint32_t *capacity, size_t element_bytes) EP_MUST_CHECK;

/* The same of an array whose element's size its type has. */
#define EP_ARRAY_RESERVE(array, n, capacity)                                                       \
	ep_array_reserve((void **)&(array), n, &(capacity), sizeof(*(array)))

#endif
