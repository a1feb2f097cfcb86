// SPDX-License-Identifier: BSD-3-Clause
/* Which loops run over how much memory. */
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
	size_t bytes; /* of one thread's arrays together; 0: there is no such level */
};

static size_t share_of(const struct ep_cache *cache)
{
	return cache->n_sharing ? cache->size_bytes / cache->n_sharing : cache->size_bytes;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Four times the last caches of all threads (the rule of STREAM, McCalpin 1995). */
static size_t memory_bytes(const struct ep_cal_machine *m, size_t n_threads)
{
	const struct ep_cache *last = m->l3.size_bytes ? &m->l3 : &m->l2;
	size_t n_sharing = larger(last->n_sharing, 1);
	size_t n_caches = (n_threads + n_sharing - 1) / n_sharing;
	size_t bytes = 4 * n_caches * last->size_bytes / n_threads;

	return larger(bytes, 16 << 20);
}

/* Half of the first cache; of the others what does not fit into those before, and no more than a part of
 * a thread's share, since other programs use them as well. */
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

/* Memory is measured when its arrays take a quarter of what is free at most. */
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

struct measurement {
	const struct ep_cal_machine *machine;
	struct ep_roofs *roofs;
	unsigned n_repetitions;
	struct ep_error *err;
};

static size_t n_threads_of(const struct measurement *m, enum ep_roof_cpus cpus)
{
	return cpus == EP_ROOF_ALL ? m->machine->n_cpus : 1;
}

/* All CPUs do what one does where it is the only one. */
static int measure_rate(struct measurement *m, struct ep_roof *roof, enum ep_roof_cpus cpus,
	const struct ep_team_work *work)
{
	size_t n_threads = n_threads_of(m, cpus);
	int rc = 0;

	if (cpus == EP_ROOF_ALL && n_threads == 1)
		roof->rates[cpus] = roof->rates[EP_ROOF_ONE];
	else
		rc = ep_team_run(m->machine, n_threads, work, m->n_repetitions, &roof->rates[cpus]);
	return rc ? ep_fail(m->err, rc, "cannot run %zu threads: out of memory, or of threads",
			    n_threads)
		  : 0;
}

static struct ep_roof *add_roof(struct measurement *m, bool is_bandwidth)
{
	struct ep_roof *roof = &m->roofs->roofs[m->roofs->n_roofs++];

	roof->is_bandwidth = is_bandwidth;
	return roof;
}

static int measure_peak(struct measurement *m, const struct ep_peak_kernel *kernel)
{
	const struct ep_team_work work = { .peak = kernel, .amount = kernel->n_operations };
	struct ep_roof *roof = add_roof(m, false);
	int rc = 0;

	snprintf(roof->name, sizeof(roof->name), "Peak_%s", kernel->name);
	snprintf(roof->about, sizeof(roof->about), "%s", kernel->about);
	for (int cpus = 0; !rc && cpus < EP_N_ROOF_CPUS; cpus++)
		rc = measure_rate(m, roof, cpus, &work);
	return rc;
}

static int measure_bandwidth(
	struct measurement *m, const struct ep_stream_kernel *kernel, int level_idx)
{
	struct ep_roof *roof = add_roof(m, true);
	struct level levels[n_levels];
	int rc = 0;

	for (int cpus = 0; !rc && cpus < EP_N_ROOF_CPUS; cpus++) {
		choose_levels(m->machine, n_threads_of(m, cpus), levels);
		struct ep_team_work work = stream_work(kernel, levels[level_idx].bytes);
		rc = measure_rate(m, roof, cpus, &work);
	}
	snprintf(roof->name, sizeof(roof->name), "Bandwidth_%s_%s", levels[level_idx].name,
		kernel->name);
	snprintf(roof->about, sizeof(roof->about), "Bytes moved between registers and %s, %s",
		levels[level_idx].about, kernel->about);
	return rc;
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

int ep_roofs_measure(const struct ep_cal_machine *machine, unsigned n_repetitions,
	struct ep_roofs *out, struct ep_error *err)
{
	__attribute__((cleanup(ep_roofs_finish))) struct ep_roofs roofs = { .cycle_ns = NAN };
	struct measurement m = { machine, &roofs, n_repetitions, err };
	int rc = 0;

	roofs.roofs =
		calloc(ep_n_peak_kernels + n_levels * EP_N_STREAM_KERNELS, sizeof(*roofs.roofs));
	if (!roofs.roofs)
		return ep_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < ep_n_peak_kernels; i++)
		if (ep_peak_kernels[i].is_supported())
			rc = measure_peak(&m, &ep_peak_kernels[i]);
	roofs.cycle_ns = ep_latency_cycle_ns(n_repetitions);
	for (int level = 0; level < n_levels; level++)
		for (int i = 0; !rc && is_measurable(&m, level) && i < EP_N_STREAM_KERNELS; i++)
			rc = measure_bandwidth(&m, &ep_stream_kernels[i], level);
	if (rc)
		return rc;
	*out = roofs;
	roofs.roofs = NULL;
	return 0;
}

void ep_roofs_finish(struct ep_roofs *roofs)
{
	free(roofs->roofs);
	roofs->roofs = NULL;
}
