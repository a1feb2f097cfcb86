// SPDX-License-Identifier: BSD-3-Clause
/* Used at the start and end of threads, by hooks, and in signal handlers. */
#include "file_limit.h"

#include <stdatomic.h>
#include <time.h>

#include "sys.h"

/* The longest waits. A raised limit is restored within microseconds, unless the thread loses its CPU. A fork holds the
 * limit until it ends, but the limit that the child inherits is copied when the fork begins. So the wait to raise the
 * limit is shorter: after it the limit may be raised during a fork. */
#define WAIT_TO_HOLD_NS 1000000000
#define WAIT_TO_RAISE_NS 200000000

static atomic_int n_holders;
static atomic_bool is_raised;

static bool is_over(uint64_t wait_ns, uint64_t *deadline_ns)
{
	uint64_t now_ns = ep_now_ns(CLOCK_MONOTONIC);

	if (!*deadline_ns)
		*deadline_ns = now_ns + wait_ns;
	ep_sys(__NR_sched_yield);
	return now_ns >= *deadline_ns;
}

/* Holds the limit. Here n_holders is changed and then is_raised is read; in begin(), is_raised is changed and then
 * n_holders is read. So of two threads that do this at once, at least one sees what the other has changed. */
void ep_file_limit_hold(void)
{
	uint64_t deadline_ns = 0;

	atomic_fetch_add(&n_holders, 1);
	while (atomic_load(&is_raised) && !is_over(WAIT_TO_HOLD_NS, &deadline_ns))
		;
}

void ep_file_limit_release(void)
{
	atomic_fetch_sub(&n_holders, 1);
}

bool ep_file_limit_is_held(void)
{
	return atomic_load(&n_holders) > 0;
}

void ep_file_limit_after_fork(void)
{
	atomic_store(&n_holders, 0);
	atomic_store(&is_raised, false);
}

static bool begin(void)
{
	if (atomic_exchange(&is_raised, true))
		return false;
	if (!atomic_load(&n_holders))
		return true;
	atomic_store(&is_raised, false);
	return false;
}

static bool wait_to_begin(void)
{
	uint64_t deadline_ns = 0;

	while (!begin())
		if (is_over(WAIT_TO_RAISE_NS, &deadline_ns))
			return false;
	return true;
}

static bool is_same(const struct rlimit *a, const struct rlimit *b)
{
	return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

/* Sets the limit. The same call returns the old limit. It may have changed since it was read, if the wait for other
 * threads was given up. */
static bool set_limit(struct ep_file_limit *limit, struct rlimit raised)
{
	limit->raised = raised;
	return !ep_sys_prlimit(RLIMIT_NOFILE, &raised, &limit->before);
}

static bool raise_limit(struct ep_file_limit *limit)
{
	const struct rlimit *now = &limit->before;
	rlim_t soft = EP_FILE_LIMIT_ROOM, hard;

	if (ep_sys_prlimit(RLIMIT_NOFILE, NULL, &limit->before) ||
		now->rlim_cur > EP_FILE_LIMIT_FAR + EP_FILE_LIMIT_ROOM)
		return false;
	soft += now->rlim_cur < EP_FILE_LIMIT_FAR ? now->rlim_cur : EP_FILE_LIMIT_FAR;
	hard = soft > now->rlim_max ? soft : now->rlim_max;
	if (soft <= now->rlim_cur)
		return false;
	if (set_limit(limit, (struct rlimit){ soft, hard }))
		return true;
	hard = now->rlim_max;
	return hard > now->rlim_cur && set_limit(limit, (struct rlimit){ hard, hard });
}

void ep_file_limit_raise(struct ep_file_limit *out_limit)
{
	/* Signals are blocked: a signal handler of the program could read the raised limit, or never return. */
	*out_limit = (struct ep_file_limit){ .mask = ep_sys_block_signals() };
	out_limit->is_own = wait_to_begin();
	out_limit->is_raised = raise_limit(out_limit);
}

void ep_file_limit_restore(const struct ep_file_limit *limit)
{
	struct rlimit seen;

	if (limit->is_raised && !ep_sys_prlimit(RLIMIT_NOFILE, &limit->before, &seen) &&
		!is_same(&seen, &limit->raised))
		ep_sys_prlimit(RLIMIT_NOFILE, &seen, NULL); /* the program has set it meanwhile */
	if (limit->is_own)
		atomic_store(&is_raised, false);
	ep_sys_restore_signals(limit->mask);
}
