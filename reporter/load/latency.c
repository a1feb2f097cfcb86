// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/latency_private.h"
#include "reporter/load/load.h"

#define FIRST_WIDTH_US 64
#define HASH_MASK 0x7fffffffu /* bits of a slice's hash that are kept */

static int make(struct ep_latency **latency, uint64_t us)
{
	struct ep_latency *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->width_us = FIRST_WIDTH_US;
	l->start_us = us / FIRST_WIDTH_US * FIRST_WIDTH_US;
	l->jump = calloc(EP_LATENCY_BINS, sizeof(*l->jump));
	l->part = calloc(EP_LATENCY_BINS, sizeof(*l->part));
	if (!l->jump || !l->part) {
		ep_latency_destroy(l);
		return -ENOMEM;
	}
	*latency = l;
	return 0;
}

void ep_latency_destroy(struct ep_latency *latency)
{
	if (!latency)
		return;
	free(latency->jump);
	free(latency->part);
	free(latency->kept);
	free(latency);
}

#define LAST_US (UINT64_MAX / 4) /* later times occur only in damaged traces */

static bool is_odd(const struct ep_latency_slice *slice)
{
	return slice->from_us > slice->to_us || slice->to_us > LAST_US;
}

/* ---- bins ---- */

/* Doubles the width of the bins by joining them in pairs. A change in the first bin of a pair holds during
 * the whole second bin, which is added to part. */
static void halve(struct ep_latency *l)
{
	uint64_t start_us = l->start_us / (2 * l->width_us) * (2 * l->width_us);
	uint32_t odd = start_us != l->start_us, n = (l->n_bins + odd + 1) / 2;
	double width_us = (double)l->width_us;

	for (uint32_t i = 0; i < n; i++) {
		int64_t first = 2 * (int64_t)i - odd, second = first + 1;
		double jump = first < 0 ? 0 : l->jump[first], part = first < 0 ? 0 : l->part[first];

		part += jump * width_us;
		if (second < (int64_t)l->n_bins) {
			jump += l->jump[second];
			part += l->part[second];
		}
		l->jump[i] = jump;
		l->part[i] = part;
	}
	memset(l->jump + n, 0, (EP_LATENCY_BINS - n) * sizeof(*l->jump));
	memset(l->part + n, 0, (EP_LATENCY_BINS - n) * sizeof(*l->part));
	l->n_bins = n;
	l->start_us = start_us;
	l->width_us *= 2;
}

static void move_up(double *bins, uint32_t n_bins, uint32_t by)
{
	memmove(bins + by, bins, n_bins * sizeof(*bins));
	memset(bins, 0, by * sizeof(*bins));
}

/* Divides by shifting: a division would take a tenth of the time that reading a slice takes. */
static inline uint64_t n_widths(const struct ep_latency *l, uint64_t us)
{
	return us >> __builtin_ctzll(l->width_us);
}

static inline bool has_bin(const struct ep_latency *l, uint64_t us)
{
	return us >= l->start_us && n_widths(l, us - l->start_us) < l->n_bins;
}

static void extend(struct ep_latency *l, uint64_t us)
{
	uint64_t below, n;

	for (;;) {
		below = us < l->start_us ? n_widths(l, l->start_us - us + l->width_us - 1) : 0;
		n = us < l->start_us ? 0 : n_widths(l, us - l->start_us) + 1;
		if (below + l->n_bins <= EP_LATENCY_BINS && n <= EP_LATENCY_BINS)
			break;
		halve(l);
	}
	if (below) {
		move_up(l->jump, l->n_bins, (uint32_t)below);
		move_up(l->part, l->n_bins, (uint32_t)below);
		l->start_us -= below * l->width_us;
		l->n_bins += (uint32_t)below;
	}
	if (n > l->n_bins)
		l->n_bins = (uint32_t)n;
}

/* Adds or widens bins until the moment us lies in a bin. */
static inline void reach(struct ep_latency *l, uint64_t us)
{
	if (!has_bin(l, us))
		extend(l, us);
}

/* Extends the bins to both ends of a slice. It is a function of its own, so that the code that runs for each
 * slice needs fewer registers. */
static __attribute__((noinline)) void reach_both(
	struct ep_latency *l, const struct ep_latency_slice *slice)
{
	reach(l, slice->from_us);
	reach(l, slice->to_us);
}

/* Changes the number of running threads from a time on. Times are converted as signed numbers, which takes
 * half the instructions. */
static inline void change(struct ep_latency *l, uint64_t us, double by)
{
	uint64_t at_us = us - l->start_us, bin = n_widths(l, at_us);

	l->jump[bin] += by;
	l->part[bin] += by * (double)(int64_t)((bin + 1) * l->width_us - at_us);
}

