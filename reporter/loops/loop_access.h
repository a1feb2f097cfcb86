/* SPDX-License-Identifier: BSD-3-Clause */
/* How a loop gets at its data, by its instructions. */
#ifndef EVPROF_REPORTER_LOOPS_LOOP_ACCESS_H
#define EVPROF_REPORTER_LOOPS_LOOP_ACCESS_H

#include "reporter/loops/access.h"
#include "reporter/loops/loops.h"

#if EP_HAS_CAPSTONE
/*
 * Tells it from the addresses of the innermost loop that head is the head of: which registers they are
 * made of, and what a turn adds to these. Of several kinds the one that costs most: linked, gather,
 * strided, variable; contiguous where all are. Unknown of other machines than x86, where an address is computed
 * in another way, and where the loop calls something. 0, -ENOTSUP, -E2BIG or -ENOMEM.
 */
int ep_access_of_loop(
	const struct ep_procedure_code *code, uint64_t head, enum ep_access *out) EP_MUST_CHECK;
#else
static inline EP_MUST_CHECK int ep_access_of_loop(
	const struct ep_procedure_code *code, uint64_t head, enum ep_access *out)
{
	*out = EP_ACCESS_UNKNOWN;
	return -ENOSYS;
}
#endif

#endif
