// SPDX-License-Identifier: BSD-3-Clause
/*
 * Data caches: pointer chases through buffers of three sizes for each level and three beyond the last level; counts are
 * per access. Strides are one and two lines. The order is random inside large blocks. Prefetchers can follow sequences
 * and small blocks; demand hits and misses would then not be those expected for the size. Each thread has a buffer.
 * If threads share a cache, each is taken to have an equal part of the cache.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "kernels/measure/kernel.h"
#include "kernels/micro/chase.h"

enum { n_strides = 2, per_level = 3, max_levels = 4, max_patterns = 2 };

struct pattern {
	const char *prefix; /* prefix of the points' names */
	size_t block_pages;
	bool is_random;
};

static const struct pattern demand_patterns[] = { { "", 512, true } };
static const struct pattern prefetched_patterns[] = { { "small_", 16, true },
	{ "ascending_", 16, false } };

/* The least number of accesses in a run, so that starting and stopping is only noise; and the largest, so
 * that points in memory take a fraction of a second. */
enum { min_accesses = 1 << 16, max_accesses = 1 << 20, n_rounds = 64 };

struct dcache_point {
	size_t size_bytes, stride_bytes;
	int level; /* 0 to 2: the L1 to L3 cache; 3: memory */
	const struct pattern *pattern;
};

struct dcache_state {
	struct dcache_point points[max_patterns * n_strides * max_levels * per_level];
	size_t n_points, n_levels; /* n_levels includes memory */
	size_t buffer_bytes;
	void *buffers[EP_MAX_MEASURE_CPUS];
	void **at[EP_MAX_MEASURE_CPUS]; /* the current element of each thread's chase */
};

static const char *const level_names[] = { "L1", "L2", "L3", "MM" };

/* Returns the k-th size between two capacities; the sizes form a geometric sequence. */
static double size_between(double low, double high, int k)
{
	return low * pow(high / low, (k + 1) / (double)(per_level + 1));
}

static double share_of(const struct ep_cache *cache, size_t n_threads)
{
	size_t n = cache->n_sharing < n_threads ? cache->n_sharing : n_threads;

	return (double)cache->size_bytes / (double)(n ? n : 1);
}

/* Lists the capacities from below the first level to beyond the last. Returns how many there are. */
static size_t list_edges(const struct ep_run *run, double *edges)
{
	const struct ep_cal_machine *m = run->machine;
	double l2 = share_of(&m->l2, run->n_threads), l3 = share_of(&m->l3, run->n_threads);
	size_t n = 0;

	edges[n++] = (double)m->l1d.size_bytes / 8;
	edges[n++] = (double)m->l1d.size_bytes;
	edges[n++] = l2;
	if (l3 > l2)
		edges[n++] = l3;
	edges[n] = 12 * edges[n - 1];
	return n + 1;
}

static void add_points(struct dcache_state *state, const double *edges, size_t stride,
	const struct pattern *pattern)
{
	for (size_t level = 0; level < state->n_levels; level++)
		for (int k = 0; k < per_level; k++) {
			struct dcache_point *p = &state->points[state->n_points++];
			double size = size_between(edges[level], edges[level + 1], k);

			p->size_bytes = (size_t)size / stride * stride;
			p->stride_bytes = stride;
			p->level = level + 1 == state->n_levels ? 3 : (int)level;
			p->pattern = pattern;
			if (p->size_bytes > state->buffer_bytes)
				state->buffer_bytes = p->size_bytes;
		}
}

static void make_points(struct dcache_state *state, const struct ep_run *run)
{
	bool is_demand = run->kernel->has_basis;
	const struct pattern *patterns = is_demand ? demand_patterns : prefetched_patterns;
	size_t n_patterns =
		is_demand ? EP_ARRAY_SIZE(demand_patterns) : EP_ARRAY_SIZE(prefetched_patterns);
	double edges[max_levels + 1];

	state->n_levels = list_edges(run, edges) - 1;
	for (size_t i = 0; i < n_patterns; i++)
		for (size_t s = 0; s < n_strides; s++)
			add_points(state, edges, run->machine->line_bytes << s, &patterns[i]);
}

/* Makes the basis: demand misses of the first level, and demand hits of each level. kernels/sets has no file
 * for it, since the levels depend on the machine. */
static int make_basis(
	const struct dcache_state *state, struct ep_labelled *basis, struct ep_error *err)
{
	int rc = ep_labelled_begin(basis, "dcache",
		state->n_levels > 3 ? "L1_DM,L1_DH,L2_DH,L3_DH" : "L1_DM,L1_DH,L2_DH", err);

	for (size_t i = 0; !rc && i < state->n_points; i++) {
		const struct dcache_point *p = &state->points[i];
		double expected[] = { p->level > 0, p->level == 0, p->level == 1, p->level == 2 };
		char name[64];

		snprintf(name, sizeof(name), "%sstride%zu_%s_%zu", p->pattern->prefix,
			p->stride_bytes, level_names[p->level], i % per_level);
		rc = ep_labelled_add(basis, name, expected, err);
	}
	return rc;
}