int ep_latency_see_running(struct ep_latency **latency, const struct ep_latency_slice *slice)
{
	double rate;

	if (is_odd(slice) || slice->to_us == slice->from_us)
		return 0;
	if (!*latency && make(latency, slice->from_us))
		return -ENOMEM;
	rate = (double)(int64_t)slice->cpu_us / (double)(int64_t)(slice->to_us - slice->from_us);
	if (slice->from_us < (*latency)->start_us || !has_bin(*latency, slice->to_us))
		reach_both(*latency, slice);
	change(*latency, slice->from_us, rate);
	change(*latency, slice->to_us, -rate);
	return 0;
}

int ep_latency_add_bin(struct ep_latency **latency, const struct ep_latency_bin *bin)
{
	uint64_t end_us = bin->from_us + bin->width_us, idx;
	struct ep_latency *l;

	if (bin->from_us > LAST_US || bin->width_us > LAST_US)
		return -EBADMSG;
	if (!*latency && make(latency, bin->from_us))
		return -ENOMEM;
	l = *latency;
	while (l->width_us < bin->width_us)
		halve(l);
	reach(l, bin->from_us);
	idx = (bin->from_us - l->start_us) / l->width_us;
	l->jump[idx] += bin->jump;
	l->part[idx] +=
		bin->part + bin->jump * (double)(l->start_us + (idx + 1) * l->width_us - end_us);
	return 0;
}

/* ---- slices ---- */

static void thin_out(struct ep_latency *l)
{
	uint32_t n = 0;

	l->mask = l->mask << 1 | 1;
	for (uint32_t i = 0; i < l->n_kept; i++)
		if (!(l->kept[i].hash & l->mask))
			l->kept[n++] = l->kept[i];
	l->n_kept = n;
}

/* Keeps a slice if its hash selects it. The selection does not depend on the order of slices: parts of a run
 * that were reduced separately keep the same slices as the whole run. */
int ep_latency_keep(struct ep_latency **latency, const struct ep_latency_kept *kept)
{
	struct ep_latency *l;

	if (!*latency && make(latency, kept->from_us))
		return -ENOMEM;
	l = *latency;
	while (!(kept->hash & l->mask) && l->n_kept == EP_LATENCY_KEPT && l->mask < HASH_MASK)
		thin_out(l);
	/* Slices that share one hash, of which a damaged file may have any number, cannot be
	 * thinned out. */
	if ((kept->hash & l->mask) || l->n_kept == EP_LATENCY_KEPT)
		return 0;
	if (EP_ARRAY_RESERVE(l->kept, l->n_kept, l->capacity))
		return -ENOMEM;
	l->kept[l->n_kept++] = *kept;
	return 0;
}

int ep_latency_see_path(struct ep_latency **latency, const struct ep_latency_slice *slice)
{
	uint64_t wall_us = slice->to_us - slice->from_us;
	uint64_t hash;

	if (is_odd(slice) || !ep_latency_is_drawn(*latency, slice, &hash))
		return 0;

	struct ep_latency_kept kept = { .from_us = slice->from_us,
		.wall_us = wall_us < UINT32_MAX ? (uint32_t)wall_us : UINT32_MAX,
		.cpu_us = slice->cpu_us < UINT32_MAX ? (uint32_t)slice->cpu_us : UINT32_MAX,
		.path_idx = slice->path_idx,
		.hash = (uint32_t)(hash & HASH_MASK),
		.is_call = slice->is_call };

	return ep_latency_keep(latency, &kept);
}

/* ---- weights ---- */

/* (n_bins + 1) sums over the time before the beginning of each bin, and before the end of the last bin.
 * weights sums passing time divided by the number of threads that ran, alone_us the time in which at most one
 * thread ran. */
struct moment_sums {
	double *weights, *alone_us;
};

#define ALONE 1.5 /* in a bin with fewer threads than this on average, one ran alone */

/* Adds time in which n_threads ran. A fraction of a thread means that one ran for that part of the
 * time. */
static void count(struct ep_trace *trace, double n_threads, double width_us)
{
	uint32_t most = EP_ARRAY_SIZE(trace->parallel_us);
	uint32_t n = n_threads < most ? (uint32_t)(n_threads + 0.5) : most;

	if (n_threads > 0)
		trace->parallel_us[n ? n - 1 : 0] += width_us * (n_threads < 1 ? n_threads : 1);
}

static void sum_up(
	const struct ep_latency *l, struct ep_trace *trace, const struct moment_sums *sums)
{
	double before = 0, width_us = (double)l->width_us;

	for (uint32_t i = 0; i < l->n_bins; i++) {
		double n_threads = before + l->part[i] / width_us;

		before += l->jump[i];
		sums->weights[i + 1] =
			sums->weights[i] + width_us / (n_threads > 1 ? n_threads : 1);
		sums->alone_us[i + 1] = sums->alone_us[i] + (n_threads < ALONE ? width_us : 0);
		count(trace, n_threads, width_us);
	}
}

