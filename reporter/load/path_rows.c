// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/load/path_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/load/batch.h"
#include "reporter/load/rank_costs.h"

static int grow(void **array, uint32_t *n, uint32_t n_wanted, size_t element_bytes)
{
	uint32_t n_more = n_wanted + n_wanted / 2 + 1;
	void *bigger = n_wanted > *n ? realloc(*array, n_more * element_bytes) : *array;

	if (!bigger && n_wanted)
		return -ENOMEM;
	if (n_wanted > *n)
		*n = n_more;
	*array = bigger;
	return 0;
}

int ep_path_rows_begin(struct slice_batch *batch)
{
	struct ep_path_rows *rows = &batch->loader->path_rows;
	uint32_t n_before = rows->n_paths;

	if (grow((void **)&rows->of_path, &rows->n_paths, batch->loader->trace->n_paths,
		    sizeof(*rows->of_path)) ||
		grow((void **)&rows->of_slice, &rows->n_slices, batch->stretch.n_slices,
			sizeof(*rows->of_slice)))
		return -ENOMEM;
	memset(rows->of_path + n_before, 0, (rows->n_paths - n_before) * sizeof(*rows->of_path));
	rows->n_rows = 0;
	return 0;
}

int ep_path_rows_add(struct ep_path_rows *rows, uint32_t path_idx, uint32_t *out_row)
{
	if (EP_ARRAY_RESERVE(rows->rows, rows->n_rows, rows->capacity))
		return -ENOMEM;
	*out_row = rows->n_rows++;
	rows->rows[*out_row] = (struct path_row){ .path_idx = path_idx };
	rows->of_path[path_idx] = rows->n_rows;
	return 0;
}

int ep_path_rows_prepare(struct slice_batch *batch, uint32_t row)
{
	struct ep_trace *trace = batch->loader->trace;
	struct ep_path_cost *cost =
		ep_path_cost_of(trace, batch->loader->path_rows.rows[row].path_idx);

	if (!cost || ep_sums_reserve(&cost->sums, trace->n_events) ||
		(batch->stretch.has_changes && ep_sums_reserve_replicas(&cost->sums)))
		return -ENOMEM;
	return 0;
}

/* ---- counts ---- */

static struct ep_path_cost *cost_of(const struct slice_batch *batch, const struct path_row *row)
{
	struct ep_trace *trace = batch->loader->trace;

	return &trace->costs[trace->paths[row->path_idx].cost_idx];
}

/* Adds up the counts of event e of all slices. */
static struct path_count count(const struct slice_batch *batch, uint32_t e)
{
	const double *value = batch->stretch.values + e;
	struct path_count sum = { 0 };

	for (uint32_t i = 0; i < batch->stretch.n_slices; i++, value += batch->n_events) {
		sum.measured += *value;
		sum.squares += *value * *value;
	}
	return sum;
}

static void count_by_row(const struct slice_batch *batch, uint32_t e)
{
	const struct ep_path_rows *rows = &batch->loader->path_rows;
	const double *value = batch->stretch.values + e;

	memset(rows->counts, 0, rows->n_rows * sizeof(*rows->counts));
	for (uint32_t i = 0; i < batch->stretch.n_slices; i++, value += batch->n_events) {
		struct path_count *sum = &rows->counts[rows->of_slice[i]];

		sum->measured += *value;
		sum->squares += *value * *value;
	}
}

static void add_count(struct ep_event_sum *sum, const struct path_count *count)
{
	sum->measured += count->measured;
	sum->squares += count->squares;
}

static void add_event(const struct slice_batch *batch, uint32_t e)
{
	const struct ep_path_rows *rows = &batch->loader->path_rows;
	uint32_t event = batch->process->event_idx[e];
	struct path_count all;

	if (batch->stretch.is_counted && !batch->stretch.is_counted[e])
		return;
	all = count(batch, e);
	add_count(&batch->thread->sums.rows[event], &all);
	count_by_row(batch, e);
	for (uint32_t r = 0; r < rows->n_rows; r++)
		add_count(&cost_of(batch, &rows->rows[r])->sums.rows[event], &rows->counts[r]);
}

