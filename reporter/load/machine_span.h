/* SPDX-License-Identifier: BSD-3-Clause */
/* The time between the first and the last reading of the whole machine's counts (enum ep_machine_time) in a
 * file. One thread runs it. */
#ifndef EVPROF_REPORTER_LOAD_MACHINE_SPAN_H
#define EVPROF_REPORTER_LOAD_MACHINE_SPAN_H

#include "reporter/load/load.h"

/* The first and the last reading of the machine's counts in a file, with their times. The processes of a file
 * share a clock. first NULL: the file has no reading. */
struct ep_machine_span {
	const struct ep_machine_times *first, *last;
	uint64_t from_ns, to_ns;
};

#define EP_MACHINE_BIT(what) (1u << (what)) /* a bit in a set of enum ep_machine_time */

/* Returns the span of the readings that have all counts of the set whats (EP_MACHINE_BIT): some counts are
 * known only in some of the files, or in some of a file's processes. */
struct ep_machine_span ep_machine_span_of_file(
	const struct ep_trace *trace, uint32_t file_idx, uint32_t whats);
/* Returns the longest span of all files. */
struct ep_machine_span ep_machine_span_longest(const struct ep_trace *trace, uint32_t whats);
/* Returns by how much a count has grown; NaN: the first or the last reading does not have it, or it shrank. */
double ep_machine_span_growth(const struct ep_machine_span *span, enum ep_machine_time what);

#endif
