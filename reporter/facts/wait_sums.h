/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits while they are added up by place, lock and thread: shared by the files that do so. */
#ifndef EVPROF_REPORTER_FACTS_WAIT_SUMS_H
#define EVPROF_REPORTER_FACTS_WAIT_SUMS_H

#include "reporter/facts/builder.h"

#define EP_WAIT_MAX_NAMES_OF_PATH 12 /* the innermost */

/* How near a procedure is to the user, who may change what is his own. */
enum ep_wait_whose {
	EP_WAIT_OTHERS,
	EP_WAIT_LIBRARY_SCRIPT, /* of a script that came with its language or with a package */
	EP_WAIT_OWN,
};

/* The waits of a process. At most n_short of them may be short: which, a sum does not say. */
struct ep_wait_number {
	uint64_t n, n_short;
	bool has_chosen; /* one stands for others, as its time shows */
};

/* The state of adding up. */
struct ep_wait_adding {
	struct ep_builder *builder;
	const char *names[EP_WAIT_MAX_NAMES_OF_PATH]; /* innermost first */
	enum ep_wait_whose whose[EP_WAIT_MAX_NAMES_OF_PATH];
	uint32_t n;
	struct ep_index row_index, lock_index;
	uint32_t first_of_thread;          /* in thread_waits */
	struct ep_wait_number *of_process; /* (n_processes of the trace) */
};

/* Adds what is shown of a wait. */
static inline void ep_wait_add(
	struct ep_report_wait_sum *sum, const struct ep_part *part, const struct ep_wait_cost *wait)
{
	const struct ep_sum_share shown = ep_wait_shown(part, wait);

	sum->n += shown.n;
	sum->ns += shown.ns;
	if (shown.longest_ns > sum->longest_ns)
		sum->longest_ns = shown.longest_ns;
}

/* In whole numbers. A wait that reaches over the border of what is shown is one, and as long as what is shown. */
static inline void ep_wait_round(const struct ep_report_wait_sum *sum, uint64_t *out_n_waits,
	uint64_t *out_ns, uint64_t *out_longest_ns)
{
	*out_n_waits = sum->n > 1 ? (uint64_t)(sum->n + .5) : 1;
	*out_ns = (uint64_t)(sum->ns + .5);
	*out_longest_ns = sum->longest_ns < *out_ns ? sum->longest_ns : *out_ns;
}

/* Names the lock of a wait; NULL: there is none, or it has no name. 0 or -1: no memory. */
int ep_wait_lock_name(struct ep_builder *builder, const struct ep_wait_cost *wait,
	const char **out_name) EP_MUST_CHECK;
extern const char ep_wait_gil_name[];

/* Tells whether a lock, with its variable's name or NULL, is the one that Python's functions take turns at. */
bool ep_wait_is_for_gil(
	const struct ep_builder *builder, const struct ep_wait_cost *wait, const char *lock_name);
/* Tells whether a Python function whose names are at hand waits for the end of a thread. */
bool ep_wait_is_threading_join(
	const struct ep_wait_adding *adding, const struct ep_wait_cost *wait);
/* Whether others may stand behind what was noted: of a process's first waits each is noted, and nothing stands
 * for one that is alone in its row. */
bool ep_wait_is_estimate(const struct ep_wait_adding *adding, const struct ep_wait_cost *wait);
/* Adds a wait, which is a part of row, to those of its lock and of its thread. 0 or -1: no memory. */
int ep_wait_add_lock(struct ep_wait_adding *adding, const struct ep_wait_cost *wait,
	const struct ep_report_wait *row) EP_MUST_CHECK;
int ep_wait_add_thread(struct ep_wait_adding *adding, const struct ep_wait_cost *wait,
	uint32_t row_idx) EP_MUST_CHECK;
/* Puts locks, and behind the rows the waits of threads, in their order. */
void ep_wait_finish_locks(struct ep_builder *builder);
void ep_wait_finish_threads(struct ep_builder *builder);

#endif
