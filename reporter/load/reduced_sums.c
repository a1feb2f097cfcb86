// SPDX-License-Identifier: BSD-3-Clause
/* Reads sums of call paths, threads and times from a reduced file, and adds them to the sums of the trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/load/reduced_private.h"
#include "reporter/load/reduced_ranks.h"

#define FAULTS_ROOM 32 /* bytes of a record of two numbers */

/* ---- sums ---- */

int ep_reduced_take_cost(struct ep_taking *t)
{
	struct ep_path_cost read = { 0 }, *cost;
	uint32_t path;

	ep_reduced_cost_fields(&t->fields, &path, &read);
	if (t->fields.in.bad)
		return -EBADMSG;
	cost = ep_path_cost_of(t->trace, ep_taking_path(t, path));
	if (!cost)
		return -ENOMEM;
	cost->cost.n_samples += read.cost.n_samples;
	cost->cost.cpu_us += read.cost.cpu_us;
	cost->cost.hidden_us += read.cost.hidden_us;
	cost->cost.not_system_us += read.cost.not_system_us;
	cost->calls_us += read.calls_us;
	cost->calls_squares += read.calls_squares;
	cost->squares += read.squares;
	for (int kind = 0; kind < EP_N_PLACE_KINDS; kind++) {
		cost->mixing[kind].n_mixed += read.mixing[kind].n_mixed;
		cost->mixing[kind].n_away += read.mixing[kind].n_away;
	}
	return 0;
}

void ep_reduced_put_faults(struct ep_reduced_out *out, uint32_t path, uint64_t faults_us)
{
	const struct ep_process_key no_process = { 0 };
	struct ep_fields fields;

	if (!faults_us)
		return;
	fields = ep_reduced_out_record(out, EP_REDUCED_FAULTS, no_process, FAULTS_ROOM);
	ep_reduced_faults_fields(&fields, &path, &faults_us);
}

int ep_reduced_take_faults(struct ep_taking *t)
{
	struct ep_path_cost *cost;
	uint64_t faults_us;
	uint32_t path;

	ep_reduced_faults_fields(&t->fields, &path, &faults_us);
	if (t->fields.in.bad)
		return -EBADMSG;
	cost = ep_path_cost_of(t->trace, ep_taking_path(t, path));
	if (!cost)
		return -ENOMEM;
	cost->faults_us += faults_us;
	return 0;
}

static int add_sum(const struct ep_taking *t, struct ep_sums *sums,
	const struct ep_reduced_sum *read, uint32_t event)
{
	float *changes;

	if (ep_sums_reserve(sums, t->trace->n_events) ||
		(read->has_changes && ep_sums_reserve_replicas(sums)))
		return -ENOMEM;
	ep_event_sum_add(&sums->rows[event], &read->sum);
	changes = sums->replicas + (size_t)event * EP_N_REPLICAS;
	for (int j = 0; read->has_changes && j < EP_N_REPLICAS; j++)
		changes[j] += read->changes[j];
	return 0;
}

static int take_sum_of(struct ep_taking *t, bool is_of_thread)
{
	struct ep_reduced_sum read = { 0 };
	struct ep_path_cost *cost;
	uint32_t event, idx;

	ep_reduced_sum_fields(&t->fields, &read);
	event = ep_id_map_find(&t->input->events, read.event);
	if (t->fields.in.bad || event == EP_NONE)
		return -EBADMSG;
	if (is_of_thread)
		return ep_taking_thread(t, read.owner, &idx)
			       ? -ENOMEM
			       : add_sum(t, &t->trace->threads[idx].sums, &read, event);
	cost = ep_path_cost_of(t->trace, ep_taking_path(t, read.owner));
	return cost ? add_sum(t, &cost->sums, &read, event) : -ENOMEM;
}

int ep_reduced_take_thread_sum(struct ep_taking *t)
{
	return take_sum_of(t, true);
}

int ep_reduced_take_path_sum(struct ep_taking *t)
{
	return take_sum_of(t, false);
}

static int take_ticks(
	struct ep_taking *t, void (*read_fields)(struct ep_fields *, struct ep_reduced_tick *))
{
	struct ep_reduced_tick read = { 0 };
	EP_AUTOFREE struct ep_tick_sum *rows = NULL;
	struct ep_tick_sums more;
	struct ep_path_cost *cost;
	uint32_t event;

