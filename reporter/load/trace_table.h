/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the slices of a trace as a table of counts, for programs that compare traces slice by slice. */
#ifndef EVPROF_REPORTER_LOAD_TRACE_TABLE_H
#define EVPROF_REPORTER_LOAD_TRACE_TABLE_H

#include "common/table.h"

#include <stdint.h>

struct ep_trace_table {
	struct ep_table table; /* (T, E + 1): the events, and "cpu-time" in us last */
	uint64_t period_ns;    /* the process's period; 0: not known */
	/* lost or left-out slices: later rows do not correspond to the rows of another trace */
	uint64_t n_slices_absent;
	uint32_t n_threads; /* threads in the trace */
};

/* Reads the thread that has the most slices. Slices at its end in which no event was counted are left out.
 * -EBADMSG where no slice has a count. Must not be called by several threads at the same time. */
int ep_trace_table_read(
	const char *path, struct ep_trace_table *out, struct ep_error *err) EP_MUST_CHECK;
void ep_trace_table_finish(struct ep_trace_table *trace);

#define EP_AUTOTRACETABLE __attribute__((cleanup(ep_trace_table_finish)))

#endif
