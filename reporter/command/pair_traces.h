/* SPDX-License-Identifier: BSD-3-Clause */
/* A multiplexed trace and the traces it is compared with, read for the commands that take such. */
#ifndef EVPROF_REPORTER_COMMAND_PAIR_TRACES_H
#define EVPROF_REPORTER_COMMAND_PAIR_TRACES_H

#include "reporter/load/trace_table.h"

/* M traces in which every event was counted in every slice. */
struct ep_pair_traces {
	struct ep_trace_table mpx;
	struct ep_table *ocoe; /* (M) */
	size_t n_ocoe;
};

/* paths: (n_paths) the multiplexed trace, then at least one other. Counts that cannot be are
 * dropped; what makes a trace less than it should be is said on stderr. -EINVAL where the periods
 * differ. */
int ep_pair_traces_read(char *const *paths, size_t n_paths, struct ep_pair_traces *out,
	struct ep_error *err) EP_MUST_CHECK;
void ep_pair_traces_finish(struct ep_pair_traces *traces);

#define EP_AUTOPAIRTRACES __attribute__((cleanup(ep_pair_traces_finish)))

#endif
