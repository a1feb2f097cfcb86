/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates at which times a thread waited, and at which times it was in a region. The thread's blocks hold
 * only sums of waits and of regions, without times, and the slices since the previous block. A sum of waits
 * is spread over these slices in proportion to their time off the CPU; a sum of a region is spread over the
 * slices that ended in the region, in proportion to their length.
 */
#ifndef EVPROF_REPORTER_LOAD_BLOCK_SUMS_H
#define EVPROF_REPORTER_LOAD_BLOCK_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* The part of a sum that lies in the shown part of the run: n waits or entries of a region, and their wall
 * time ns. */
struct ep_sum_share {
	double n, ns;
	uint64_t longest_ns; /* the longest wait that may lie in the shown part */
	/* the sum's time reaches beyond the shown part, so that this share is an estimate */
	bool is_cut;
};

struct ep_block_slice {
	uint64_t start_us, end_us; /* since the process's birth */
	uint64_t off_us;           /* time off the CPU in the slice */
	uint32_t region_idx;       /* EP_NONE: the slice is in no region */
};

struct ep_block_sum {
	uint32_t idx; /* index in the trace's waits, or in its regions */
	bool is_region;
	uint64_t n, ns, longest_ns;
};

/* Slices and sums of a thread since its previous block. All zero is a valid start. */
struct ep_block_sums {
	struct ep_block_slice *slices; /* (n_slices) slices since the previous block */
	uint32_t n_slices, slice_capacity;
	struct ep_block_sum *sums; /* (n_sums) sums of the current block */
	uint32_t n_sums, sum_capacity;
	uint64_t n_lost_waits;
	uint64_t from_us; /* when the previous block was written */
	uint64_t free_us; /* between free_us and from_us no waits are placed yet */
	uint64_t tail_us; /* between tail_us and free_us, in_tail_us of waits are placed */
	double in_tail_us;
	bool has_from;
};

/* A share of a sum (all of it, or less), and the time in which that share may have passed. */
struct ep_seen_sum {
	uint32_t thread_idx, idx;
	bool is_region;
	uint64_t start_us, end_us;  /* since the process's birth */
	uint64_t first_us, last_us; /* the whole sum lies between these moments */
	double n, ns;
	uint64_t longest_ns; /* the longest wait of the sum */
};

struct loader;
struct ep_trace;
struct ep_trace_thread;
struct ep_samples;

/* Tells whether the load options need the times of sums; if they do not, no slices are kept. */
bool ep_block_sums_are_wanted(const struct loader *loader);
/* ep_block_sums_see keeps the slices of a block, ep_block_sums_add keeps one of its sums. 0 or a negative
 * errno. */
int ep_block_sums_see(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_samples *samples);
int ep_block_sums_add(
	struct loader *loader, struct ep_trace_thread *thread, const struct ep_block_sum *sum);
/* Spreads the sums of the block over time, once the block is complete; start_us: when the thread began. 0 or
 * a negative errno. */
int ep_block_sums_lay(struct loader *loader, struct ep_trace_thread *thread, uint64_t start_us);
void ep_block_sums_finish(struct ep_block_sums *sums);

#endif
