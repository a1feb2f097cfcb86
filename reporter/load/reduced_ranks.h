/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes times of ranks, and regions, as blocks of sums. */
#ifndef EVPROF_REPORTER_LOAD_REDUCED_RANKS_H
#define EVPROF_REPORTER_LOAD_REDUCED_RANKS_H

#include "reporter/load/load.h"
#include "reporter/load/reduced_out.h"

/* Writes all rank costs of the trace, sorted by thread, kind and path. */
void ep_reduced_put_ranks(struct ep_reduced_out *out, struct ep_trace *trace);
/* Writes the regions of all threads; each region comes after the region around it. */
void ep_reduced_put_regions(struct ep_reduced_out *out, const struct ep_trace *trace);
/* Writes a path's time in page faults, if there is any. Defined in reduced_sums.c. */
void ep_reduced_put_faults(struct ep_reduced_out *out, uint32_t path, uint64_t faults_us);

#endif
