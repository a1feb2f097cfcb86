// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the loops and the sizes of memory over which they run, and measures them. */
#include "kernels/roofs/roofs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "kernels/measure/latency.h"
#include "kernels/micro/roofs.h"
#include "kernels/roofs/team.h"

enum { n_levels = 4, chunk_bytes = 64 << 10 };

struct level {
	const char *name, *about;
	/* size of all arrays of one thread together; 0: the machine has no such level */
	size_t bytes;
};

static size_t share_of(const struct ep_cache *cache)
{
	return cache->n_sharing ? cache->size_bytes / cache->n_sharing : cache->size_bytes;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the size of one thread's arrays in memory: all threads together use four times the size of the last
 * caches (the rule of STREAM, McCalpin 1995). */
static size_t memory_bytes(const struct ep_cal_machine *m, size_t n_threads)
{
	const struct ep_cache *last = m->l3.size_bytes ? &m->l3 : &m->l2;
	size_t n_sharing = larger(last->n_sharing, 1);
	size_t n_caches = (n_threads + n_sharing - 1) / n_sharing;
	size_t bytes = 4 * n_caches * last->size_bytes / n_threads;

	return larger(bytes, 16 << 20);
}

/* Chooses the size for each level: half of the first cache; for other caches, more than the caches before can
 * hold, but only a part of a thread's share, since other programs use the caches as well. */
static void choose_levels(
	const struct ep_cal_machine *m, size_t n_threads, struct level levels[n_levels])
{
	size_t l1 = share_of(&m->l1d), l2 = share_of(&m->l2), l3 = share_of(&m->l3);
	const struct level all[n_levels] = {
		{ "L1", "the L1 data cache", l1 / 2 },
		{ "L2", "the L2 cache", l2 > 2 * l1 ? l2 / 2 : l1 + l2 / 2 },
		{ "L3", "the L3 cache", m->l3.size_bytes ? l2 + l3 / 4 : 0 },
		{ "MEM", "memory", memory_bytes(m, n_threads) },
	};

	for (int i = 0; i < n_levels; i++)
		levels[i] = all[i];
}

/* Tells whether memory is measured: its arrays must take at most a quarter of the free memory. */
static bool has_room(size_t bytes)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	return pages <= 0 || (double)bytes <= (double)pages * (double)page_bytes / 4;
}

static size_t round_down(size_t bytes, size_t step)
{
	return larger(bytes / step, 1) * step;
}

static struct ep_team_work stream_work(const struct ep_stream_kernel *kernel, size_t bytes)
{
	size_t array_bytes = bytes / kernel->n_arrays;
	size_t step = array_bytes > chunk_bytes ? chunk_bytes : EP_STREAM_STEP_BYTES;
	struct ep_team_work work = {
		.stream = kernel->choose(),
		.n_arrays = kernel->n_arrays,
		.array_bytes = round_down(array_bytes, step),
	};

	work.chunk_bytes = array_bytes > chunk_bytes ? chunk_bytes : work.array_bytes;
	work.amount = (double)(work.chunk_bytes * work.n_arrays);
	return work;
}

/* A roof to be measured, with its work for one CPU and for all. */
struct planned {
	struct ep_roof *roof;
	struct ep_team_work works[EP_N_ROOF_CPUS];
};

struct measurement {
	const struct ep_cal_machine *machine;
	struct ep_roofs *roofs;
	struct planned *planned; /* (roofs->n_roofs) the plan of each roof */
	unsigned n_repetitions, n_rounds;
	struct ep_error *err;
};

static size_t n_threads_of(const struct measurement *m, enum ep_roof_cpus cpus)
{
	return cpus == EP_ROOF_ALL ? m->machine->n_cpus : 1;
}

static struct planned *add_roof(struct measurement *m, bool is_bandwidth)
{
	struct ep_roof *roof = &m->roofs->roofs[m->roofs->n_roofs];
	struct planned *planned = &m->planned[m->roofs->n_roofs++];

	roof->is_bandwidth = is_bandwidth;
	planned->roof = roof;
	return planned;
}

static void plan_peak(struct measurement *m, const struct ep_peak_kernel *kernel)
{
	struct planned *planned = add_roof(m, false);
	struct ep_roof *roof = planned->roof;

	snprintf(roof->name, sizeof(roof->name), "Peak_%s", kernel->name);
	snprintf(roof->about, sizeof(roof->about), "%s", kernel->about);
	for (int cpus = 0; cpus < EP_N_ROOF_CPUS; cpus++)
		planned->works[cpus] =
			(struct ep_team_work){ .peak = kernel, .amount = kernel->n_operations };
}

static void plan_bandwidth(
	struct measurement *m, const struct ep_stream_kernel *kernel, int level_idx)
{
	struct planned *planned = add_roof(m, true);
	struct ep_roof *roof = planned->roof;
	struct level levels[n_levels];

