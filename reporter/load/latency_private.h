/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines struct ep_latency for the files of this folder that read or write its members. */
#ifndef EVPROF_REPORTER_LOAD_LATENCY_PRIVATE_H
#define EVPROF_REPORTER_LOAD_LATENCY_PRIVATE_H

#include "common/containers/index.h"
#include "reporter/load/latency.h"

enum {
	EP_LATENCY_BINS = 1 << 17,
	/* the most slices that are kept: they give a share with a standard error of at most 0.14 percentage
	 * points */
	EP_LATENCY_KEPT = 1 << 17,
};

/* A slice that is kept. Its hash decides whether it stays when there are too many slices. */
struct ep_latency_kept {
	uint64_t from_us;
	uint32_t wall_us, cpu_us, path_idx;
	uint32_t hash : 31;
	uint32_t is_call : 1;
};

/* The number of running threads, stored as its changes: jump[i] is the change that bin i causes in all later
 * bins, part[i] the change within bin i itself, in threads times microseconds. */
struct ep_latency {
	uint64_t start_us, width_us; /* width_us is a power of two, start_us a multiple of it */
	uint32_t n_bins;
	double *jump, *part; /* (EP_LATENCY_BINS) changes in each bin */
	struct ep_latency_kept *kept;
	uint32_t n_kept, capacity, mask; /* mask: the bits that must be 0 in a kept slice's hash */
};

/* A bin of another struct ep_latency: width_us is a power of two, from_us a multiple of it. */
struct ep_latency_bin {
	uint64_t from_us, width_us;
	double jump, part;
};

/* Tells whether a slice is to be kept; where there are very many slices, a random part of them is. latency
 * may be NULL. */
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
