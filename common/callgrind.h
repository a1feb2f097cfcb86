/* SPDX-License-Identifier: BSD-3-Clause */
/* Callgrind's events in the order of its columns (valgrind manual, 6.2.3), with our names. */
#ifndef EVPROF_COMMON_CALLGRIND_H
#define EVPROF_COMMON_CALLGRIND_H

#include <stdint.h>

enum ep_callgrind_event {
	EP_CALLGRIND_IR,
	EP_CALLGRIND_DR,
	EP_CALLGRIND_DW,
	EP_CALLGRIND_I1MR,
	EP_CALLGRIND_D1MR,
	EP_CALLGRIND_D1MW,
	EP_CALLGRIND_ILMR,
	EP_CALLGRIND_DLMR,
	EP_CALLGRIND_DLMW,
	EP_CALLGRIND_BC,
	EP_CALLGRIND_BCM,
	EP_CALLGRIND_BI,
	EP_CALLGRIND_BIM,
	EP_N_CALLGRIND_EVENTS,
};

static const struct {
	const char *name;
	const char *column;
} ep_callgrind_events[EP_N_CALLGRIND_EVENTS] = {
	[EP_CALLGRIND_IR] = { "instructions", "Ir" },
	[EP_CALLGRIND_DR] = { "L1-dcache-loads", "Dr" },
	[EP_CALLGRIND_DW] = { "L1-dcache-stores", "Dw" },
	[EP_CALLGRIND_I1MR] = { "L1-icache-load-misses", "I1mr" },
	[EP_CALLGRIND_D1MR] = { "L1-dcache-load-misses", "D1mr" },
	[EP_CALLGRIND_D1MW] = { "L1-dcache-store-misses", "D1mw" },
	[EP_CALLGRIND_ILMR] = { "LLC-icache-misses", "ILmr" },
	[EP_CALLGRIND_DLMR] = { "LLC-load-misses", "DLmr" },
	[EP_CALLGRIND_DLMW] = { "LLC-store-misses", "DLmw" },
	[EP_CALLGRIND_BC] = { "conditional-branches", "Bc" },
	[EP_CALLGRIND_BCM] = { "conditional-branch-misses", "Bcm" },
	[EP_CALLGRIND_BI] = { "indirect-branches", "Bi" },
	[EP_CALLGRIND_BIM] = { "indirect-branch-misses", "Bim" },
};

/* KCachegrind's cycle estimation (its event type CEst): Ir + 10 Bm + 10 L1m + 20 Ge + 100 LLm. Ge,
 * events of the bus, are not collected. */
static inline uint64_t ep_callgrind_cycles(const uint64_t counts[EP_N_CALLGRIND_EVENTS])
{
	uint64_t mispredicted = counts[EP_CALLGRIND_BCM] + counts[EP_CALLGRIND_BIM];
	uint64_t missed_l1 =
		counts[EP_CALLGRIND_I1MR] + counts[EP_CALLGRIND_D1MR] + counts[EP_CALLGRIND_D1MW];
	uint64_t missed_last =
		counts[EP_CALLGRIND_ILMR] + counts[EP_CALLGRIND_DLMR] + counts[EP_CALLGRIND_DLMW];

	return counts[EP_CALLGRIND_IR] + 10 * mispredicted + 10 * missed_l1 + 100 * missed_last;
}

#endif
