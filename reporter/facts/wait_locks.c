// SPDX-License-Identifier: BSD-3-Clause
/* Adds up waits by lock and by thread. Only one thread runs this code. */
#include <stdlib.h>
#include <string.h>

#include "reporter/facts/wait_sums.h"

/* ---- locks ---- */

int ep_wait_lock_name(
	struct ep_builder *builder, const struct ep_wait_cost *wait, const char **out_name)
{
	*out_name = NULL;
	if (!wait->lock || wait->lock_module_idx >= builder->trace->n_modules)
		return 0;
	return ep_symbols_variable(builder->symbols, wait->lock_module_idx, wait->lock, out_name);
}

static bool same_lock(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_report_lock *a = &((const struct ep_report *)owner)->locks[idx], *b = key;

	return a->kind == b->kind && a->address == b->address && a->name == b->name &&
	       (a->name || a->pid == b->pid);
}

static void add_to(const struct ep_wait_adding *adding, struct ep_report_lock *lock,
	const struct ep_wait_cost *wait, const struct ep_report_wait *row)
{
	double ns = ep_wait_shown(&adding->builder->trace->part, wait).ns;

	lock->is_estimate |= ep_wait_is_estimate(adding, wait);
	lock->n_threads += !lock->n_threads || lock->last_thread_idx != wait->thread_idx;
	lock->last_thread_idx = wait->thread_idx;
	ep_wait_add(&lock->sum, &adding->builder->trace->part, wait);
	if (lock->path && ns <= lock->path_ns)
		return;
	lock->path = row->path;
	lock->procedure = row->procedure;
	lock->path_ns = ns;
}

/* Tells whether the wait is for Python's global lock, which has several addresses: it consists of two
 * condition variables and two mutexes. */
static bool is_gil(const struct ep_report_wait *row)
{
	return row->what == ep_wait_gil_name;
}

/* Tells whether a wait is for a lock. CPython waits for the end of a thread with a semaphore, which a reader
 * would not call a lock. */
static bool is_for_lock(const struct ep_wait_cost *wait, const struct ep_report_wait *row)
{
	return wait->lock && strcmp(row->kind, "join") != 0;
}

int ep_wait_add_lock(struct ep_wait_adding *adding, const struct ep_wait_cost *wait,
	const struct ep_report_wait *row)
{
	const struct ep_trace *trace = adding->builder->trace;
	struct ep_report *r = adding->builder->report;
	struct ep_report_lock lock = {
		.kind = row->kind, .title = row->title, .name = row->what, .address = wait->lock
	};
	uint64_t hash;
	uint32_t idx;

	if (!is_for_lock(wait, row))
		return 0;
	if (wait->thread_idx < trace->n_threads)
		lock.pid = trace->processes[trace->threads[wait->thread_idx].process_idx].key.pid;
	if (is_gil(row))
		lock.address = 0;
	hash = ep_hash_mix(lock.address, (uintptr_t)lock.kind);
	hash = ep_hash_mix(hash, lock.name ? (uintptr_t)lock.name : lock.pid);
	idx = ep_index_find(&adding->lock_index, hash, same_lock, r, &lock);
	if (idx == EP_NONE) {
		if (EP_ARRAY_RESERVE(r->locks, r->n_locks, r->lock_capacity) ||
			ep_index_add(&adding->lock_index, hash, r->n_locks))
			return -1;
		idx = r->n_locks++;
		r->locks[idx] = lock;
	}
	add_to(adding, &r->locks[idx], wait, row);
	return 0;
}

