// SPDX-License-Identifier: BSD-3-Clause
/* Adds slices to the call path that they ended in, to their thread, and to the timeline. After that the
 * slices are forgotten. */
#include <errno.h>

#include "reporter/load/batch.h"
#include "reporter/load/event_ticks.h"
#include "reporter/load/latency_private.h"
#include "reporter/load/mixing.h"
#include "reporter/load/rank_costs.h"
#include "reporter/load/time_places.h"

/* The slices [from, to) of a stretch. */
struct portion {
	uint32_t from, to;
};

/* Finds the hidden time in a slice: its time beyond one period. A clock that ticks in user mode only has a
 * tick in each period of CPU time, but sends no signal for a tick in the kernel; so in a slice of several
 * periods the thread was in the kernel at the ticks before the last. Slices of two periods last at least 7/4
 * of a period (one_tick_us), since periods vary by an eighth. No time is hidden in a slice that ended at a
 * tick of the scheduler, since that slice is longer by the system call in which it ended, or in a slice whose
 * ticks may be missing (UNTICKED). In a slice with NOT_SYSTEM the time beyond a period is not hidden time
 * either, since the kernel does not count it as system time; it is kept apart. */
static struct ep_cost cost_of(const struct slice_batch *batch, const struct ep_sample *s)
{
	uint64_t period = batch->period_us;
	struct ep_cost cost = { .n_samples = !(s->flags & EP_SAMPLE_CUT), .cpu_us = s->cpu_us };

	if (s->flags & EP_SAMPLE_NOT_SYSTEM && !(s->flags & EP_SAMPLE_UNTICKED) &&
		!batch->process->is_simulated)
		cost.not_system_us = s->cpu_us > period ? s->cpu_us - period : 0;
	else if (s->cpu_us > batch->one_tick_us &&
		 !(s->flags & (EP_SAMPLE_AT_SCHEDULERS_TICK | EP_SAMPLE_UNTICKED))) {
		cost.cpu_us = period;
		cost.hidden_us = s->cpu_us - period;
	}
	return cost;
}

static void count_flags(struct ep_loss *loss, const struct ep_sample *s)
{
	if (!s->flags && !s->idle_us)
		return;
	loss->n_not_run += ep_is_dead(s);
	loss->n_unticked += s->flags & EP_SAMPLE_CUT && s->flags & EP_SAMPLE_UNTICKED;
	loss->n_incomplete += !!(s->flags & EP_SAMPLE_INCOMPLETE);
	loss->n_cut_stacks += !!(s->flags & EP_SAMPLE_DEEP);
	loss->n_broken_stacks += !!(s->flags & EP_SAMPLE_BROKEN);
	loss->idle_us += s->idle_us;
}

static int add_to_timelines(struct slice_batch *batch, const struct portion *slices)
{
	struct ep_trace *trace = batch->loader->trace;
	struct ep_timeline_slices of_run = {
		.birth_us = batch->born_us,
		.samples = batch->pending->samples + slices->from,
		.n_slices = slices->to - slices->from,
		.counts = batch->stretch.values + (size_t)slices->from * batch->n_events,
		.is_counted = batch->stretch.is_counted,
		.event_idx = batch->process->event_idx,
		.n_events = batch->n_events,
		.changes = batch->loader->options->keeps_changes && batch->stretch.has_changes
				   ? batch->stretch.changes + (size_t)slices->from * batch->n_events
				   : NULL,
	};
	struct ep_timeline_slices of_thread = of_run;
	int rc = ep_timeline_add(&trace->timeline, EP_TIMELINE_BINS, trace->n_events, &of_run);

	if (!rc && batch->loader->options->process_timelines)
		rc = ep_timeline_add(
			&batch->process->timeline, EP_TIMELINE_BINS, trace->n_events, &of_run);
	of_thread.counts = NULL;
	of_thread.changes = NULL;
	return rc ? rc : ep_timeline_add(&batch->thread->timeline, EP_THREAD_BINS, 0, &of_thread);
}

/* Returns the slice as latency.h needs it. Where the slice's wall time is less than its CPU time, since the
 * two clocks are not read at the same moment, the CPU time is taken as its wall time. */
static struct ep_latency_slice latency_slice_of(
	const struct slice_batch *batch, const struct ep_sample *s)
{
	uint64_t to_us = batch->born_us + s->time_us;
	uint64_t wall_us = s->wall_us > s->cpu_us ? s->wall_us : s->cpu_us;

	return (struct ep_latency_slice){
		.from_us = wall_us < to_us ? to_us - wall_us : 0,
		.to_us = to_us,
		.cpu_us = s->cpu_us,
		.moment = ep_hash_mix(batch->latency_seed, to_us),
	};
}

