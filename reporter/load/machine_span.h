/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's accounts of the machine, from the first to the last of a file. One thread. */
#ifndef EVPROF_REPORTER_LOAD_MACHINE_SPAN_H
#define EVPROF_REPORTER_LOAD_MACHINE_SPAN_H

#include "reporter/load/load.h"

/* The first and the last accounts of the machine in a file; its processes share a clock. first NULL:
 * there are none. */
struct ep_machine_span {
	const struct ep_machine_times *first, *last;
	uint64_t from_ns, to_ns;
};

#define EP_MACHINE_BIT(what) (1u << (what)) /* of a set of enum ep_machine_time */

/* The span of the accounts that know all of a set of bits: some kinds are known of a part of the
 * files, or of a part of a file's processes. */
struct ep_machine_span ep_machine_span_of_file(
	const struct ep_trace *trace, uint32_t file_idx, uint32_t whats);
/* Returns the longest of all files. */
struct ep_machine_span ep_machine_span_longest(const struct ep_trace *trace, uint32_t whats);
/* Returns by how much an account has grown; NaN: it is not known at both ends. */
double ep_machine_span_growth(const struct ep_machine_span *span, enum ep_machine_time what);

#endif
