/* SPDX-License-Identifier: BSD-3-Clause */
/* The time between the first and the last of the kernel's accounts of the machine in a file. One thread runs
 * it. */
#ifndef EVPROF_REPORTER_LOAD_MACHINE_SPAN_H
#define EVPROF_REPORTER_LOAD_MACHINE_SPAN_H

#include "reporter/load/load.h"

/* The first and the last accounts of the machine in a file, whose processes share a clock. first NULL: the
 * file has none. */
struct ep_machine_span {
	const struct ep_machine_times *first, *last;
	uint64_t from_ns, to_ns;
};

#define EP_MACHINE_BIT(what) (1u << (what)) /* a bit in a set of enum ep_machine_time */

/* Returns the span of the accounts that have all kinds of time in a set of bits: some kinds are known only in
 * a part of the files, or of a file's processes. */
struct ep_machine_span ep_machine_span_of_file(
	const struct ep_trace *trace, uint32_t file_idx, uint32_t whats);
/* Returns the longest span of all files. */
struct ep_machine_span ep_machine_span_longest(const struct ep_trace *trace, uint32_t whats);
/* Returns by how much an account has grown; NaN: it is not known at both ends. */
double ep_machine_span_growth(const struct ep_machine_span *span, enum ep_machine_time what);

#endif
