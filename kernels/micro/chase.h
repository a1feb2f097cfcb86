/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointer chases: one buffer, every line visited once per round, in an order that is chosen. */
#ifndef EVPROF_KERNELS_MICRO_CHASE_H
#define EVPROF_KERNELS_MICRO_CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ep_chase_shape {
	size_t size_bytes;
	size_t stride_bytes; /* distance of the elements that are visited */
	size_t block_bytes;  /* the order is random inside blocks of this size */
	bool is_random;      /* false: ascending */
};

/* Links the elements of buffer (page-aligned) into one cycle; returns the first. seed may be any.
 */
void **ep_chase_link(void *buffer, const struct ep_chase_shape *shape, uint64_t seed);
/* Follows n_accesses links (rounded up to EP_CHASE_UNROLL) and returns where it stopped. */
#define EP_CHASE_UNROLL 64
void **ep_chase_read(void **at, size_t n_accesses);
/* The same; each element is flipped in its lowest bit and stored back, twice per round in turn, so
 * that a chain is whole again after an even number of rounds. */
void **ep_chase_write(void **at, size_t n_accesses);

#endif
