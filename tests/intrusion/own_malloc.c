/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with its own allocator. No thread may enter the allocator again while it is inside, which a signal handler
 * that allocates would cause, and there may be no more calls than the program itself makes. Threads allocate all the
 * time.
 */
#include "probe.h"

#include <sys/mman.h>

enum { ARENA_BYTES = 64 << 20, N_THREADS = 3 };

static _Alignas(64) char arena[ARENA_BYTES];
static atomic_size_t used;
static atomic_int n_reentered;
static __thread int inside;
static __thread int n_calls;

static void enter(void)
{
	if (inside++)
		n_reentered++;
	n_calls++;
	burn_rounds(300);
}

/* Takes a block from the arena, and stores its size before it. Blocks are never reused. */
static void *take(size_t size)
{
	size_t total = (size + 16 + 63) / 64 * 64, at;
	char *block;

	enter();
	at = atomic_fetch_add(&used, total);
	block = at + total <= ARENA_BYTES ? arena + at + 16 : NULL;
	if (block)
		memcpy(block - 16, &size, sizeof(size));
	inside--;
	return block;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size)
{
	return take(size);
}

EXPORT void free(void *block)
{
	enter();
	inside--;
}

EXPORT void *calloc(size_t n, size_t size)
{
	return take(n * size);
}

EXPORT void *realloc(void *block, size_t size)
{
	void *other = take(size);
	size_t old = 0;

	if (block && other) {
		memcpy(&old, (char *)block - 16, sizeof(old));
		memcpy(other, block, old < size ? old : size);
	}
	return other;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return (void *)(((uintptr_t)take(size + alignment) + alignment) / alignment * alignment);
}

EXPORT void *memalign(size_t alignment, size_t size);
EXPORT void *memalign(size_t alignment, size_t size)
{
	return aligned_alloc(alignment, size);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
	*out = aligned_alloc(alignment, size);
	return 0;
}

/* A signal handler runs in the thread that it interrupts, so that its allocations would be counted here. */
static void *allocate_often(void *unused)
{
	int n_before = n_calls;

	for (int i = 0; i < 20000; i++) {
		void *volatile block = malloc(i % 200);

		free(block);
	}
	EXPECT_INT(n_calls - n_before, 40000);
	return NULL;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, allocate_often, NULL);
	allocate_often(NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_INT(n_reentered, 0);
	return probe_end();
}
