// SPDX-License-Identifier: BSD-3-Clause
/* `hold`: the last measured rate holds. Streams: no look ahead, no hold-out, no interval. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reporter/load/fill.h"

struct held_rate {
	double count, cpu_us; /* cpu_us 0: never measured */
};

struct process {
	uint32_t n_events;
	struct held_rate rates[]; /* (n_events), sums over what its threads measured */
};

struct thread {
	struct process *process;
	struct held_rate rates[]; /* (n_events), of the last slice that measured it */
};

static void *process_create(struct ep_fill_events *events)
{
	struct process *process =
		calloc(1, sizeof(*process) + events->n_events * sizeof(struct held_rate));

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
	return thread->process->rates[e];
}

static void fill_event(struct thread *thread, struct ep_stretch *stretch, uint32_t e)
{
	struct held_rate *sum = &thread->process->rates[e];
	struct held_rate rate = first_rate(thread, stretch, e);
	bool is_own = thread->rates[e].cpu_us > 0;

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		size_t at = (size_t)i * stretch->n_events + e;

		if (stretch->state[at] == EP_VALUE_MEASURED) {
			if (stretch->cpu_us[i] <= 0)
				continue;
			rate = (struct held_rate){ stretch->values[at], stretch->cpu_us[i] };
			is_own = true;
			sum->count += rate.count;
			sum->cpu_us += rate.cpu_us;
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