static double sum_at(const struct ep_latency *l, const double *sums, uint64_t us)
{
	double at = us > l->start_us ? (double)(us - l->start_us) / (double)l->width_us : 0;
	uint32_t bin = at < l->n_bins ? (uint32_t)at : l->n_bins;

	return bin < l->n_bins ? sums[bin] + (at - bin) * (sums[bin + 1] - sums[bin]) : sums[bin];
}

/* Returns by how much a running sum grows per microsecond of a slice; for a slice without length, of the
 * slice's bin. */
static double mean_of(
	const struct ep_latency *l, const double *sums, const struct ep_latency_kept *kept)
{
	uint64_t from_us = kept->from_us, to_us = from_us + kept->wall_us;

	if (from_us == to_us) {
		from_us = from_us / l->width_us * l->width_us;
		to_us = from_us + l->width_us;
	}
	return (sum_at(l, sums, to_us) - sum_at(l, sums, from_us)) / (double)(to_us - from_us);
}

/* Sums over the slices of one path, or of all paths, from which means are made. */
struct mean {
	double cpu_us, weighed_us, alone_us;
};

static void add(struct mean *mean, double cpu_us, double weight, double alone)
{
	mean->cpu_us += cpu_us;
	mean->weighed_us += cpu_us * weight;
	mean->alone_us += cpu_us * alone;
}

static void weigh_cost(
	struct ep_path_cost *cost, double us, const struct mean *own, const struct mean *all)
{
	const struct mean *mean = own->cpu_us > 0 ? own : all;

	if (us <= 0 || mean->cpu_us <= 0)
		return;
	cost->latency_us += us * mean->weighed_us / mean->cpu_us;
	cost->alone_us += us * mean->alone_us / mean->cpu_us;
}

/* Sets the latency of all costs. means (n_costs, 2): for each cost, sums over slices, and over ticks that
 * looked for system calls. */
static void weigh(struct ep_trace *trace, const struct moment_sums *sums, struct mean *means)
{
	const struct ep_latency *l = trace->latency;
	struct mean all = { 0 };

	for (uint32_t i = 0; i < l->n_kept; i++) {
		const struct ep_latency_kept *kept = &l->kept[i];
		uint32_t cost_idx = trace->paths[kept->path_idx].cost_idx;
		double weight = mean_of(l, sums->weights, kept);
		double alone = mean_of(l, sums->alone_us, kept);

		if (cost_idx != EP_NONE)
			add(&means[2 * cost_idx + kept->is_call], kept->cpu_us, weight, alone);
		add(&all, kept->cpu_us, weight, alone);
	}
	trace->latency_us = 0;
	for (uint32_t i = 0; i < trace->n_costs; i++) {
		struct ep_path_cost *cost = &trace->costs[i];

		cost->latency_us = cost->alone_us = 0;
		weigh_cost(cost, (double)cost->cost.cpu_us - (double)cost->calls_us, &means[2 * i],
			&all);
		weigh_cost(cost, (double)cost->calls_us, &means[2 * i + 1], &all);
		trace->latency_us += cost->latency_us;
	}
}

/* Returns the mean weight of the CPU time between from_us and to_us. CPU time weighs 1 / (number of threads
 * that run at that moment); so the mean weight is the time in which any thread ran, divided by the CPU time. */
double ep_latency_mean_weight(const struct ep_latency *l, uint64_t from_us, uint64_t to_us)
{
	double before = 0, width_us = (double)l->width_us, cpus = 0, busy = 0;

	for (uint32_t i = 0; i < l->n_bins; i++) {
		double n_threads = before + l->part[i] / width_us;
		uint64_t at_us = l->start_us + i * l->width_us + l->width_us / 2;

		before += l->jump[i];
		if (at_us < from_us || at_us >= to_us || n_threads <= 0)
			continue;
		cpus += n_threads;
		busy += n_threads > 1 ? 1 : n_threads;
	}
	return cpus > 0 ? busy / cpus : 1;
}

int ep_latency_weigh(struct ep_trace *trace)
{
	const struct ep_latency *l = trace->latency;
	uint32_t n_bins = l ? l->n_bins : 0;
	EP_AUTOFREE double *weights = calloc(n_bins + 1, sizeof(*weights));
	EP_AUTOFREE double *alone_us = calloc(n_bins + 1, sizeof(*alone_us));
	EP_AUTOFREE struct mean *means = calloc(2 * (size_t)trace->n_costs + 1, sizeof(*means));
	struct moment_sums sums = { weights, alone_us };

	if (!weights || !alone_us || !means)
		return -ENOMEM;
	if (!n_bins)
		return 0;
	sum_up(l, trace, &sums);
	weigh(trace, &sums, means);
	return 0;
}
