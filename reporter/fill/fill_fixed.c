// SPDX-License-Identifier: BSD-3-Clause
/* The filler `hold`: a gap gets the last measured rate. It looks ahead only for a first rate, and has neither
 * a hold-out nor error bars. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reporter/load/fill.h"

struct held_rate {
	double count, cpu_us; /* cpu_us 0: the event was never measured */
};

struct process_rate {
	struct held_rate sum; /* sum over the measured slices of all threads */
	double n_slices;
};

struct process {
	uint32_t n_events;
	struct process_rate rates[]; /* (n_events) rates of the process */
};

struct thread {
	struct process *process;
	struct held_rate rates[]; /* (n_events) rate of the last slice that measured each event */
};

static void *process_create(struct ep_fill_events *events)
{
	struct process *process =
		calloc(1, sizeof(*process) + events->n_events * sizeof(struct process_rate));

	if (process)
		process->n_events = events->n_events;
	return process;
}

static void *thread_create(void *process)
{
	const struct process *p = process;
	struct thread *thread = calloc(1, sizeof(*thread) + p->n_events * sizeof(struct held_rate));

	if (thread)
		thread->process = process;
	return thread;
}

/* Returns the thread's rate before the stretch; if there is none, the first rate measured in the stretch,
 * else the rate of the process. */
static struct held_rate first_rate(
	const struct thread *thread, const struct ep_stretch *stretch, uint32_t e)
{
	if (thread->rates[e].cpu_us > 0)
		return thread->rates[e];
	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		size_t at = (size_t)i * stretch->n_events + e;

		if (stretch->state[at] == EP_VALUE_MEASURED && stretch->cpu_us[i] > 0)
			return (struct held_rate){ stretch->values[at], stretch->cpu_us[i] };
	}
	return thread->process->rates[e].sum;
}

/* A slice's rate holds fully for slices that are at most this many times as long, and less for longer
 * ones. */
#define FAR_SHORTER 4

/* Returns the rate that holds after a slice that measured count in cpu_us. If the slice is far shorter than
 * those of the process, as the last slice of a thread may be, a part of the rate before is kept. */
static struct held_rate hold(const struct held_rate *before, const struct process_rate *process,
	double count, double cpu_us)
{
	double told = FAR_SHORTER * cpu_us * process->n_slices;

	if (told < process->sum.cpu_us && before->cpu_us > 0) {
		double trust = told / process->sum.cpu_us;

		count = trust * count + (1 - trust) * before->count / before->cpu_us * cpu_us;
	}
	return (struct held_rate){ count, cpu_us };
}

/* Updates the rate by a measured slice. */
static void see(struct held_rate *rate, struct process_rate *process, double count, double cpu_us)
{
	process->sum.count += count;
	process->sum.cpu_us += cpu_us;
	process->n_slices++;
	*rate = hold(rate, process, count, cpu_us);
}

static void fill_event(struct thread *thread, struct ep_stretch *stretch, uint32_t e)
{
	/* a copy, which stays in registers */
	struct process_rate process = thread->process->rates[e];
	struct held_rate rate = first_rate(thread, stretch, e);
	bool is_own = thread->rates[e].cpu_us > 0, has_filled = false;
	size_t at = e;

	for (uint32_t i = 0; i < stretch->n_slices; i++, at += stretch->n_events) {
		double cpu_us = stretch->cpu_us[i];

		if (stretch->state[at] == EP_VALUE_MEASURED) {
			if (cpu_us <= 0)
				continue;
			see(&rate, &process, stretch->values[at], cpu_us);
			is_own = true;
		} else if (rate.cpu_us > 0) {
			stretch->values[at] = rate.count / rate.cpu_us * cpu_us;
			stretch->state[at] = EP_VALUE_FILLED;
			stretch->variances[at] = NAN;
			has_filled = true;
		}
	}
	if (has_filled)
		stretch->quality[e] = (struct ep_fill_quality){
			.estimator = "hold", .holdout_error = NAN, .variance = NAN
		};
	thread->process->rates[e] = process;
	if (is_own)
		thread->rates[e] = rate;
}

/* Sums over the slices of a stretch that have CPU time. */
struct seen {
	double cpu_us, n_slices;
};

static struct seen see_clock(const struct ep_stretch *stretch)
{
	struct seen seen = { 0 };

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		seen.cpu_us += stretch->cpu_us[i];
		seen.n_slices += stretch->cpu_us[i] > 0;
	}
	return seen;
}

static double see_counts(const struct ep_stretch *stretch, uint32_t e)
{
	const double *value = stretch->values + e;
	double count = 0;

	if (stretch->is_counted && !stretch->is_counted[e])
		return 0;
	for (uint32_t i = 0; i < stretch->n_slices; i++, value += stretch->n_events)
		count += stretch->cpu_us[i] > 0 ? *value : 0;
	return count;
}

/* Finds the rate that holds after the last slice. It follows from the last slice that is not far shorter than
 * those before, and from the slices after that one. Counts and times are whole numbers, whose sums are exact
 * in any order. False: there is no such slice. */
static bool see_last_rates(const struct ep_stretch *stretch, uint32_t e,
	struct process_rate *process, struct held_rate *out_rate)
{
	const double *values = stretch->values + e;
	uint32_t n_events = stretch->n_events, i = stretch->n_slices;

	while (i &&
		FAR_SHORTER * stretch->cpu_us[i - 1] * process->n_slices < process->sum.cpu_us) {
		i--;
		process->sum.cpu_us -= stretch->cpu_us[i];
		process->n_slices -= stretch->cpu_us[i] > 0;
	}
	if (!i || stretch->cpu_us[i - 1] <= 0)
		return false;
	*out_rate =
		(struct held_rate){ values[(size_t)(i - 1) * n_events], stretch->cpu_us[i - 1] };
	for (; i < stretch->n_slices; i++)
		if (stretch->cpu_us[i] > 0)
			see(out_rate, process, values[(size_t)i * n_events], stretch->cpu_us[i]);
	return true;
}

/* Updates the rates by a stretch without gaps, for which only the rate at its end matters. */
static bool see_whole(struct thread *thread, const struct ep_stretch *stretch, uint32_t e,
	const struct seen *clock)
{
	struct process_rate *of_process = &thread->process->rates[e], process = *of_process;
	struct held_rate rate;

	process.sum.cpu_us += clock->cpu_us;
	process.n_slices += clock->n_slices;
	if (!see_last_rates(stretch, e, &process, &rate))
		return false;
	process.sum.count = of_process->sum.count + see_counts(stretch, e);
	*of_process = process;
	thread->rates[e] = rate;
	return true;
}

static void fill(void *thread, struct ep_stretch *stretch)
{
	struct seen clock = see_clock(stretch);

	for (uint32_t e = 0; e < stretch->n_events; e++)
		if (!stretch->is_whole || !see_whole(thread, stretch, e, &clock))
			fill_event(thread, stretch, e);
}

const struct ep_filler_ops ep_filler_fixed = {
	.name = "hold",
	.tells_variances = true,
	.process_create = process_create,
	.process_destroy = free,
	.thread_create = thread_create,
	.thread_destroy = free,
	.fill = fill,
};