static int end_run(struct slice_batch *batch)
{
	struct ep_latency_slice run = batch->run;

	batch->run = (struct ep_latency_slice){ 0 };
	return ep_latency_see_running(&batch->loader->trace->latency, &run);
}

/* Adds slices as time in which the thread ran. A thread that computes is mostly on its CPU from one slice to
 * the next; such slices are joined and added as one. */
static int see_running(struct slice_batch *batch, const struct ep_latency_slice *slice)
{
	bool runs = slice->cpu_us == slice->to_us - slice->from_us;

	if (!batch->has_latency)
		return 0;
	if (runs && slice->from_us == batch->run.to_us) {
		batch->run.to_us = slice->to_us;
		batch->run.cpu_us += slice->cpu_us;
		return 0;
	}
	if (batch->run.to_us && end_run(batch))
		return -ENOMEM;
	if (!runs)
		return ep_latency_see_running(&batch->loader->trace->latency, slice);
	batch->run = *slice;
	return 0;
}

/* Adds to the sums of latency the part of a slice that belongs to the path. */
static inline int see_path(const struct slice_batch *batch, struct ep_latency_slice *slice,
	uint32_t path_idx, uint64_t cpu_us)
{
	struct ep_latency **latency = &batch->loader->trace->latency;
	uint64_t hash;

	slice->path_idx = path_idx;
	slice->cpu_us = cpu_us;
	if (!batch->has_latency || !ep_latency_is_drawn(*latency, slice, &hash))
		return 0;
	return ep_latency_see_path(latency, slice);
}

/* The most times that one call of see_times gets, and the most that one slice adds. */
enum { SEEN_AT_ONCE = 64, SEEN_A_SLICE = 3 };

static int show_times(struct slice_batch *batch)
{
	const struct ep_load_options *options = batch->loader->options;
	uint32_t n = batch->n_seen;

	batch->n_seen = 0;
	return n ? options->see_times(options->seer, batch->seen, n) : 0;
}

/* Adds a part of the time of slice i to the times for see_times. The caller sets the other members of struct
 * ep_seen_time: to set all of them to 0 here first would take as long as the rest of the work. */
static inline struct ep_seen_time *begin_time(
	struct slice_batch *batch, uint32_t i, uint32_t path_idx, uint64_t cpu_us)
{
	struct ep_seen_time *time = &batch->seen[batch->n_seen++];

	time->trace = batch->loader->trace;
	time->thread_idx = (uint32_t)(batch->thread - batch->loader->trace->threads);
	time->path_idx = path_idx;
	time->region_idx = batch->pending->region_idx[i];
	time->end_us = batch->pending->samples[i].time_us;
	time->cpu_us = cpu_us;
	return time;
}

/* The part of a slice in the kernel has no wall time of its own, and no counts. */
static void see_kernel(struct slice_batch *batch, uint32_t i, uint32_t path_idx, uint64_t cpu_us)
{
	struct ep_seen_time *time = begin_time(batch, i, path_idx, cpu_us);

	time->wall_us = 0;
	time->is_sample = false;
	time->n_events = 0;
}

static int see_slice(struct slice_batch *batch, uint32_t i, uint64_t cpu_us)
{
	const struct ep_sample *s = &batch->pending->samples[i];
	size_t first = (size_t)i * batch->n_events;
	struct ep_seen_time *time = begin_time(batch, i, batch->pending->path_idx[i], cpu_us);

	time->wall_us = s->wall_us;
	time->is_sample = !(s->flags & EP_SAMPLE_CUT);
	time->values = batch->stretch.values + first;
	time->state = batch->stretch.state + first;
	time->event_idx = batch->process->event_idx;
	time->n_events = batch->n_events;
	time->counted = batch->pending->values + first;
	return batch->n_seen > SEEN_AT_ONCE - SEEN_A_SLICE ? show_times(batch) : 0;
}

/* Adds hidden time beneath a path directly: used where the path has no row, or where see_times is set. */
static int add_kernel_at_once(struct slice_batch *batch, uint32_t i, struct ep_latency_slice *slice,
	uint32_t below_idx, uint64_t us)
{
	uint32_t path_idx;

	if (ep_kernel_cost_add(batch->loader->trace, below_idx, us, &path_idx) ||
		ep_rank_cost_see(batch->loader->trace, batch->thread, path_idx, us, false) ||
		see_path(batch, slice, path_idx, us))
		return -ENOMEM;
	if (batch->seen)
		see_kernel(batch, i, path_idx, us);
	return 0;
}

