// SPDX-License-Identifier: BSD-3-Clause
/* The table of branch kernels, and C code for machines without kernels in assembler. */
#include "kernels/micro/branch.h"

#define STRING(name) #name

#if defined(__x86_64__) || defined(__aarch64__)

#define DECLARE(name)                                                                              \
	void ep_branch_##name(uint64_t n_iterations, uint64_t *random_state);                      \
	extern const char ep_branch_##name##_end[]
#define ROW(name)                                                                                  \
	{                                                                                          \
		STRING(name), ep_branch_##name, ep_branch_##name##_end                             \
	}

DECLARE(b1);
DECLARE(b2);
DECLARE(b3);
DECLARE(b4);
DECLARE(b4a);
DECLARE(b4b);
DECLARE(b5);
DECLARE(b5a);
DECLARE(b5b);
DECLARE(b6);
DECLARE(b7);

#else

/*
 * Kernels in C for other machines, without a guarantee: opaque conditions keep the compiler from deciding
 * branches, but it may lay out the code in its own way. docs/calibration.md tells how to check the result.
 */
#define OPAQUE(value)                                                                              \
	({                                                                                         \
		uint64_t opaque_ = (value);                                                        \
		__asm__ volatile("" : "+r"(opaque_));                                              \
		opaque_;                                                                           \
	})
#define KEEP() __asm__ volatile("" ::: "memory")

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 16 & 1;
}

#define KERNEL(name, body)                                                                         \
	static void branch_##name(uint64_t n_iterations, uint64_t *random_state)                   \
	{                                                                                          \
		for (uint64_t i = 0; OPAQUE(i) < n_iterations; i++)                                \
			body                                                                       \
	}
#define ROW(name)                                                                                  \
	{                                                                                          \
		STRING(name), branch_##name, NULL                                                  \
	}

KERNEL(b1, {
	if (OPAQUE(i) < n_iterations / 2)
		KEEP();
})
KERNEL(b2, {
	if (OPAQUE(1))
		KEEP();
})
KERNEL(b3, {
	if (OPAQUE(0))
		KEEP();
})
KERNEL(b4, {
	if (next_random(random_state))
		KEEP();
	next_random(random_state);
})
KERNEL(b4a, {
	if (next_random(random_state))
		if (OPAQUE(1))
			KEEP();
	next_random(random_state);
})
KERNEL(b4b, {
	if (next_random(random_state))
		if (OPAQUE(0))
			KEEP();
	next_random(random_state);
})
KERNEL(b5, {
	if (next_random(random_state))
		KEEP();
})
KERNEL(b5a, {
	if (next_random(random_state))
		if (OPAQUE(1))
			KEEP();
})
KERNEL(b5b, {
	if (next_random(random_state))
		if (OPAQUE(0))
			KEEP();
})
KERNEL(b6, {
	if (OPAQUE(1)) {
		KEEP();
		goto next;
	}
	KEEP();
next:
	KEEP();
})
KERNEL(b7, { KEEP(); })

#endif

const struct ep_branch_kernel ep_branch_kernels[EP_N_BRANCH_KERNELS] = { ROW(b1), ROW(b2), ROW(b3),
	ROW(b4), ROW(b4a), ROW(b4b), ROW(b5), ROW(b5a), ROW(b5b), ROW(b6), ROW(b7) };
