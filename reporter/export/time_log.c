// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/time_log.h"

#include <errno.h>
#include <stdlib.h>

/* Tells whether two merged entries get the path of the second one. The random draw is a hash of the entries' times, so
 * that it gives the same result each time a trace is read. */
static inline bool is_drawn(const struct ep_time_entry *first, const struct ep_time_entry *second)
{
	uint64_t hash = ep_hash_mix(first->end_us, second->end_us);

	return (double)(hash >> 11) * 0x1p-53 * (double)(first->cpu_us + second->cpu_us) <
	       (double)second->cpu_us;
}

static inline void merge(struct ep_time_entry *first, const struct ep_time_entry *second)
{
	/* Has no branch: the CPU would mispredict it for about half of all draws. */
	first->path_idx = is_drawn(first, second) ? second->path_idx : first->path_idx;
	first->n_merged += second->n_merged;
	first->end_us = second->end_us;
	first->wall_us += second->wall_us;
	first->cpu_us += second->cpu_us;
}

static void halve_thread(struct ep_thread_log *thread, uint32_t n_per_entry)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < thread->n_entries; i++) {
		if (n && thread->entries[n - 1].n_merged + thread->entries[i].n_merged <=
				 n_per_entry)
			merge(&thread->entries[n - 1], &thread->entries[i]);
		else
			thread->entries[n++] = thread->entries[i];
	}
	thread->n_entries = n;
}

static void halve(struct ep_time_log *log)
{
	log->n_per_entry *= 2;
	log->n_entries = 0;
	for (uint32_t i = 0; i < log->n_threads; i++) {
		halve_thread(&log->threads[i], log->n_per_entry);
		log->n_entries += log->threads[i].n_entries;
	}
}

static int reserve_thread(struct ep_time_log *log, uint32_t thread_idx)
{
	while (log->n_threads <= thread_idx) {
		if (EP_ARRAY_RESERVE(log->threads, log->n_threads, log->capacity))
			return -ENOMEM;
		log->threads[log->n_threads++] = (struct ep_thread_log){ 0 };
	}
	return 0;
}

/* Adds times to a thread's log. The thread's last entry is held in a local variable during the loop, which is
 * faster. */
static int add(struct ep_time_log *log, struct ep_thread_log *thread,
	const struct ep_seen_time *times, uint32_t n_times)
{
	struct ep_time_entry last = { .n_merged = log->n_per_entry };

	if (thread->n_entries)
		last = thread->entries[thread->n_entries - 1];
	for (uint32_t i = 0; i < n_times; i++) {
		struct ep_time_entry entry = { times[i].path_idx, 1, times[i].end_us,
			times[i].wall_us, times[i].cpu_us };

		if (last.n_merged < log->n_per_entry) {
			merge(&last, &entry);
			continue;
		}
		if (thread->n_entries)
			thread->entries[thread->n_entries - 1] = last;
		if (EP_ARRAY_RESERVE(thread->entries, thread->n_entries, thread->capacity))
			return -ENOMEM;
		thread->n_entries++;
		log->n_entries++;
		last = entry;
	}
	thread->entries[thread->n_entries - 1] = last;
	return 0;
}

int ep_time_log_see(void *context, const struct ep_seen_time *times, uint32_t n_times)
{
	struct ep_time_log *log = context;
	int rc = reserve_thread(log, times->thread_idx);

	if (!log->n_per_entry)
		log->n_per_entry = 1;
	if (!rc && log->counts)
		rc = ep_count_log_see(log->counts, times, n_times);
	if (!rc)
		rc = add(log, &log->threads[times->thread_idx], times, n_times);
	/* A thread with one entry cannot become smaller. The second condition keeps the loop from running forever. */
	while (!rc && log->n_entries > log->most && log->n_entries > 2 * log->n_threads)
		halve(log);
	for (uint32_t i = 0; i < n_times && !rc && log->sums; i++)
		rc = ep_sum_log_see_time(log->sums, &times[i]);
	return rc;
}

int ep_time_log_see_sum(void *context, const struct ep_seen_sum *sum)
{
	struct ep_time_log *log = context;

	return ep_sum_log_see(log->sums, sum);
}

void ep_time_log_forget(void *context)
{
	struct ep_time_log *log = context;

	for (uint32_t i = 0; i < log->n_threads; i++)
		free(log->threads[i].entries);
	free(log->threads);
	if (log->counts)
		ep_count_log_finish(log->counts);
	if (log->sums)
		ep_sum_log_finish(log->sums);
	*log = (struct ep_time_log){ .most = log->most, .counts = log->counts, .sums = log->sums };
}

void ep_time_log_finish(struct ep_time_log *log)
{
	ep_time_log_forget(log);
	*log = (struct ep_time_log){ 0 };
}

void ep_thread_log_step(const struct ep_thread_log *log, uint32_t i, uint64_t *behind_us)
{
	uint64_t end_us = log->entries[i].end_us;

	if (i && log->entries[i - 1].end_us == end_us) {
		*behind_us -= log->entries[i].cpu_us;
		return;
	}
	*behind_us = 0;
	for (uint32_t j = i + 1; j < log->n_entries && log->entries[j].end_us == end_us; j++)
		*behind_us += log->entries[j].cpu_us;
}

void ep_time_log_find_factors(
	const struct ep_time_log *log, const struct ep_trace *trace, double *out_factors)
{
	for (uint32_t t = 0; t < log->n_threads && log->n_per_entry <= 1; t++)
		for (uint32_t i = 0; i < log->threads[t].n_entries; i++)
			out_factors[log->threads[t].entries[i].path_idx] +=
				(double)log->threads[t].entries[i].cpu_us;
	for (uint32_t i = 0; i < trace->n_paths; i++) {
		uint32_t cost_idx = trace->paths[i].cost_idx;

		out_factors[i] =
			out_factors[i] > 0 && cost_idx != EP_NONE
				? (double)trace->costs[cost_idx].cost.cpu_us / out_factors[i]
				: 1;
	}
}
