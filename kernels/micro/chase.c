// SPDX-License-Identifier: BSD-3-Clause
/* Pointer chases. Each load depends on the load before, so that a core cannot begin a load before the last one has
 * ended. */
#include "kernels/micro/chase.h"

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Links the elements of a block: the block is entered at its first element, all elements are visited in random order,
 * and the last one links to the next block. Sattolo's algorithm, which makes one random cycle, would mix the blocks if
 * it ran over the whole buffer. The order is kept in the elements, so that no other memory is needed. */
static void **link_block(char *block, size_t n, size_t stride, bool is_random,
	uint64_t *random_state, char *next_block)
{
	/* until element i is linked, it holds the index of the element that is visited i-th */
	for (size_t i = 0; i < n; i++)
		*(size_t *)(block + i * stride + sizeof(void *)) = i;
	for (size_t i = n - 1; is_random && i > 1; i--) {
		/* the first element stays the entrance */
		size_t j = 1 + next_random(random_state) % i;
		size_t *a = (size_t *)(block + i * stride + sizeof(void *));
		size_t *b = (size_t *)(block + j * stride + sizeof(void *)), swap = *a;

		*a = *b;
		*b = swap;
	}
	for (size_t i = 0; i < n; i++) {
		size_t from = *(size_t *)(block + i * stride + sizeof(void *));
		char *to = next_block;

		if (i + 1 < n)
			to = block +
			     *(size_t *)(block + (i + 1) * stride + sizeof(void *)) * stride;
		*(void **)(block + from * stride) = to;
	}
	return (void **)block;
}

void **ep_chase_link(void *buffer, const struct ep_chase_shape *shape, uint64_t seed)
{
	size_t stride = shape->stride_bytes, n = shape->size_bytes / stride;
	size_t n_block = shape->block_bytes / stride;
	uint64_t random_state = seed | 1;
	char *base = buffer;

	for (size_t first = 0; first < n; first += n_block) {
		size_t n_here = n - first < n_block ? n - first : n_block;
		char *next = first + n_here < n ? base + (first + n_here) * stride : base;

		link_block(base + first * stride, n_here, stride, shape->is_random, &random_state,
			next);
	}
	return buffer;
}

#define TIMES_4(x) x x x x
#define TIMES_64(x) TIMES_4(TIMES_4(TIMES_4(x)))

void **ep_chase_read(void **at, size_t n_accesses)
{
	for (size_t i = 0; i < n_accesses; i += EP_CHASE_UNROLL) {
		TIMES_64(at = *at; __asm__ volatile("" : "+r"(at));)
	}
	return at;
}

/* Flips the lowest bit of a link, stores it, and follows the link without that bit. */
#define FLIP()                                                                                     \
	do {                                                                                       \
		uintptr_t link = (uintptr_t)*at;                                                   \
		*at = (void *)(link ^ 1);                                                          \
		at = (void **)(link & ~(uintptr_t)1);                                              \
		__asm__ volatile("" : "+r"(at)::"memory");                                         \
	} while (0);

void **ep_chase_write(void **at, size_t n_accesses)
{
	for (size_t i = 0; i < n_accesses; i += EP_CHASE_UNROLL) {
		TIMES_64(FLIP())
	}
	return at;
}