static int make_expectations(struct ep_run *run, struct ep_error *err)
{
	const struct dcache_state *state = run->state;
	static const char params[] =
		"{\"tau\": 0.1, \"alpha\": 0.05, \"projection_cut\": 0.1, \"coefficient_tolerance\": 0.05, \"title\": \"Data cache, per access\"}";
	int rc = make_basis(state, &run->set.basis, err);

	return rc ? rc
		  : ep_run_expect(run,
			    state->n_levels > 3
				    ? "metric,L1_DM,L1_DH,L2_DH,L3_DH\n"
				      "L1 Misses.,1,0,0,0\nL1 Hits.,0,1,0,0\nL1 Reads.,1,1,0,0\n"
				      "L2 Hits.,0,0,1,0\nL2 Misses.,1,0,-1,0\nL3 Hits.,0,0,0,1\n"
				    : "metric,L1_DM,L1_DH,L2_DH\n"
				      "L1 Misses.,1,0,0\nL1 Hits.,0,1,0\nL1 Reads.,1,1,0\n"
				      "L2 Hits.,0,0,1\nL2 Misses.,1,0,-1\n",
			    params, err);
}

static int map_buffers(struct ep_run *run, struct ep_error *err)
{
	struct dcache_state *state = run->state;

	for (size_t t = 0; t < run->n_threads; t++) {
		void *buffer = mmap(NULL, state->buffer_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (buffer == MAP_FAILED)
			return ep_fail(err, -ENOMEM,
				"no memory for %zu buffers of %zu bytes; use fewer threads",
				run->n_threads, state->buffer_bytes);
		state->buffers[t] = buffer;
		/* huge pages avoid TLB misses, which would add to these counts */
		madvise(buffer, state->buffer_bytes, MADV_HUGEPAGE);
	}
	return 0;
}

static int open_dcache(struct ep_run *run, struct ep_error *err)
{
	struct dcache_state *state = calloc(1, sizeof(*state));

	if (!state)
		return ep_fail(err, -ENOMEM, "out of memory");
	run->state = state;
	make_points(state, run);
	int rc = map_buffers(run, err);
	return rc ? rc : make_expectations(run, err);
}

static size_t count_accesses(const struct dcache_point *p)
{
	size_t n = p->size_bytes / p->stride_bytes * n_rounds;

	n = n < min_accesses ? min_accesses : n > max_accesses ? max_accesses : n;
	return (n + EP_CHASE_UNROLL - 1) / EP_CHASE_UNROLL * EP_CHASE_UNROLL;
}

/* Links the buffer for the point, and runs through it twice, so that the caches hold as much of the buffer as they can.
 * For points in memory, linking suffices. */
static void prepare_dcache(struct ep_run *run, size_t point, size_t thread)
{
	struct dcache_state *state = run->state;
	const struct dcache_point *p = &state->points[point];
	struct ep_chase_shape shape = {
		.size_bytes = p->size_bytes,
		.stride_bytes = p->stride_bytes,
		.block_bytes = p->pattern->block_pages * run->machine->page_bytes,
		.is_random = p->pattern->is_random,
	};
	size_t n_elements = p->size_bytes / p->stride_bytes;

	state->at[thread] =
		ep_chase_link(state->buffers[thread], &shape, 88172645463325252ull + point);
	if (p->level < 3)
		state->at[thread] = ep_chase_read(state->at[thread], 2 * n_elements);
}

static void work_reads(struct ep_run *run, size_t point, size_t thread)
{
	struct dcache_state *state = run->state;

	state->at[thread] = ep_chase_read(state->at[thread], count_accesses(&state->points[point]));
}

static void work_writes(struct ep_run *run, size_t point, size_t thread)
{
	struct dcache_state *state = run->state;

	state->at[thread] =
		ep_chase_write(state->at[thread], count_accesses(&state->points[point]));
}

static double dcache_divisor(const struct ep_run *run, size_t point)
{
	const struct dcache_state *state = run->state;

	return (double)count_accesses(&state->points[point]);
}

static void close_dcache(struct ep_run *run)
{
	struct dcache_state *state = run->state;

	for (size_t t = 0; t < run->n_threads; t++)
		if (state->buffers[t])
			munmap(state->buffers[t], state->buffer_bytes);
	free(state);
}

const struct ep_micro_kernel ep_kernel_dcache_reads = {
	.name = "dcache-reads",
	.summary =
		"pointer chases through buffers inside each cache and memory, one load per access",
	.open = open_dcache,
	.prepare = prepare_dcache,
	.work = work_reads,
	.divisor = dcache_divisor,
	.close = close_dcache,
	.has_basis = true,
	.has_latency = true,
};

const struct ep_micro_kernel ep_kernel_dcache_patterns = {
	.name = "dcache-patterns",
	.summary =
		"the same reads in orders that prefetchers can follow; curves to look at, no formulas come from them",
	.open = open_dcache,
	.prepare = prepare_dcache,
	.work = work_reads,
	.divisor = dcache_divisor,
	.close = close_dcache,
	.has_latency = true,
};

const struct ep_micro_kernel ep_kernel_dcache_writes = {
	.name = "dcache-writes",
	.summary = "the same, one load and one store to it per access",
	.open = open_dcache,
	.prepare = prepare_dcache,
	.work = work_writes,
	.divisor = dcache_divisor,
	.close = close_dcache,
	.has_basis = true,
};
