/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that a store before them cannot be forwarded to. A core gives a load the bytes of a store that has not
 * reached the cache yet where that store has all of them; a load of bytes of several stores, or of more than the
 * latest of them wrote, waits until they are in the cache (Intel, Optimization Reference Manual, "Store Forwarding";
 * Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs). Told from the instructions alone, where control can have come one way only.
 */
#ifndef EVPROF_REPORTER_LOOPS_FORWARDING_H
#define EVPROF_REPORTER_LOOPS_FORWARDING_H

#include "reporter/loops/listing.h"

#if EP_HAS_CAPSTONE
/* Sets is_blocked of the listing's rows; of other machines than x86 none. 0, -ENOTSUP or -ENOMEM. */
int ep_forwarding_mark(
	const struct ep_procedure_code *code, struct ep_listing *listing) EP_MUST_CHECK;
#else
static inline EP_MUST_CHECK int ep_forwarding_mark(
	const struct ep_procedure_code *code, struct ep_listing *listing)
{
	return -ENOSYS;
}
#endif

#endif
