// SPDX-License-Identifier: BSD-3-Clause
#include "common/containers/array.h"

#include <errno.h>
#include <stdlib.h>

int ep_array_reserve(void **array, uint32_t n, uint32_t *capacity, size_t element_bytes)
{
	uint32_t bigger = *capacity ? *capacity * 2 : 16;
	void *moved;

	if (n < *capacity)
		return 0;
	if (bigger <= *capacity)
		return -ENOMEM;
	moved = realloc(*array, (size_t)bigger * element_bytes);
	if (!moved)
		return -ENOMEM;
	*array = moved;
	*capacity = bigger;
	return 0;
}
