/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointer chases: every line of a buffer is visited once in each round, in a chosen order. */
#ifndef EVPROF_KERNELS_MICRO_CHASE_H
#define EVPROF_KERNELS_MICRO_CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_chase_shape {
	size_t size_bytes;
	size_t stride_bytes; /* distance of the elements in the buffer */
	size_t block_bytes;  /* the order is random only within blocks of this size */
	bool is_random;      /* false: ascending order */
};

/* Links the elements of a page-aligned buffer into one cycle. Returns the first element. Any seed is
 * valid. */
void **ep_chase_link(void *buffer, const struct ep_chase_shape *shape, uint64_t seed);
/* Follows n_accesses links, rounded up to a multiple of EP_CHASE_UNROLL. Returns the element that was reached. */
#define EP_CHASE_UNROLL 64
void **ep_chase_read(void **at, size_t n_accesses);
/* Does the same with stores: flips the lowest bit of each link and stores the link back. After an even number of rounds
 * all links are as before. */
void **ep_chase_write(void **at, size_t n_accesses);

#endif
