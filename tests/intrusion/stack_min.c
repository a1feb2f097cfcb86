/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads with stacks of PTHREAD_STACK_MIN bytes, made by the library or in the program's own memory, work with a large
 * part of the stack in use. A guard page below causes a fault if more stack is needed.
 */
#include "probe.h"

#include <limits.h>
#include <sys/mman.h>

enum { GUARD_BYTES = 4096, N_THREADS = 40 };

static __attribute__((noinline)) void work_deep(void)
{
	volatile char used[5000];

	for (size_t i = 0; i < sizeof(used); i += 64)
		used[i] = 1;
	burn_ms(10);
	EXPECT_INT(used[64], 1);
}

static void *work(void *unused)
{
	work_deep();
	return NULL;
}

static void run(pthread_attr_t *attributes)
{
	pthread_t thread;

	EXPECT_INT(pthread_create(&thread, attributes, work, NULL), 0);
	EXPECT_INT(pthread_join(thread, NULL), 0);
}

static void on_given_size(void)
{
	pthread_attr_t attributes;
	size_t size;

	pthread_attr_init(&attributes);
	EXPECT_INT(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
	pthread_attr_getstacksize(&attributes, &size);
	printf("stack of %zu\n", size);
	run(&attributes);
	pthread_attr_destroy(&attributes);
}

static void on_own_memory(void)
{
	unsigned char *memory = mmap(NULL, GUARD_BYTES + PTHREAD_STACK_MIN, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;

	mprotect(memory, GUARD_BYTES, PROT_NONE);
	pthread_attr_init(&attributes);
	EXPECT_INT(pthread_attr_setstack(&attributes, memory + GUARD_BYTES, PTHREAD_STACK_MIN), 0);
	run(&attributes);
	pthread_attr_destroy(&attributes);
	EXPECT_INT(munmap(memory, GUARD_BYTES + PTHREAD_STACK_MIN), 0);
}

int main(void)
{
	for (int i = 0; i < N_THREADS; i++) {
		on_given_size();
		on_own_memory();
	}
	return probe_end();
}
