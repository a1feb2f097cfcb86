// SPDX-License-Identifier: BSD-3-Clause
/* `hold`: the last measured rate holds. Streams: no look ahead, no hold-out, no interval. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reporter/load/fill.h"

struct held_rate {
	double count, cpu_us; /* cpu_us 0: never measured */
};

struct process_rate {
	struct held_rate sum; /* over what its threads measured */
	uint64_t n_slices;
};

struct process {
	uint32_t n_events;
	struct process_rate rates[]; /* (n_events) */
};

struct thread {
	struct process *process;
	struct held_rate rates[]; /* (n_events), of the last slice that measured it */
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

/* The first measured rate in the stretch, where there is none before it. */
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

/* A slice tells all of others that are so many times as long, and less of longer ones. */
#define FAR_SHORTER 4

/* After a slice that measured count in cpu_us. One far shorter than the process's others, as the
 * moment of a thread's end that cuts its last one short, leaves a part of the rate before. */
static struct held_rate hold(const struct held_rate *before, const struct process_rate *process,
	double count, double cpu_us)
{
	double trust = FAR_SHORTER * cpu_us * process->n_slices / process->sum.cpu_us;

	if (trust < 1 && before->cpu_us > 0)
		count = trust * count + (1 - trust) * before->count / before->cpu_us * cpu_us;
	return (struct held_rate){ count, cpu_us };
}

static void fill_event(struct thread *thread, struct ep_stretch *stretch, uint32_t e)
{
	struct process_rate *process = &thread->process->rates[e];
	struct held_rate rate = first_rate(thread, stretch, e);
	bool is_own = thread->rates[e].cpu_us > 0;

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		size_t at = (size_t)i * stretch->n_events + e;

		if (stretch->state[at] == EP_VALUE_MEASURED) {
			if (stretch->cpu_us[i] <= 0)
				continue;
			process->sum.count += stretch->values[at];
			process->sum.cpu_us += stretch->cpu_us[i];
			process->n_slices++;
			rate = hold(&rate, process, stretch->values[at], stretch->cpu_us[i]);
			is_own = true;
		} else if (rate.cpu_us > 0) {
			stretch->values[at] = rate.count / rate.cpu_us * stretch->cpu_us[i];
			stretch->state[at] = EP_VALUE_FILLED;
			stretch->variances[at] = NAN;
			stretch->quality[e] = (struct ep_fill_quality){
				.estimator = "hold", .holdout_error = NAN, .variance = NAN
			};
		}
	}
	if (is_own)
		thread->rates[e] = rate;
}

static void fill(void *thread, struct ep_stretch *stretch)
{
	for (uint32_t e = 0; e < stretch->n_events; e++)
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
