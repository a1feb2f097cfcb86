// SPDX-License-Identifier: BSD-3-Clause
/* Builds the report's timeline: bins of the run, or of the part of the run that is shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/facts/builder.h"

/* Adds the value of one bin of a timeline, which lasts from at to end, to the report's bins. The bins of a timeline
 * begin at multiples of their width, so that the first and the last one may reach beyond the run; their whole value
 * counts inside the run. In a report on a part of the run, the value before that part is left out. */
void ep_spread(const struct ep_report *report, double at, double end, double value, double *out)
{
	double bin_us = report->bin_s * 1e6, limit = bin_us * report->n_bins;

	if (report->from_s > 0 && at < 0) {
		value *= fmax(end, 0) / (end - at);
		at = 0;
	}
	at = fmin(fmax(at, 0), limit - bin_us / 2);
	end = fmin(fmax(end, at + bin_us / 1e6), limit);
	for (uint32_t bin = (uint32_t)(at / bin_us); bin < report->n_bins && bin * bin_us < end;
		bin++) {
		double low = fmax(bin * bin_us, at), high = fmin((bin + 1) * bin_us, end);

		if (high > low)
			out[bin] += value * (high - low) / (end - at);
	}
}

void ep_resample(const struct ep_builder *builder, const struct ep_timeline *timeline, double scale,
	double *out)
{
	double width_us = (double)timeline->width_us;
	double start_us = (double)timeline->start_us - (double)builder->birth_ns / 1e3 -
			  (double)builder->from_us;

	for (uint32_t i = 0; i < timeline->n_bins; i++) {
		double at = start_us + i * width_us;

		ep_spread(builder->report, at, at + width_us, scale * timeline->cpu_us[i], out);
	}
}

void ep_build_bins(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;
	uint32_t n = builder->options->n_bins;

	report->n_bins = builder->end_us ? n : 0;
	report->bin_s = n ? (double)(builder->end_us - builder->from_us + 1) / 1e6 / n : 0;
}

static double highest(const double *values, uint32_t n)
{
	double best = 0;

	for (uint32_t i = 0; i < n; i++)
		best = values[i] > best ? values[i] : best;
	return best;
}

/* Builds the report's rates of one event: its counts form a timeline, which is resampled. A file's exact
 * counts that no slice has are not in the timeline. An event with no other counts gets no rate, since a rate
 * of 0 would be wrong. */
static void build_rates(struct ep_builder *builder, uint32_t e)
{
	struct ep_report *report = builder->report;
	struct ep_timeline one = builder->trace->timeline;
	double *column;

	if (e >= one.n_events)
		return;
	column = ep_builder_calloc(builder, one.n_bins, sizeof(*column));
	report->events[e].rate = ep_builder_calloc(builder, report->n_bins, sizeof(double));
	if (column && report->events[e].rate) {
		for (uint32_t i = 0; i < one.n_bins; i++)
			column[i] = one.counts[(size_t)i * one.n_events + e];
		one.cpu_us = column;
		ep_resample(builder, &one, 1 / report->bin_s, report->events[e].rate);
		report->events[e].rate_max = highest(report->events[e].rate, report->n_bins);
	}
	free(column);
}

/* Tells whether an event's changes by replica are known over time. A reduced file has counts over time, but
 * no changes. */
static bool has_changes(const struct ep_builder *builder, uint32_t e)
{
	return builder->trace->timeline.changes && !builder->trace->has_reduced &&
	       builder->trace->events[e].has_changes;
}

/* Resamples the changes of each replica, as build_rates does for counts. */
static void build_changes(struct ep_builder *builder, uint32_t e)
{
	struct ep_report *report = builder->report;
	struct ep_timeline one = builder->trace->timeline;
	size_t n_events = one.n_events;
	EP_AUTOFREE double *column = ep_builder_calloc(builder, one.n_bins, sizeof(*column));
	EP_AUTOFREE double *bins = ep_builder_calloc(builder, report->n_bins, sizeof(*bins));
	float *changes = ep_builder_calloc(
		builder, (size_t)report->n_bins * EP_N_REPLICAS, sizeof(*changes));

	report->events[e].bin_changes = changes;
	for (int j = 0; column && bins && changes && j < EP_N_REPLICAS; j++) {
		for (uint32_t i = 0; i < one.n_bins; i++)
			column[i] =
				(double)one.changes[(i * n_events + e) * EP_N_REPLICAS + (size_t)j];
		memset(bins, 0, report->n_bins * sizeof(*bins));
		one.cpu_us = column;
		ep_resample(builder, &one, 1, bins);
		for (uint32_t i = 0; i < report->n_bins; i++)
			changes[(size_t)i * EP_N_REPLICAS + (size_t)j] = (float)bins[i];
	}
}

void ep_build_timeline(struct ep_builder *builder)
{
	struct ep_report *report = builder->report;

	report->cpus_busy = ep_builder_calloc(builder, report->n_bins, sizeof(double));
	if (!report->cpus_busy || !report->n_bins || !report->events)
		return;
	ep_resample(
		builder, &builder->trace->timeline, 1 / (report->bin_s * 1e6), report->cpus_busy);
	report->cpus_busy_max = highest(report->cpus_busy, report->n_bins);
	for (uint32_t e = 0; e < report->n_events; e++) {
		build_rates(builder, e);
		if (has_changes(builder, e))
			build_changes(builder, e);
	}
}