	read_fields(&t->fields, &read);
	event = ep_id_map_find(&t->input->events, read.event);
	if (t->fields.in.bad || event == EP_NONE)
		return -EBADMSG;
	cost = ep_path_cost_of(t->trace, ep_taking_path(t, read.path));
	rows = calloc(event + 1, sizeof(*rows));
	if (!cost || !rows)
		return -ENOMEM;
	rows[event] = read.sum;
	more = (struct ep_tick_sums){ rows, event + 1 };
	return ep_tick_sums_add(&cost->ticks, &more);
}

int ep_reduced_take_tick(struct ep_taking *t)
{
	return take_ticks(t, ep_reduced_tick_fields);
}

int ep_reduced_take_parted(struct ep_taking *t)
{
	return take_ticks(t, ep_reduced_parted_fields);
}

int ep_reduced_take_sizes(struct ep_taking *t)
{
	return take_ticks(t, ep_reduced_sizes_fields);
}

int ep_reduced_take_event_stats(struct ep_taking *t)
{
	struct ep_reduced_event event = { 0 };
	struct ep_event_info *info;
	uint32_t idx;

	ep_reduced_stats_fields(&t->fields, &event);
	idx = ep_id_map_find(&t->input->events, event.id);
	if (t->fields.in.bad || idx == EP_NONE)
		return -EBADMSG;
	info = &t->trace->events[idx];
	info->n_slices += event.info.n_slices;
	info->n_slices_measured += event.info.n_slices_measured;
	info->variance += event.info.variance;
	info->is_scaled |= event.info.is_scaled;
	info->holdout_error += event.info.holdout_error;
	info->holdout_slices += event.info.holdout_slices;
	info->n_outliers += event.info.n_outliers;
	if (!event.estimator.text)
		return 0;
	info->estimator = ep_taking_keep(t, &event.estimator);
	return info->estimator ? 0 : -ENOMEM;
}

/* ---- time ---- */

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

#define LAST_US (UINT64_MAX / 4)

int ep_reduced_take_bin(struct ep_taking *t)
{
	struct ep_reduced_bin read = { 0 };
	uint32_t event_idx[EP_TRACE_MAX_EVENTS], idx;
	struct ep_timeline_bin bin;

	ep_reduced_bin_fields(&t->fields, &read);
	if (t->fields.in.bad || !is_power_of_two(read.width_us) || read.width_us > LAST_US ||
		read.from_us % read.width_us || read.from_us > LAST_US ||
		read.from_us + t->input->shift_us > LAST_US)
		return -EBADMSG;
	for (uint32_t i = 0; i < read.n_counts; i++) {
		event_idx[i] = ep_id_map_find(&t->input->events, read.first_event + i);
		if (event_idx[i] == EP_NONE)
			return -EBADMSG;
	}
	bin = (struct ep_timeline_bin){ .from_us = read.from_us + t->input->shift_us,
		.width_us = read.width_us,
		.cpu_us = read.cpu_us,
		.counts = read.n_counts ? read.counts : NULL,
		.event_idx = event_idx,
		.n_events = read.n_counts };
	if (!read.owner)
		return ep_timeline_add_bin(
			&t->trace->timeline, EP_TIMELINE_BINS, t->trace->n_events, &bin);
	if (ep_taking_thread(t, read.owner - 1, &idx))
		return -ENOMEM;
	return ep_timeline_add_bin(&t->trace->threads[idx].timeline, EP_THREAD_BINS, 0, &bin);
}

int ep_reduced_take_latency(struct ep_taking *t)
{
	struct ep_latency_bin bin;

	ep_reduced_latency_fields(&t->fields, &bin);
	bin.from_us += t->input->shift_us;
	if (t->fields.in.bad || !is_power_of_two(bin.width_us))
		return -EBADMSG;
	bin.from_us -= bin.from_us % bin.width_us;
	return ep_latency_add_bin(&t->trace->latency, &bin);
}

int ep_reduced_take_kept(struct ep_taking *t)
{
	struct ep_latency_kept kept = { 0 };

	ep_reduced_kept_fields(&t->fields, &kept);
	kept.from_us += t->input->shift_us;
	if (t->fields.in.bad || kept.from_us > LAST_US)
		return -EBADMSG;
	kept.path_idx = ep_taking_path(t, kept.path_idx);
	return ep_latency_keep(&t->trace->latency, &kept);
}
