// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/export/sum_log.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_STEP_US 1024
#define LAST_STEP_US (1ull << 60) /* longer than any run, so that each sum has one entry */

static uint64_t step_of(const struct ep_sum_log *log, uint64_t us)
{
	return log->step_us ? us / log->step_us : us;
}

/* Tells whether an entry lies within one step. Entries that do not are not merged. */
static bool is_in_step(const struct ep_sum_log *log, const struct ep_sum_entry *e)
{
	return e->end_us <= e->start_us || step_of(log, e->start_us) == step_of(log, e->end_us - 1);
}

static int by_sum(const struct ep_sum_entry *a, const struct ep_sum_entry *b)
{
	if (a->is_region != b->is_region)
		return a->is_region ? 1 : -1;
	if (a->idx != b->idx)
		return a->idx < b->idx ? -1 : 1;
	return (a->thread_idx > b->thread_idx) - (a->thread_idx < b->thread_idx);
}

static int by_sum_and_time(const void *a, const void *b)
{
	const struct ep_sum_entry *x = a, *y = b;
	int order = by_sum(x, y);

	if (order)
		return order;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return (x->end_us > y->end_us) - (x->end_us < y->end_us);
}

static bool is_same(
	const struct ep_sum_log *log, const struct ep_sum_entry *a, const struct ep_sum_entry *b)
{
	return log->step_us && !by_sum(a, b) && is_in_step(log, a) && is_in_step(log, b) &&
	       step_of(log, a->start_us) == step_of(log, b->start_us);
}

static void merge(struct ep_sum_entry *to, const struct ep_sum_entry *e)
{
	to->start_us = e->start_us < to->start_us ? e->start_us : to->start_us;
	to->end_us = e->end_us > to->end_us ? e->end_us : to->end_us;
	to->first_us = e->first_us < to->first_us ? e->first_us : to->first_us;
	to->last_us = e->last_us > to->last_us ? e->last_us : to->last_us;
	to->n += e->n;
	to->ns += e->ns;
	to->cpu_ns += e->cpu_ns;
	to->longest_ns = e->longest_ns > to->longest_ns ? e->longest_ns : to->longest_ns;
}

static void make_one_of_each_step(struct ep_sum_log *log)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < log->n_entries; i++)
		if (is_same(log, &log->entries[n], &log->entries[i]))
			merge(&log->entries[n], &log->entries[i]);
		else
			log->entries[++n] = log->entries[i];
	log->n_entries = n + 1;
}

/* Merges entries until at most half of log->most are left, by doubling the length of steps. Entries that reach over
 * several steps cannot be merged, but become few as steps become long. */
static void shorten(struct ep_sum_log *log)
{
	qsort(log->entries, log->n_entries, sizeof(*log->entries), by_sum_and_time);
	make_one_of_each_step(log);
	while (log->n_entries > log->most / 2 && log->step_us < LAST_STEP_US) {
		log->step_us = log->step_us ? 2 * log->step_us : FIRST_STEP_US;
		make_one_of_each_step(log);
	}
}

static int add(struct ep_sum_log *log, const struct ep_sum_entry *entry)
{
	if (log->n_entries && is_same(log, &log->entries[log->n_entries - 1], entry)) {
		merge(&log->entries[log->n_entries - 1], entry);
		return 0;
	}
	if (log->n_entries && log->n_entries >= log->most && log->step_us < LAST_STEP_US)
		shorten(log);
	if (EP_ARRAY_RESERVE(log->entries, log->n_entries, log->capacity))
		return -ENOMEM;
	log->entries[log->n_entries++] = *entry;
	return 0;
}

int ep_sum_log_see(struct ep_sum_log *log, const struct ep_seen_sum *sum)
{
	const struct ep_sum_entry entry = { .thread_idx = sum->thread_idx,
		.idx = sum->idx,
		.is_region = sum->is_region,
		.start_us = sum->start_us,
		.end_us = sum->end_us,
		.first_us = sum->first_us,
		.last_us = sum->last_us,
		.n = sum->n,
		.ns = sum->ns,
		.longest_ns = sum->longest_ns };

	return add(log, &entry);
}

/* Adds a slice's CPU time. The part of a slice in the kernel has no wall time of its own: its interval is empty, at the
 * slice's end. */
int ep_sum_log_see_time(struct ep_sum_log *log, const struct ep_seen_time *time)
{
	uint64_t start_us = time->end_us > time->wall_us ? time->end_us - time->wall_us : 0;
	const struct ep_sum_entry entry = { .thread_idx = time->thread_idx,
		.idx = time->region_idx,
		.is_region = true,
		.start_us = start_us,
		.end_us = time->end_us,
		.first_us = UINT64_MAX, /* no part of the entry was spread over intervals */
		.last_us = 0,
		.cpu_ns = 1e3 * (double)time->cpu_us };

	return time->region_idx == EP_NONE ? 0 : add(log, &entry);
}

void ep_sum_log_finish(struct ep_sum_log *log)
{
	free(log->entries);
	*log = (struct ep_sum_log){ .most = log->most };
}
