// SPDX-License-Identifier: BSD-3-Clause
#include "loader.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#include "sys.h"

/* The longest wait. A fork does not wait longer for looks, since a look may itself wait for a lock that the forking
 * thread holds. */
#define WAIT_NS 100000000

static atomic_int n_looks, n_forks;

/* Begins a look. Here n_looks is changed and then n_forks is read; before a fork, n_forks is changed and then n_looks
 * is read. So of a thread that looks and a thread that forks, at least one sees the other's count. */
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

/* Resets the counts, since the threads that they count exist only in the parent. */
void ep_loader_after_fork_in_child(void)
{
	atomic_store(&n_looks, 0);
	atomic_store(&n_forks, 0);
}