/* Adds hidden time to the row of a path. Paths and their sums are created in the order in which slices need
 * them, so that this order is the same with rows and without. */
static inline int add_kernel(
	const struct slice_batch *batch, struct ep_latency_slice *slice, uint32_t r, uint64_t us)
{
	struct path_row *row = &batch->loader->path_rows.rows[r];

	if (row->kernel_path_idx == EP_PATH_ROOT &&
		ep_kernel_cost_add(batch->loader->trace, row->path_idx, 0, &row->kernel_path_idx))
		return -ENOMEM;
	row->kernel_us += us;
	row->kernel_squares += (double)(int64_t)us * (double)(int64_t)us;
	return see_path(batch, slice, row->kernel_path_idx, us);
}

static uint32_t path_before(const struct slice_batch *batch, uint32_t i)
{
	return i ? batch->pending->path_idx[i - 1] : batch->thread->last_path_idx;
}

/* Adds the hidden time in the slice of sample i: half beneath the path of the sample before, half beneath the
 * path of sample i. */
static int add_hidden(
	struct slice_batch *batch, uint32_t i, struct ep_latency_slice *slice, uint64_t hidden_us)
{
	const uint32_t *row_of = batch->loader->path_rows.of_slice;
	uint32_t before_idx = path_before(batch, i);
	bool is_first = before_idx == EP_PATH_ROOT || before_idx == batch->thread->root_path_idx;
	uint64_t half_us = is_first ? 0 : hidden_us / 2;

	if (half_us && (i && batch->has_kernel_rows
				       ? add_kernel(batch, slice, row_of[i - 1], half_us)
				       : add_kernel_at_once(batch, i, slice, before_idx, half_us)))
		return -ENOMEM;
	return batch->has_kernel_rows ? add_kernel(batch, slice, row_of[i], hidden_us - half_us)
				      : add_kernel_at_once(batch, i, slice,
						batch->pending->path_idx[i], hidden_us - half_us);
}

/* Returns the wall time of a slice. Where only a part of the run is loaded, a slice that began before the
 * part counts only from the part's beginning. */
static uint64_t wall_us_of(const struct slice_batch *batch, const struct ep_sample *s)
{
	const struct ep_part *part = &batch->loader->trace->part;
	uint64_t end_ns, left_us;

	if (!part->is_set)
		return s->wall_us;
	end_ns = batch->process->born_ns + s->time_us * 1000;
	if (end_ns < part->from_ns)
		return s->wall_us;
	left_us = (end_ns - part->from_ns) / 1000;
	return s->wall_us < left_us ? s->wall_us : left_us;
}

static void add_to_row(struct path_row *row, const struct ep_cost *cost, uint64_t slice_us)
{
	row->n_samples += cost->n_samples;
	row->cpu_us += cost->cpu_us;
	row->not_system_us += cost->not_system_us;
	row->squares += (double)(int64_t)cost->cpu_us * (double)(int64_t)cost->cpu_us;
	row->slices_us += slice_us;
}

/* Adds a slice, and the hidden time in it, to its path and its thread. */
static int add_to_path(struct slice_batch *batch, uint32_t i, const struct ep_cost *cost,
	struct ep_latency_slice *slice)
{
	struct ep_path_rows *rows = &batch->loader->path_rows;
	uint32_t r = ep_path_rows_find(rows, batch->pending->path_idx[i]);
	bool is_new = r == EP_NONE;

	if (is_new && ep_path_rows_add(rows, batch->pending->path_idx[i], &r))
		return -ENOMEM;
	rows->of_slice[i] = r;
	if ((cost->hidden_us && add_hidden(batch, i, slice, cost->hidden_us)) ||
		(is_new && ep_path_rows_prepare(batch, r)))
		return -ENOMEM;
	add_to_row(&rows->rows[r], cost, batch->pending->samples[i].cpu_us);
	return 0;
}

/* Where callgrind's own costs are known, a slice adds only to the time of its thread and its rank. */
static int add_beside_costs(struct slice_batch *batch, uint32_t i, const struct ep_cost *cost,
	struct ep_latency_slice *slice)
{
	struct ep_trace *trace = batch->loader->trace;

	batch->thread->cost.n_samples += cost->n_samples;
	batch->thread->cost.cpu_us += cost->cpu_us;
	batch->thread->cost.hidden_us += cost->hidden_us;
	batch->thread->cost.not_system_us += cost->not_system_us;
	if ((cost->hidden_us && add_hidden(batch, i, slice, cost->hidden_us)) ||
		ep_sums_reserve(&trace->unplaced, trace->n_events) ||
		(batch->stretch.has_changes && ep_sums_reserve_replicas(&trace->unplaced)))
		return -ENOMEM;
	return ep_rank_cost_see(
		trace, batch->thread, batch->pending->path_idx[i], cost->cpu_us, false);
}

