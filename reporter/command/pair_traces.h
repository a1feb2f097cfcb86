/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a multiplexed trace and the traces that it is compared with. */
#ifndef EVPROF_REPORTER_COMMAND_PAIR_TRACES_H
#define EVPROF_REPORTER_COMMAND_PAIR_TRACES_H

#include "reporter/load/trace_table.h"

/* A multiplexed trace, and M traces in which every event was counted in every slice. */
struct ep_pair_traces {
	struct ep_trace_table mpx;
	struct ep_table *ocoe; /* (M) tables of the other traces */
	size_t n_ocoe;
};

/* Reads the traces. paths (n_paths) has the multiplexed trace, then at least one other. Impossible counts are dropped.
 * A message on stderr tells if a trace has several threads, or lacks slices. Returns -EINVAL if the periods differ. */
int ep_pair_traces_read(char *const *paths, size_t n_paths, struct ep_pair_traces *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_pair_traces_finish(struct ep_pair_traces *traces);

#define EP_AUTOPAIRTRACES __attribute__((cleanup(ep_pair_traces_finish)))

#endif