static int by_lock_time(const void *a, const void *b)
{
	const struct ep_report_lock *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

void ep_wait_finish_locks(struct ep_builder *builder)
{
	struct ep_report *r = builder->report;
	uint32_t top = builder->options->top;

	for (uint32_t i = 0; i < r->n_locks; i++) {
		struct ep_report_lock *lock = &r->locks[i];

		ep_wait_round(&lock->sum, &lock->n_waits, &lock->ns, &lock->longest_ns);
	}
	if (r->n_locks)
		qsort(r->locks, r->n_locks, sizeof(r->locks[0]), by_lock_time);
	for (uint32_t i = 0; i < r->n_locks; i++)
		r->locks[i].share = r->noted_ns ? (double)r->locks[i].ns / (double)r->noted_ns : 0;
	r->n_locks_shown = top && r->n_locks > top ? top : r->n_locks;
}

/* ---- threads ---- */

/* Adds a wait to its thread's rows. The waits come sorted by thread: the rows of the current thread are the
 * last ones. */
int ep_wait_add_thread(
	struct ep_wait_adding *adding, const struct ep_wait_cost *wait, uint32_t row_idx)
{
	struct ep_report *r = adding->builder->report;
	uint32_t i;

	if (r->n_thread_waits &&
		r->thread_waits[r->n_thread_waits - 1].thread_idx != wait->thread_idx)
		adding->first_of_thread = r->n_thread_waits;
	for (i = adding->first_of_thread; i < r->n_thread_waits; i++)
		if (r->thread_waits[i].wait_idx == row_idx)
			break;
	if (i == r->n_thread_waits) {
		if (EP_ARRAY_RESERVE(r->thread_waits, i, r->thread_wait_capacity))
			return -1;
		r->thread_waits[r->n_thread_waits++] =
			(struct ep_report_thread_wait){ .thread_idx = wait->thread_idx,
				.wait_idx = row_idx };
	}
	ep_wait_add(&r->thread_waits[i].sum, &adding->builder->trace->part, wait);
	return 0;
}

/* Returns the report's index of each thread of the trace, since both have different orders. */
static uint32_t *threads_of_trace(struct ep_builder *builder)
{
	const struct ep_report *r = builder->report;
	uint32_t n = builder->trace->n_threads;
	uint32_t *idx = ep_builder_calloc(builder, n, sizeof(*idx));

	for (uint32_t i = 0; idx && i < r->n_threads; i++)
		if (r->threads[i].thread_idx < n)
			idx[r->threads[i].thread_idx] = i;
	return idx;
}

static uint32_t *rows_in_order(struct ep_builder *builder)
{
	const struct ep_report *r = builder->report;
	uint32_t *idx = ep_builder_calloc(builder, r->n_noted_waits, sizeof(*idx));

	for (uint32_t i = 0; idx && i < r->n_noted_waits; i++)
		idx[r->noted_waits[i].row_idx] = i;
	return idx;
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct ep_report_thread_wait *x = a, *y = b;

	if (x->thread_ns != y->thread_ns)
		return x->thread_ns < y->thread_ns ? 1 : -1;
	if (x->thread_idx != y->thread_idx)
		return x->thread_idx < y->thread_idx ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->wait_idx > y->wait_idx) - (x->wait_idx < y->wait_idx);
}

/* Adds up the rows of one thread, which begin at first. Returns the index where the next thread's rows begin. */
static uint32_t sum_thread(struct ep_report *r, uint32_t first)
{
	uint32_t thread_idx = r->thread_waits[first].thread_idx, end = first;
	uint64_t ns = 0;

	for (; end < r->n_thread_waits && r->thread_waits[end].thread_idx == thread_idx; end++) {
		struct ep_report_thread_wait *row = &r->thread_waits[end];

		ep_wait_round(&row->sum, &row->n_waits, &row->ns, &row->longest_ns);
		ns += row->ns;
	}
	for (uint32_t i = first; i < end; i++)
		r->thread_waits[i].thread_ns = ns;
	return end;
}

void ep_wait_finish_threads(struct ep_builder *builder)
{
	struct ep_report *r = builder->report;
	uint32_t top = builder->options->top;
	uint32_t *threads = threads_of_trace(builder), *rows = rows_in_order(builder);

	for (uint32_t i = 0; i < r->n_thread_waits; r->n_waiting_threads++)
		i = sum_thread(r, i);
	for (uint32_t i = 0; threads && rows && i < r->n_thread_waits; i++) {
		r->thread_waits[i].thread_idx = threads[r->thread_waits[i].thread_idx];
		r->thread_waits[i].wait_idx = rows[r->thread_waits[i].wait_idx];
	}
	if (r->n_thread_waits)
		qsort(r->thread_waits, r->n_thread_waits, sizeof(r->thread_waits[0]),
			by_thread_and_time);
	r->n_waiting_threads_shown = top && r->n_waiting_threads > top ? top : r->n_waiting_threads;
	free(threads);
	free(rows);
}
