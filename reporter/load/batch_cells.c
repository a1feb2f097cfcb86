// SPDX-License-Identifier: BSD-3-Clause
/* Adds the counts of slices to the call path that they ended in and to their thread, for batches with gaps. */
#include "reporter/load/batch.h"

#include "common/cleanup.h"

/* One event's count in one slice: value is the count or its estimate, counted the part that was measured, us
 * the slice's CPU time. */
struct cell {
	double value, counted, variance;
	uint64_t us;
	uint8_t state;
};

/* Adds a cell. Only those sums are touched that the cell's state changes, since this runs twice for each
 * cell. is_counted: measured values contain no estimates, and so have no variance. */
static inline __attribute__((always_inline)) void add_cell(
	struct ep_event_sum *sum, const struct cell *cell, bool has_variance, bool is_counted)
{
	if (cell->state == EP_VALUE_MISSING) {
		sum->missing_us += cell->us;
		return;
	}
	sum->squares += cell->value * cell->value;
	if (has_variance && (cell->state == EP_VALUE_FILLED || !is_counted))
		sum->variance += cell->variance;
	if (cell->state == EP_VALUE_FILLED) {
		sum->filled += cell->value;
		sum->filled_us += cell->us;
		return;
	}
	sum->measured += cell->counted;
	if (!is_counted)
		sum->filled += cell->value - cell->counted;
	sum->measured_us += cell->us;
}

/* The slices [from, to) of a stretch. */
struct cell_portion {
	uint32_t from, to;
	/* (to - from) the sums of the path that each slice ended in */
	struct ep_sums *of_path[EP_PORTION_SLICES];
};

/* Both arrays are (n_slices, n_events) of the stretch. variances NULL: all variances are 0; counted NULL: the
 * counted parts are the values themselves. */
struct extras {
	const double *variances;
	const uint64_t *counted;
};

static inline __attribute__((always_inline)) struct cell cell_at(
	const struct slice_batch *batch, uint32_t i, uint32_t e, struct extras extras)
{
	const struct ep_stretch *stretch = &batch->stretch;
	size_t at = (size_t)i * batch->n_events + e;

	return (struct cell){ stretch->values[at],
		extras.counted ? (double)(int64_t)extras.counted[at] : stretch->values[at],
		extras.variances ? extras.variances[at] : 0, batch->pending->samples[i].cpu_us,
		stretch->state[at] };
}

/* Adds cells of one event to the thread; the sum stays in registers. Returns how many slices measured the
 * event. */
static inline __attribute__((always_inline)) uint64_t add_to_thread(struct slice_batch *batch,
	const struct cell_portion *slices, uint32_t e, struct extras extras)
{
	struct ep_event_sum *row = &batch->thread->sums.rows[batch->process->event_idx[e]];
	struct ep_event_sum sum = *row;
	uint64_t n_measured = 0;

	for (uint32_t i = slices->from; i < slices->to; i++) {
		struct cell cell = cell_at(batch, i, e, extras);

		n_measured += cell.state == EP_VALUE_MEASURED;
		add_cell(&sum, &cell, extras.variances, !extras.counted);
	}
	*row = sum;
	return n_measured;
}

/* Prefetches bytes that are read soon. They lie anywhere in memory, and waiting for them would take as long
 * as all other work for a slice. */
static inline void fetch(const void *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += 64)
		__builtin_prefetch((const char *)bytes + at, 1);
}

enum { ROWS_AHEAD = 4 }; /* how many slices ahead data are prefetched */

/* Adds slices to their paths. All events of a path lie in one piece of memory, which is thus touched once for
 * each slice. */
static inline __attribute__((always_inline)) void add_to_paths(
	struct slice_batch *batch, const struct cell_portion *slices, struct extras extras)
{
	const uint32_t *event_idx = batch->process->event_idx;
	uint32_t n_events = batch->n_events;

	for (uint32_t i = slices->from; i < slices->to; i++) {
		struct ep_sums *const *sums = slices->of_path + (i - slices->from);

		if (i + ROWS_AHEAD < slices->to)
			fetch(sums[ROWS_AHEAD]->rows, n_events * sizeof((*sums)->rows[0]));
		for (uint32_t e = 0; e < n_events; e++) {
			struct cell cell = cell_at(batch, i, e, extras);

			add_cell(&(*sums)->rows[event_idx[e]], &cell, extras.variances,
				!extras.counted);
		}
	}
}

static inline __attribute__((always_inline)) void add_cells_of(
	struct slice_batch *batch, const struct cell_portion *slices, struct extras extras)
{
	for (uint32_t e = 0; e < batch->n_events; e++) {
		struct ep_event_info *info =
			&batch->loader->trace->events[batch->process->event_idx[e]];

		info->n_slices += slices->to - slices->from;
		info->n_slices_measured += add_to_thread(batch, slices, e, extras);
	}
	add_to_paths(batch, slices, extras);
}

static void add_cells(struct slice_batch *batch, const struct cell_portion *slices)
{
	const struct extras extras = { batch->stretch.variances,
		batch->has_idle ? batch->pending->values : NULL };

	if (extras.counted)
		add_cells_of(batch, slices, extras);
	else if (extras.variances)
		add_cells_of(batch, slices, (struct extras){ extras.variances, NULL });
	else
		add_cells_of(batch, slices, (struct extras){ NULL, NULL });
}

static inline void add_change(
	float *of_thread, float *of_path, const struct ep_value_change *change)
{
#pragma GCC unroll 3
	for (size_t k = 0; k < EP_ARRAY_SIZE(change->by); k++) {
		if (change->by[k] == 0)
			continue;
		of_thread[change->replica[k]] += change->by[k];
		of_path[change->replica[k]] += change->by[k];
	}
}

static void add_changes(
	struct slice_batch *batch, const struct cell_portion *slices, uint32_t e, uint32_t event)
{
	size_t first = (size_t)event * EP_N_REPLICAS, n_events = batch->n_events;
	float *of_thread = batch->thread->sums.replicas + first;
	const struct ep_value_change *change =
		batch->stretch.changes + (size_t)slices->from * n_events + e;

	for (uint32_t i = 0; i < slices->to - slices->from; i++, change += n_events)
		add_change(of_thread, slices->of_path[i]->replicas + first, change);
}

static void find_sums(const struct slice_batch *batch, struct cell_portion *slices)
{
	struct ep_trace *trace = batch->loader->trace;
	const uint32_t *path_idx = batch->pending->path_idx + slices->from;

	for (uint32_t i = 0; i < slices->to - slices->from; i++)
		slices->of_path[i] =
			batch->process->has_costs
				? &trace->unplaced
				: &trace->costs[trace->paths[path_idx[i]].cost_idx].sums;
}

void ep_batch_add_counts(struct slice_batch *batch, uint32_t from, uint32_t to)
{
	struct cell_portion slices = { .from = from, .to = to };

	find_sums(batch, &slices);
	add_cells(batch, &slices);
	for (uint32_t e = 0; e < batch->n_events; e++)
		if (batch->stretch.has_changes && batch->stretch.quality[e].estimator)
			add_changes(batch, &slices, e, batch->process->event_idx[e]);
}
