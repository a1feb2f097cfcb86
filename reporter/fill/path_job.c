// SPDX-License-Identifier: BSD-3-Clause
/* Prepares what all events share when a stretch is filled by places. */
#include "reporter/fill/path_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/estimate/long_gaps.h"
#include "reporter/fill/fill_fit.h"

void ep_path_job_finish(struct ep_path_job *job)
{
	for (int level = 0; level < EP_PATH_N_LEVELS; level++)
		free(job->orders[level]);
	free(job->always);
	free(job->events);
	free(job->clock);
	free(job->blocks);
	free(job->samples);
	free(job->kinds);
}

/* Assigns the slices of each place to one replica after the other, so that each replica leaves out a part of
 * every place. */
static void find_blocks(struct ep_path_job *job)
{
	const struct ep_keyed_slice *order = job->orders[0];

	for (uint32_t i = 0, rank = 0; i < job->stretch->n_slices; i++) {
		rank = rank + 1 < EP_N_REPLICAS ? rank + 1 : 0;
		if (!i || order[i].key != order[i - 1].key) {
			rank = (uint32_t)(order[i].key % EP_N_REPLICAS);
			job->n_places++;
		}
		job->blocks[order[i].slice] = (uint8_t)rank;
	}
}

/* Tells whether another always-on event has counts in the slice. */
static bool has_work(const struct ep_stretch *stretch, const unsigned char *always, uint32_t slice)
{
	for (uint32_t e = 0; e < stretch->n_events; e++)
		if (always[e] && stretch->values[(size_t)slice * stretch->n_events + e] > 0)
			return true;
	return false;
}

/* Reads the clock's counts into clock (T). If the clock is 0 although other events have counts, CPU time at
 * the clock's mean rate is taken. This happens with some emulated PMUs, whose cycles are 0 in some groups. */
static void read_clock(const struct ep_stretch *stretch, const unsigned char *always,
	uint32_t event, double *clock)
{
	double sum = 0, cpu_us = 0;

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		clock[i] = stretch->values[(size_t)i * stretch->n_events + event];
		sum += clock[i];
		cpu_us += clock[i] > 0 ? stretch->cpu_us[i] : 0;
	}
	for (uint32_t i = 0; i < stretch->n_slices; i++)
		if (!(clock[i] > 0) && cpu_us > 0 && has_work(stretch, always, i))
			clock[i] = stretch->cpu_us[i] * sum / cpu_us;
}

/* Sets the clock (T): an event that is a clock by its name if all slices counted it, else the clock of the
 * process, else CPU time. */
static void set_clock(struct ep_path_job *job)
{
	const struct ep_stretch *stretch = job->stretch;
	int clock = job->learnt->clock;

	job->clock_event = ep_stretch_find_clock(stretch, job->learnt->events, job->always);
	if (job->clock_event < 0 && clock >= 0 && job->always[clock])
		job->clock_event = clock;
	if (job->clock_event < 0)
		memcpy(job->clock, stretch->cpu_us, stretch->n_slices * sizeof(*job->clock));
	else
		read_clock(stretch, job->always, (uint32_t)job->clock_event, job->clock);
}

/* The error of an event's estimates in a stretch is found from hidden samples: from all if there are at most
 * so many, else from a random choice of half so many to so many. */
#define ENOUGH_HOLDOUTS 512

/* Marks gaps that are long, in which counters were stopped or had not started. */
static void mark_far(struct ep_path_job *job, uint32_t e, uint32_t n_samples)
{
	uint32_t n_slices = job->stretch->n_slices, n_events = job->stretch->n_events;
	double least = ep_long_gap_slices(n_slices, n_samples);

	for (uint32_t begin = 0, end; begin < n_slices; begin = end + 1) {
		for (end = begin; end < n_slices; end++)
			if (job->kinds[(size_t)end * n_events + e] != EP_PATH_GAP)
				break;
		for (uint32_t i = begin; end - begin > least && i < end; i++)
			job->kinds[(size_t)i * n_events + e] = EP_PATH_FAR_GAP;
	}
}

/* Sets the kind of each slice for the event. */
static struct ep_path_event read_event(struct ep_path_job *job, uint32_t e)
{
	const struct ep_stretch *stretch = job->stretch;
	uint32_t n_holdouts = 0, n_samples = 0;
	double count = 0, time = 0;

	for (uint32_t i = 0; i < stretch->n_slices; i++) {
		size_t at = (size_t)i * stretch->n_events + e;
		bool is_gap = stretch->state[at] == EP_VALUE_MISSING;

		job->kinds[at] = is_gap ? EP_PATH_GAP : EP_PATH_CLOSED;
		if (stretch->state[at] != EP_VALUE_MEASURED)
			continue;
		count += stretch->values[at];
		time += job->clock[i];
		if (!(job->clock[i] > 0))
			continue;
		job->kinds[at] = EP_PATH_SAMPLE;
		n_samples++;
		n_holdouts += stretch->values[at] > 0;
	}
	mark_far(job, e, n_samples);
	return (struct ep_path_event){ .idx = e,
		.mean_rate = time > 0 ? count / time : NAN,
		.least_error = time > 0 ? EP_PATH_LEAST_COUNTS / time : 0,
		.holdout_step = 1 + n_holdouts / (ENOUGH_HOLDOUTS + 1) };
}

/* Finds the events that some slices did not measure, even those without any sample, since the history may
 * have rates of them. */
static void find_events(struct ep_path_job *job)
{
	for (uint32_t e = 0; e < job->stretch->n_events; e++)
		if (!job->always[e])
			job->events[job->n_events++] = read_event(job, e);
}

bool ep_path_job_prepare(struct ep_path_job *job)
{
	const struct ep_stretch *stretch = job->stretch;
	size_t n = stretch->n_slices;

	job->orders[0] = ep_slices_by_key(stretch->places, stretch->n_slices);
	job->always = malloc(stretch->n_events + 1);
	job->events = calloc(stretch->n_events + 1, sizeof(*job->events));
	job->clock = malloc((n + 1) * sizeof(*job->clock));
	job->blocks = malloc(n + 1);
	job->samples = malloc((n + 1) * sizeof(*job->samples));
	job->kinds = malloc(n * stretch->n_events + 1);
	if (!job->orders[0] || !job->always || !job->events || !job->clock || !job->blocks ||
		!job->samples || !job->kinds)
		return false;
	set_clock(job);
	find_blocks(job);
	find_events(job);
	return true;
}
