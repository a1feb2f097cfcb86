// SPDX-License-Identifier: BSD-3-Clause
#include "loader.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "sys.h"

/* The longest wait. A fork does not wait longer for looks, since the forking thread may hold a lock that a look waits
 * for. */
#define WAIT_NS 100000000

static atomic_int n_looks, n_forks;

/* Begins a look. Here and before a fork, the thread first changes its own count and then reads the other: so at least
 * one of the two threads sees the other. */
static bool begin_look(void)
{
	atomic_fetch_add(&n_looks, 1);
	if (!atomic_load(&n_forks))
		return true;
	atomic_fetch_sub(&n_looks, 1);
	return false;
}

static bool wait_to_look(void)
{
	uint64_t deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + WAIT_NS;

	while (ep_now_ns(CLOCK_MONOTONIC) < deadline_ns) {
		ep_sys(__NR_sched_yield);
		if (begin_look())
			return true;
	}
	return false;
}

/* Signals are blocked, since a signal handler of the program could fork during the look, or never return. */
bool ep_loader_look(
	int (*look)(struct dl_phdr_info *info, size_t size, void *argument), void *argument)
{
	uint64_t mask = ep_sys_block_signals();
	bool is_possible = begin_look() || wait_to_look();

	if (is_possible) {
		dl_iterate_phdr(look, argument);
		atomic_fetch_sub(&n_looks, 1);
	}
	ep_sys_restore_signals(mask);
	return is_possible;
}

static int take_state(struct dl_phdr_info *info, size_t size, void *out_state)
{
	(void)size;
	*(uint64_t *)out_state = (uint64_t)info->dlpi_adds << 32 | (uint32_t)(info->dlpi_subs << 1);
	return 1;
}

bool ep_loader_state(uint64_t *out_state)
{
	return ep_loader_look(take_state, out_state);
}

void ep_loader_before_fork(void)
{
	uint64_t deadline_ns;

	atomic_fetch_add(&n_forks, 1);
	if (!atomic_load(&n_looks))
		return;
	deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + WAIT_NS;
	while (atomic_load(&n_looks) && ep_now_ns(CLOCK_MONOTONIC) < deadline_ns)
		ep_sys(__NR_sched_yield);
}

void ep_loader_after_fork_in_parent(void)
{
	atomic_fetch_sub(&n_forks, 1);
}

/* Resets the counts: the threads that they count are the parent's. */
void ep_loader_after_fork_in_child(void)
{
	atomic_store(&n_looks, 0);
	atomic_store(&n_forks, 0);
}