/* Adds the time in which each event was measured, which is the time of all slices here. */
static void add_times(const struct slice_batch *batch)
{
	const struct ep_path_rows *rows = &batch->loader->path_rows;
	const uint32_t *event_idx = batch->process->event_idx;
	uint64_t all_us = 0;

	for (uint32_t r = 0; r < rows->n_rows; r++) {
		struct ep_event_sum *sums = cost_of(batch, &rows->rows[r])->sums.rows;

		all_us += rows->rows[r].slices_us;
		for (uint32_t e = 0; e < batch->n_events; e++)
			sums[event_idx[e]].measured_us += rows->rows[r].slices_us;
	}
	for (uint32_t e = 0; e < batch->n_events; e++) {
		struct ep_event_info *info = &batch->loader->trace->events[event_idx[e]];

		batch->thread->sums.rows[event_idx[e]].measured_us += all_us;
		info->n_slices += batch->stretch.n_slices;
		info->n_slices_measured += batch->stretch.n_slices;
	}
}

int ep_path_rows_add_whole(struct slice_batch *batch)
{
	struct ep_path_rows *rows = &batch->loader->path_rows;

	if (grow((void **)&rows->counts, &rows->n_counts, rows->n_rows, sizeof(*rows->counts)))
		return -ENOMEM;
	for (uint32_t e = 0; e < batch->n_events; e++)
		add_event(batch, e);
	add_times(batch);
	return 0;
}

int ep_path_rows_reserve_places(struct ep_path_rows *rows)
{
	return grow((void **)&rows->places, &rows->n_places, rows->n_rows, sizeof(*rows->places));
}

/* ---- times ---- */

static int add_kernel(struct slice_batch *batch, const struct path_row *row)
{
	struct ep_trace *trace = batch->loader->trace;
	struct ep_path_cost *cost;

	if (row->kernel_path_idx == EP_PATH_ROOT)
		return 0;
	cost = &trace->costs[trace->paths[row->kernel_path_idx].cost_idx];
	cost->cost.cpu_us += row->kernel_us;
	cost->cost.hidden_us += row->kernel_us;
	cost->squares += row->kernel_squares;
	return ep_rank_cost_see(trace, batch->thread, row->kernel_path_idx, row->kernel_us, false);
}

/* Adds a row's times to the thread. The hidden time of the row's slices is their time (slices_us) without the
 * part that counts for the path itself. */
static void add_to_thread(struct ep_cost *sum, const struct path_row *row)
{
	sum->n_samples += row->n_samples;
	sum->cpu_us += row->cpu_us;
	sum->hidden_us += row->slices_us - row->cpu_us;
	sum->not_system_us += row->not_system_us;
}

int ep_path_rows_end(struct slice_batch *batch)
{
	struct ep_path_rows *rows = &batch->loader->path_rows;

	for (uint32_t r = 0; r < rows->n_rows; r++) {
		const struct path_row *row = &rows->rows[r];
		struct ep_path_cost *cost = cost_of(batch, row);

		cost->cost.n_samples += row->n_samples;
		cost->cost.cpu_us += row->cpu_us;
		cost->cost.not_system_us += row->not_system_us;
		cost->squares += row->squares;
		rows->of_path[row->path_idx] = 0;
		add_to_thread(&batch->thread->cost, row);
		if (ep_rank_cost_see(batch->loader->trace, batch->thread, row->path_idx,
			    row->cpu_us, false) ||
			add_kernel(batch, row))
			return -ENOMEM;
	}
	rows->n_rows = 0;
	return 0;
}

void ep_path_rows_finish(struct ep_path_rows *rows)
{
	free(rows->of_path);
	free(rows->rows);
	free(rows->of_slice);
	free(rows->counts);
	free(rows->places);
	*rows = (struct ep_path_rows){ 0 };
}
