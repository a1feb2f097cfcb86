/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws random numbers. Each caller has a state (chance) of its own, which is never 0. Runs in signal handlers; nothing
 * here calls libc. */
#ifndef EVPROF_PRELOAD_RECORDING_CHANCE_H
#define EVPROF_PRELOAD_RECORDING_CHANCE_H

#include <stdint.h>

/* xorshift64*: Vigna, ACM TOMS 42 (2016). */
static inline uint64_t ep_chance_next(uint64_t *chance)
{
	*chance ^= *chance >> 12;
	*chance ^= *chance << 25;
	*chance ^= *chance >> 27;
	return *chance * 2685821657736338717u;
}

/* Returns one exponential variate of mean 1. It is found by comparing uniform variates: von Neumann, Various techniques
 * used in connection with random digits (1951). The method is exact and needs no logarithm. */
static inline double ep_chance_exponential(uint64_t *chance)
{
	for (uint32_t whole = 0;; whole++) {
		uint64_t first = ep_chance_next(chance), last = first, u;
		uint32_t n = 1;

		for (; (u = ep_chance_next(chance)) < last; n++)
			last = u;
		if (n % 2)
			return whole + (double)(first >> 11) * 0x1p-53;
	}
}

#endif
