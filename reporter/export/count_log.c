// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/count_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void merge(struct ep_count_entry *first, const struct ep_count_entry *second)
{
	first->end_us = second->end_us;
	first->count += second->count;
	first->n_merged += second->n_merged;
}

static void halve_row(struct ep_count_row *row, uint32_t n_per_entry)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < row->n_entries; i++) {
		if (n && row->entries[n - 1].n_merged + row->entries[i].n_merged <= n_per_entry)
			merge(&row->entries[n - 1], &row->entries[i]);
		else
			row->entries[n++] = row->entries[i];
	}
	row->n_entries = n;
}

static void halve(struct ep_count_log *log)
{
	log->n_per_entry *= 2;
	log->n_entries = 0;
	for (size_t i = 0; i < (size_t)log->n_threads * EP_COUNT_EVENTS; i++) {
		halve_row(&log->rows[i], log->n_per_entry);
		log->n_entries += log->rows[i].n_entries;
	}
}

static int reserve_thread(struct ep_count_log *log, uint32_t thread_idx)
{
	size_t row_bytes = EP_COUNT_EVENTS * sizeof(*log->rows);

	while (log->n_threads <= thread_idx) {
		if (ep_array_reserve(
			    (void **)&log->rows, log->n_threads, &log->capacity, row_bytes))
			return -ENOMEM;
		memset(log->rows + (size_t)log->n_threads * EP_COUNT_EVENTS, 0, row_bytes);
		log->n_threads++;
	}
	return 0;
}

/* Tells whether entries must be merged. A row with one entry cannot become smaller; therefore a log with at most two
 * entries a row on average is not full, so that halve() is not repeated forever. */
static bool is_full(const struct ep_count_log *log)
{
	return log->n_entries > log->most &&
	       log->n_entries > 2ull * log->n_threads * EP_COUNT_EVENTS;
}

/* Adds the counts of one event, which is event e of the process, to its row. The row's last entry is held in a local
 * variable during the loop, which is faster. */
static int add_event(struct ep_count_log *log, struct ep_count_row *row, uint32_t e,
	const struct ep_seen_time *times, uint32_t n_times)
{
	struct ep_count_entry last = { .n_merged = log->n_per_entry };

	if (row->n_entries)
		last = row->entries[row->n_entries - 1];
	for (uint32_t i = 0; i < n_times; i++) {
		if (!times[i].n_events || times[i].state[e] != EP_VALUE_MEASURED)
			continue;
		if (last.n_merged >= log->n_per_entry) {
			if (row->n_entries)
				row->entries[row->n_entries - 1] = last;
			if (EP_ARRAY_RESERVE(row->entries, row->n_entries, row->capacity))
				return -ENOMEM;
			row->n_entries++;
			log->n_entries++;
			last = (struct ep_count_entry){ 0 };
		}
		last.end_us = times[i].end_us;
		last.count += times[i].counted[e];
		last.n_merged++;
	}
	if (row->n_entries)
		row->entries[row->n_entries - 1] = last;
	return 0;
}

int ep_count_log_see(struct ep_count_log *log, const struct ep_seen_time *times, uint32_t n_times)
{
	int rc = reserve_thread(log, times->thread_idx);
	const struct ep_seen_time *slice = times;

	if (!log->n_per_entry)
		log->n_per_entry = 1;
	while (slice < times + n_times - 1 && !slice->n_events)
		slice++; /* time in the kernel has no counts */
	for (uint32_t e = 0; !rc && e < slice->n_events; e++)
		if (slice->event_idx[e] < EP_COUNT_EVENTS)
			rc = add_event(log,
				&log->rows[(size_t)times->thread_idx * EP_COUNT_EVENTS +
					   slice->event_idx[e]],
				e, times, n_times);
	while (!rc && is_full(log))
		halve(log);
	return rc;
}

const struct ep_count_row *ep_count_log_row(
	const struct ep_count_log *log, uint32_t thread_idx, uint32_t event_idx)
{
	if (thread_idx >= log->n_threads || event_idx >= EP_COUNT_EVENTS)
		return NULL;
	return &log->rows[(size_t)thread_idx * EP_COUNT_EVENTS + event_idx];
}

void ep_count_log_finish(struct ep_count_log *log)
{
	for (size_t i = 0; i < (size_t)log->n_threads * EP_COUNT_EVENTS; i++)
		free(log->rows[i].entries);
	free(log->rows);
	*log = (struct ep_count_log){ .most = log->most };
}
