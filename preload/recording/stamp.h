/* SPDX-License-Identifier: BSD-3-Clause */
/* Stamps are readings of the cheapest clock of the machine; only differences of stamps have a meaning. On x86-64, where
 * the kernel derives its own time from the time stamp counter, a stamp is a reading of that counter (12 ns; the vDSO's
 * clock takes 28). Elsewhere a stamp is CLOCK_MONOTONIC in ns. Any thread and signal handlers may take stamps. */
#ifndef EVPROF_PRELOAD_RECORDING_STAMP_H
#define EVPROF_PRELOAD_RECORDING_STAMP_H

#include "common/os/sys.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define EP_STAMPS_N_STARTS 4

/* A stamp and CLOCK_MONOTONIC (ns) at one moment, and how long the machine had been suspended since its start. */
struct ep_stamps_point {
	uint64_t stamp, ns;
	int64_t suspended_ns;
};

struct ep_stamps {
	bool are_of_counter;
	_Atomic bool is_settled; /* true: ns_rate does not change any more */
	/* The moments from which the rate was measured; the moment start_idx is in use. A stored moment
	 * does not change, so that threads read it without a lock. */
	struct ep_stamps_point starts[EP_STAMPS_N_STARTS];
	_Atomic uint32_t n_starts, start_idx;
	_Atomic uint64_t ns_rate; /* ns in 2^32 stamps; 0: not known yet */
};

extern struct ep_stamps ep_stamps;

/* Chooses the clock from which stamps are taken. Called while the process starts. */
void ep_stamps_begin(void);

/* Reads CLOCK_MONOTONIC. It is a separate function, so that it does not enlarge the code that reads the counter. */
uint64_t ep_stamp_take_by_clock(void);

/* Takes a stamp. are_of_counter: the member of ep_stamps, for a caller that has read it already. */
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

/* Returns the time between two stamps in ns; 0 if to is not later than from, or if the rate is not known yet. */
uint64_t ep_stamps_ns(uint64_t from, uint64_t to);

/* Returns a difference of stamps that is at most ns long. ns: 2 s at most. The longer the process runs, the closer to
 * ns the difference is. */
uint64_t ep_stamps_in(uint64_t ns);

#endif
