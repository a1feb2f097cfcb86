/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps: readings of the cheapest clock there is, of which only differences count. On x86-64, where the
 * kernel keeps its own time by the time stamp counter, that is the counter itself (12 ns, where the
 * vDSO's clock takes 28); elsewhere CLOCK_MONOTONIC, in ns. Any thread, signal handlers.
 */
#ifndef EVPROF_PRELOAD_RECORDING_STAMP_H
#define EVPROF_PRELOAD_RECORDING_STAMP_H

#include "common/os/sys.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_STAMPS_N_STARTS 4

/* Both clocks at one time, and for how long the machine had been suspended by then. */
struct ep_stamps_point {
	uint64_t stamp, ns;
	int64_t suspended_ns;
};

struct ep_stamps {
	bool are_of_counter;
	_Atomic bool is_settled; /* ns_rate stays as it is */
	/* From where the rate is measured: the last one. A start that is there does not change, so that no
	 * thread needs a lock to read it. */
	struct ep_stamps_point starts[EP_STAMPS_N_STARTS];
	_Atomic uint32_t n_starts, start_idx;
	_Atomic uint64_t ns_rate; /* ns of 2^32 stamps; 0: not known yet */
};

extern struct ep_stamps ep_stamps;

/* While the process starts: finds the clock. */
void ep_stamps_begin(void);

/* CLOCK_MONOTONIC, out of the way of those who take the counter. */
uint64_t ep_stamp_take_by_clock(void);

/* are_of_counter: of ep_stamps, where the caller knows it still. */
static inline __attribute__((always_inline)) uint64_t ep_stamp_take_by(bool are_of_counter)
{
#if defined(__x86_64__)
	return __builtin_expect(are_of_counter, 1) ? __builtin_ia32_rdtsc()
						   : ep_stamp_take_by_clock();
#else
	return ep_now_ns(CLOCK_MONOTONIC);
#endif
}

static inline uint64_t ep_stamp_take(void)
{
	return ep_stamp_take_by(ep_stamps.are_of_counter);
}

/* A difference of stamps in ns. 0: the later is not later, or nothing is known yet. */
uint64_t ep_stamps_ns(uint64_t from, uint64_t to);

/* A number of stamps that takes ns (2 s at most) or less: the better the longer the process runs. */
uint64_t ep_stamps_in(uint64_t ns);

#endif
