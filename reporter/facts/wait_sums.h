/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits while they are added up by place, lock and thread; shared by the files that do so. */
#ifndef EVPROF_REPORTER_FACTS_WAIT_SUMS_H
#define EVPROF_REPORTER_FACTS_WAIT_SUMS_H

#include "reporter/facts/builder.h"

/* the most procedures of a path that are named: the innermost ones */
#define EP_WAIT_MAX_NAMES_OF_PATH 12

/* The owner of a procedure. The user can change only procedures of EP_WAIT_OWN. */
enum ep_wait_whose {
	EP_WAIT_OTHERS,
	EP_WAIT_LIBRARY_SCRIPT, /* a script that came with its language or with a package */
	EP_WAIT_OWN,
};

/* The number of waits of a process. At most n_short of them are short; the exact number is not known, since
 * the trace has sums of waits. */
struct ep_wait_number {
	uint64_t n, n_short;
	bool has_chosen; /* some recorded wait stands for several, as its sum of time shows */
};

/* The state of adding up. */
struct ep_wait_adding {
	struct ep_builder *builder;
	/* names of the current path, innermost first */
	const char *names[EP_WAIT_MAX_NAMES_OF_PATH];
	enum ep_wait_whose whose[EP_WAIT_MAX_NAMES_OF_PATH];
	uint32_t n;
	struct ep_index row_index, lock_index;
	/* index in thread_waits of the current thread's first row */
	uint32_t first_of_thread;
	struct ep_wait_number *of_process; /* (n_processes of the trace) by process */
};

/* Adds the shown part of a wait. */
static inline void ep_wait_add(
	struct ep_report_wait_sum *sum, const struct ep_part *part, const struct ep_wait_cost *wait)
{
	const struct ep_sum_share shown = ep_wait_shown(part, wait);

	sum->n += shown.n;
	sum->ns += shown.ns;
	if (shown.longest_ns > sum->longest_ns)
		sum->longest_ns = shown.longest_ns;
}

/* Rounds sums to whole numbers. A wait that reaches beyond the shown part counts as one, and is as long as
 * its part that is shown. */
static inline void ep_wait_round(const struct ep_report_wait_sum *sum, uint64_t *out_n_waits,
	uint64_t *out_ns, uint64_t *out_longest_ns)
{
	*out_n_waits = sum->n > 1 ? (uint64_t)(sum->n + .5) : 1;
	*out_ns = (uint64_t)(sum->ns + .5);
	*out_longest_ns = sum->longest_ns < *out_ns ? sum->longest_ns : *out_ns;
}

/* Finds the name of a wait's lock; NULL: there is no lock, or it has no name. 0 or -1: out of memory. */
int ep_wait_lock_name(struct ep_builder *builder, const struct ep_wait_cost *wait,
	const char **out_name) EP_MUST_CHECK;
extern const char ep_wait_gil_name[];

/* Tells whether a lock is Python's global lock; lock_name is its variable's name, or NULL. */
bool ep_wait_is_for_gil(
	const struct ep_builder *builder, const struct ep_wait_cost *wait, const char *lock_name);
/* Tells whether the wait, whose Python functions are in adding->names, is for the end of a thread. */
bool ep_wait_is_threading_join(
	const struct ep_wait_adding *adding, const struct ep_wait_cost *wait);
/* Tells whether the numbers of a recorded wait are estimates: it may stand for several waits, or only a part of it is
 * shown. In a process with few waits each is recorded, and the sum of a single wait stands for no other. */
bool ep_wait_is_estimate(const struct ep_wait_adding *adding, const struct ep_wait_cost *wait);
/* Adds a wait, which is a part of row, to the rows of its lock and of its thread. 0 or -1: out of memory. */
int ep_wait_add_lock(struct ep_wait_adding *adding, const struct ep_wait_cost *wait,
	const struct ep_report_wait *row) EP_MUST_CHECK;
int ep_wait_add_thread(struct ep_wait_adding *adding, const struct ep_wait_cost *wait,
	uint32_t row_idx) EP_MUST_CHECK;
/* Sort the rows of locks, and the rows of threads' waits. */
void ep_wait_finish_locks(struct ep_builder *builder);
void ep_wait_finish_threads(struct ep_builder *builder);

#endif
