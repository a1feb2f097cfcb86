/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of a trace as a table of counts, for what compares traces slice by slice. */
#ifndef EVPROF_REPORTER_LOAD_TRACE_TABLE_H
#define EVPROF_REPORTER_LOAD_TRACE_TABLE_H

#include "common/table.h"

#include <stdint.h>

struct ep_trace_table {
	struct ep_table table;    /* (T, E + 1): the events, and "cpu-time" in us last */
	uint64_t period_ns;       /* of the process; 0: not said */
	uint64_t n_slices_absent; /* lost or left out: rows after them are out of step */
	uint32_t n_threads;       /* in the trace */
};

/* Reads the thread that has the most slices. Slices at its end in which no event was counted are
 * left off. -EBADMSG where no slice has a count; not for several threads at a time. */
int ep_trace_table_read(
	const char *path, struct ep_trace_table *out, struct ep_error *err) EP_MUST_CHECK;
void ep_trace_table_finish(struct ep_trace_table *trace);

#define EP_AUTOTRACETABLE __attribute__((cleanup(ep_trace_table_finish)))

#endif