	for (int cpus = 0; cpus < EP_N_ROOF_CPUS; cpus++) {
		choose_levels(m->machine, n_threads_of(m, cpus), levels);
		planned->works[cpus] = stream_work(kernel, levels[level_idx].bytes);
	}
	snprintf(roof->name, sizeof(roof->name), "Bandwidth_%s_%s", levels[level_idx].name,
		kernel->name);
	snprintf(roof->about, sizeof(roof->about), "Bytes moved between registers and %s, %s",
		levels[level_idx].about, kernel->about);
}

static bool is_measurable(struct measurement *m, int level_idx)
{
	struct level one[n_levels], all[n_levels];
	size_t n_cpus = m->machine->n_cpus;

	choose_levels(m->machine, 1, one);
	choose_levels(m->machine, n_cpus, all);
	if (!one[level_idx].bytes)
		return false;
	if (has_room(larger(one[level_idx].bytes, all[level_idx].bytes * n_cpus)))
		return true;
	m->roofs->lacking = "too little memory is free for arrays of four times the last cache";
	return false;
}

static void plan_all(struct measurement *m)
{
	for (size_t i = 0; i < ep_n_peak_kernels; i++)
		if (ep_peak_kernels[i].is_supported())
			plan_peak(m, &ep_peak_kernels[i]);
	for (int level = 0; level < n_levels; level++)
		for (int i = 0; is_measurable(m, level) && i < EP_N_STREAM_KERNELS; i++)
			plan_bandwidth(m, &ep_stream_kernels[i], level);
}

/* Tells whether a measurement on all CPUs is left out, since there is only one CPU. */
static bool is_left_out(const struct measurement *m, enum ep_roof_cpus cpus)
{
	return cpus == EP_ROOF_ALL && m->machine->n_cpus == 1;
}

/* Returns the number of repetitions in a round; if they cannot be divided evenly, the first rounds have one
 * more. */
static unsigned n_repetitions_of(const struct measurement *m, unsigned round)
{
	return m->n_repetitions / m->n_rounds + (round < m->n_repetitions % m->n_rounds);
}

static int measure_round(struct measurement *m, unsigned round)
{
	for (size_t i = 0; i < m->roofs->n_roofs; i++)
		for (int cpus = 0; cpus < EP_N_ROOF_CPUS; cpus++) {
			const struct planned *planned = &m->planned[i];
			size_t n_threads = n_threads_of(m, cpus);
			int rc;

			if (is_left_out(m, cpus))
				continue;
			rc = ep_team_run(m->machine, n_threads, &planned->works[cpus],
				n_repetitions_of(m, round),
				&planned->roof->rates[cpus].rounds[round]);
			if (rc)
				return ep_fail(m->err, rc,
					"cannot run %zu threads: out of memory, or of threads",
					n_threads);
		}
	return 0;
}

void ep_roof_rate_sum_up(struct ep_roof_rate *rate, unsigned n_rounds)
{
	double most = 0, second = 0, least = INFINITY;

	for (unsigned i = 0; i < n_rounds; i++) {
		second = fmax(second, fmin(most, rate->rounds[i]));
		most = fmax(most, rate->rounds[i]);
		least = fmin(least, rate->rounds[i]);
	}
	rate->best = n_rounds > 2 ? second : most;
	rate->spread = n_rounds ? most - least : 0;
}

static void sum_up(struct measurement *m)
{
	for (size_t i = 0; i < m->roofs->n_roofs; i++)
		for (int cpus = 0; cpus < EP_N_ROOF_CPUS; cpus++) {
			struct ep_roof_rate *rates = m->roofs->roofs[i].rates;

			if (is_left_out(m, cpus))
				rates[cpus] = rates[EP_ROOF_ONE];
			else
				ep_roof_rate_sum_up(&rates[cpus], m->n_rounds);
		}
}

int ep_roofs_measure(const struct ep_cal_machine *machine, unsigned n_repetitions,
	struct ep_roofs *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_roofs_finish))) struct ep_roofs roofs = { .cycle_ns = NAN };
	size_t n_most = ep_n_peak_kernels + n_levels * EP_N_STREAM_KERNELS;
	EP_AUTOFREE struct planned *planned = calloc(n_most, sizeof(*planned));
	struct measurement m = { machine, &roofs, planned, n_repetitions,
		n_repetitions < EP_ROOF_ROUNDS ? n_repetitions : EP_ROOF_ROUNDS, err };
	int rc = 0;

	roofs.roofs = calloc(n_most, sizeof(*roofs.roofs));
	if (!roofs.roofs || !planned)
		return ep_fail(err, -ENOMEM, "out of memory");
	plan_all(&m);
	roofs.cycle_ns = ep_latency_cycle_ns(n_repetitions);
	for (unsigned round = 0; !rc && round < m.n_rounds; round++)
		rc = measure_round(&m, round);
	if (rc)
		return rc;
	sum_up(&m);
	*out = roofs;
	roofs.roofs = NULL;
	return 0;
}

void ep_roofs_finish(struct ep_roofs *roofs)
{
	free(roofs->roofs);
	roofs->roofs = NULL;
}
