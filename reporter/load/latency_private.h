/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct behind latency.h, for the file that writes it to a reduced file. */
#ifndef EVPROF_REPORTER_LOAD_LATENCY_PRIVATE_H
#define EVPROF_REPORTER_LOAD_LATENCY_PRIVATE_H

#include "common/containers/index.h"
#include "reporter/load/latency.h"

enum {
	EP_LATENCY_BINS = 1 << 17,
	/* the most slices that are kept: with them a share is accurate to 0.14 percentage
	 * points */
	EP_LATENCY_KEPT = 1 << 17,
};

/* A slice that is kept. Its hash decides whether it stays when there are too many. */
struct ep_latency_kept {
	uint64_t from_us;
	uint32_t wall_us, cpu_us, path_idx;
	uint32_t hash : 31;
	uint32_t is_call : 1;
};

/* The number of running threads, stored by its changes: jump is the change in all bins behind this one, part
 * is the change within this bin, times microseconds. */
struct ep_latency {
	uint64_t start_us, width_us; /* width_us is a power of two, start_us a multiple of it */
	uint32_t n_bins;
	double *jump, *part; /* (EP_LATENCY_BINS) changes in each bin */
	struct ep_latency_kept *kept;
	uint32_t n_kept, capacity, mask; /* mask: slices are kept whose hash has no bit of mask */
};

/* A bin of another struct ep_latency: width_us is a power of two, from_us a multiple of it. */
struct ep_latency_bin {
	uint64_t from_us, width_us;
	double jump, part;
};

/* Tells whether a slice is kept; of very many slices most are not. latency may be NULL. */
static inline bool ep_latency_is_drawn(
	const struct ep_latency *latency, const struct ep_latency_slice *slice, uint64_t *out_hash)
{
	*out_hash = ep_hash_mix(slice->moment, slice->cpu_us);
	return !latency || !(*out_hash & latency->mask);
}

/* Adds a bin; creates *latency where it is NULL. 0, -ENOMEM, or -EBADMSG for impossible times. */
int ep_latency_add_bin(struct ep_latency **latency, const struct ep_latency_bin *bin) EP_MUST_CHECK;
/* Keeps a slice if its hash is drawn; creates *latency where it is NULL. 0 or -ENOMEM. */
int ep_latency_keep(struct ep_latency **latency, const struct ep_latency_kept *kept) EP_MUST_CHECK;

#endif
