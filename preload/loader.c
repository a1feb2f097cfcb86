// SPDX-License-Identifier: BSD-3-Clause
#include "loader.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "sys.h"

#define WAIT_NS 100000000

static atomic_int n_looks, n_forks;

bool ep_loader_look(
	int (*look)(struct dl_phdr_info *info, size_t size, void *argument), void *argument)
{
	bool is_possible;

	atomic_fetch_add(&n_looks, 1);
	is_possible = !atomic_load(&n_forks);
	if (is_possible)
		dl_iterate_phdr(look, argument);
	atomic_fetch_sub(&n_looks, 1);
	return is_possible;
}

static int take_counts(struct dl_phdr_info *info, size_t size, void *out_counts)
{
	(void)size;
	*(struct ep_loader_counts *)out_counts =
		(struct ep_loader_counts){ info->dlpi_adds, info->dlpi_subs };
	return 1;
}

bool ep_loader_count(struct ep_loader_counts *out_counts)
{
	return ep_loader_look(take_counts, out_counts);
}

/* For ever would be too long: a signal handler may fork in the middle of its own thread's look. */
void ep_loader_before_fork(void)
{
	uint64_t deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + WAIT_NS;

	atomic_fetch_add(&n_forks, 1);
	while (atomic_load(&n_looks) && ep_now_ns(CLOCK_MONOTONIC) < deadline_ns)
		ep_sys(__NR_sched_yield);
}

void ep_loader_after_fork_in_parent(void)
{
	atomic_fetch_sub(&n_forks, 1);
}

/* Other threads, and what they were at, are the parent's. */
void ep_loader_after_fork_in_child(void)
{
	atomic_store(&n_looks, 0);
	atomic_store(&n_forks, 0);
}