static int add_slice(struct slice_batch *batch, uint32_t i)
{
	const struct ep_sample *s = &batch->pending->samples[i];
	struct ep_cost cost = cost_of(batch, s);
	uint32_t path_idx = batch->pending->path_idx[i];
	struct ep_latency_slice slice = latency_slice_of(batch, s);

	if (see_running(batch, &slice))
		return -ENOMEM;
	ep_time_places_see(&batch->thread->ends, s, path_idx, &cost);
	if ((batch->process->has_costs ? add_beside_costs(batch, i, &cost, &slice)
				       : add_to_path(batch, i, &cost, &slice)) ||
		see_path(batch, &slice, path_idx, cost.cpu_us))
		return -ENOMEM;
	return batch->seen ? see_slice(batch, i, cost.cpu_us) : 0;
}

static void add_to_regions(const struct slice_batch *batch)
{
	struct ep_trace *trace = batch->loader->trace;
	double squares = trace->regions.squares;

	for (uint32_t i = 0; i < batch->stretch.n_slices; i++) {
		const struct ep_sample *s = &batch->pending->samples[i];
		uint32_t region_idx = batch->pending->region_idx[i];

		squares += (double)(int64_t)s->cpu_us * (double)(int64_t)s->cpu_us;
		if (region_idx != EP_NONE)
			ep_region_add_slice(trace, region_idx, s);
	}
	trace->regions.squares = squares;
}

/* Adds the sums over all slices, whatever their paths; the sums stay in registers during the loop. */
static void add_totals(struct slice_batch *batch)
{
	struct ep_trace *trace = batch->loader->trace;
	uint64_t wall_us = 0, n_at_ticks = 0, last_us = batch->process->last_us;

	for (uint32_t i = 0; i < batch->stretch.n_slices; i++) {
		const struct ep_sample *s = &batch->pending->samples[i];

		wall_us += wall_us_of(batch, s);
		n_at_ticks += !!(s->flags & EP_SAMPLE_AT_SCHEDULERS_TICK);
		last_us = s->time_us > last_us ? s->time_us : last_us;
	}
	batch->thread->wall_us += wall_us;
	batch->process->last_us = last_us;
	trace->n_at_schedulers_ticks += n_at_ticks;
	for (uint32_t i = 0; (batch->flags || batch->has_idle) && i < batch->stretch.n_slices; i++)
		count_flags(&trace->loss, &batch->pending->samples[i]);
	if (!batch->process->has_costs)
		add_to_regions(batch);
}

/* Tells whether counts are added once for each path instead of slice by slice. */
static bool is_by_row(const struct slice_batch *batch)
{
	return batch->stretch.is_whole && !batch->stretch.has_changes && !batch->process->has_costs;
}

static int add_portion(struct slice_batch *batch, struct portion *slices)
{
	for (uint32_t i = slices->from; i < slices->to; i++)
		if (add_slice(batch, i))
			return -ENOMEM;
	if (!is_by_row(batch))
		ep_batch_add_counts(batch, slices->from, slices->to);
	return add_to_timelines(batch, slices);
}

int ep_batch_add(struct slice_batch *batch)
{
	struct ep_seen_time seen[SEEN_AT_ONCE];
	uint32_t n_slices = batch->stretch.n_slices;
	struct portion portion;
	int rc = 0;

	batch->seen = batch->loader->options->see_times ? seen : NULL;

	if (batch->stretch.has_changes)
		rc = ep_sums_reserve_replicas(&batch->thread->sums);
	if (!rc)
		rc = ep_event_ticks_add(batch);
	if (!rc)
		rc = ep_path_rows_begin(batch);
	for (portion.from = 0; portion.from < n_slices && !rc; portion.from = portion.to) {
		portion.to = n_slices - portion.from < EP_PORTION_SLICES
				     ? n_slices
				     : portion.from + EP_PORTION_SLICES;
		rc = add_portion(batch, &portion);
	}
	if (!rc && is_by_row(batch))
		rc = ep_path_rows_add_whole(batch);
	if (rc || show_times(batch) || end_run(batch) || ep_mixing_add(batch))
		return -ENOMEM;
	add_totals(batch);
	batch->thread->last_path_idx = path_before(batch, n_slices);
	return ep_path_rows_end(batch);
}
