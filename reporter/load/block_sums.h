/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the waits and the regions of a thread were. Its blocks have sums of them, without times, and
 * the slices of the time between the block before and this one. A wait lies in slices in which the
 * thread was off the CPU, a region in slices that ended in it: each sum is laid on these, in
 * proportion.
 */
#ifndef EVPROF_REPORTER_LOAD_BLOCK_SUMS_H
#define EVPROF_REPORTER_LOAD_BLOCK_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* The part of a sum that lies in the part of the run which is shown. */
struct ep_sum_share {
	double n, ns;
	uint64_t longest_ns; /* of a wait that may lie in it */
	bool is_cut;         /* the sum's time reaches over the border: its share is an estimate */
};

struct ep_block_slice {
	uint64_t start_us, end_us; /* since the process's birth */
	uint64_t off_us;           /* off the CPU */
	uint32_t region_idx;       /* EP_NONE: in none */
};

struct ep_block_sum {
	uint32_t idx; /* in the trace's waits, or its regions */
	bool is_region;
	uint64_t n, ns, longest_ns;
};

/* Slices and sums of a thread since its block before. Begins as zero. */
struct ep_block_sums {
	struct ep_block_slice *slices; /* (n_slices) */
	uint32_t n_slices, slice_capacity;
	struct ep_block_sum *sums; /* (n_sums) */
	uint32_t n_sums, sum_capacity;
	uint64_t n_lost_waits;
	uint64_t from_us; /* the block before was written */
	uint64_t free_us; /* from then until from_us no waits are laid yet */
	uint64_t tail_us; /* from then until free_us, in_tail_us of them are laid */
	double in_tail_us;
	bool has_from;
};

/* A sum, or a share of it, and a time in which it may have passed. */
struct ep_seen_sum {
	uint32_t thread_idx, idx;
	bool is_region;
	uint64_t start_us, end_us;  /* since the process's birth */
	uint64_t first_us, last_us; /* of all times on which the sum may lie */
	double n, ns;
	uint64_t longest_ns; /* of a wait of the sum */
};

struct loader;
struct ep_trace;
struct ep_trace_thread;
struct ep_samples;

/* Tells whether the caller wants times; where it does not, nothing is kept. */
bool ep_block_sums_are_wanted(const struct loader *loader);
/* Keep slices of the block that is read, and a sum of it. 0 or -ENOMEM. */
int ep_block_sums_see(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_samples *samples);
int ep_block_sums_add(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_block_sum *sum);
/* Lays the sums of the block on times, once the block is complete; start_us: when the thread began. 0, or a
 * negative errno. */
int ep_block_sums_lay(struct loader *loader, struct ep_trace_thread *thread, uint64_t start_us);
void ep_block_sums_finish(struct ep_block_sums *sums);

#endif
