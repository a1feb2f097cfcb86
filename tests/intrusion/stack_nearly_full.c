/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stack_nearly_full LEFT_BYTES: threads compute while only LEFT_BYTES of their stack are left. A signal's frame (3.4
 * KiB with AVX-512) has no room there: writing one would hit the guard page below, and end the program.
 */
#include "probe.h"

#include <alloca.h>
#include <sys/mman.h>

enum { STACK_BYTES = 65536, GUARD_BYTES = 4096, N_THREADS = 8 };

static unsigned char *memory;
static size_t left_bytes;

static __attribute__((noinline)) void burn_at_the_end(void)
{
	char here;
	size_t n_bytes = (size_t)((unsigned char *)&here - memory) - GUARD_BYTES - left_bytes;
	volatile char *used = alloca(n_bytes);

	used[0] = 1;
	for (int i = 0; i < 40; i++)
		burn_us(500);
	EXPECT_INT(used[0], 1);
}

static void *work(void *unused)
{
	burn_us(1); /* the loader looks the functions up now, which takes kilobytes of stack */
	burn_at_the_end();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;

	left_bytes = (size_t)atoi(argv[1]);
	memory = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_INT(mprotect(memory, GUARD_BYTES, PROT_NONE), 0);
	pthread_attr_init(&attributes);
	EXPECT_INT(pthread_attr_setstack(&attributes, memory + GUARD_BYTES, STACK_BYTES), 0);
	for (int i = 0; i < N_THREADS; i++) {
		EXPECT_INT(pthread_create(&thread, &attributes, work, NULL), 0);
		EXPECT_INT(pthread_join(thread, NULL), 0);
	}
	pthread_attr_destroy(&attributes);
	return probe_end();
}
