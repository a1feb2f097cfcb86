/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out from the instructions of a loop how it accesses its data. */
#ifndef EVPROF_REPORTER_LOOPS_LOOP_ACCESS_H
#define EVPROF_REPORTER_LOOPS_LOOP_ACCESS_H

#include "reporter/loops/access.h"
#include "reporter/loops/loops.h"

#if EP_HAS_CAPSTONE
/*
 * Finds the access of the innermost loop whose iterations begin at the address head. The addresses in the loop tell
 * it: the registers that they are computed from, and what an iteration adds to these registers. If there are several
 * kinds of access, the one that costs most is returned: linked, gather, strided, variable; contiguous only if all
 * accesses are contiguous. The access is unknown if the loop calls a procedure, and on machines other than x86-64,
 * which compute addresses in another way. Returns 0, -ENOTSUP, -E2BIG or -ENOMEM.
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
