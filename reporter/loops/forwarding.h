/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds loads that cannot get their data from a store before them. A store stays in the core's store buffer until its
 * bytes reach the cache. Until then the core forwards them to a load, if that store wrote all bytes of the load. A
 * load of bytes of several stores, or of more bytes than the latest store wrote, waits until the bytes are in the
 * cache (Intel, Optimization Reference Manual, "Store Forwarding"; Agner Fog, The microarchitecture of Intel, AMD and
 * VIA CPUs). Such loads are found from the instructions alone. Only stores are used that are on the only way by which
 * control can reach the load.
 */
#ifndef EVPROF_REPORTER_LOOPS_FORWARDING_H
#define EVPROF_REPORTER_LOOPS_FORWARDING_H

#include "reporter/loops/listing.h"

#if EP_HAS_CAPSTONE
/* Sets is_blocked of the listing's rows; on machines other than x86 it sets none. Returns 0, -ENOTSUP or -ENOMEM. */
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
