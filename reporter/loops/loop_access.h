/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells from its instructions how a loop accesses its data. */
#ifndef EVPROF_REPORTER_LOOPS_LOOP_ACCESS_H
#define EVPROF_REPORTER_LOOPS_LOOP_ACCESS_H

#include "reporter/loops/access.h"
#include "reporter/loops/loops.h"

#if EP_HAS_CAPSTONE
/*
 * Finds the access of the innermost loop with this head. It looks at the addresses in the loop: the registers that
 * they are computed from, and what an iteration adds to these. Of several kinds of access the one that costs most is
 * returned: linked, gather, strided, variable; contiguous only where all are. The access is unknown on machines other
 * than x86, where an address is computed in another way, and where the loop calls a procedure. Returns 0, -ENOTSUP,
 * -E2BIG or -ENOMEM.
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
