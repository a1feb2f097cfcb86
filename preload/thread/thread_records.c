// SPDX-License-Identifier: BSD-3-Clause
/* The records of all threads: they are taken, locked, used again, and never freed. */
#include <time.h>

#include "common/os/slice_code.h"
#include "common/os/sys.h"
#include "thread.h"
#include "thread_write.h"

/* The longest wait for a record's lock. The thread that flushes all threads may wait for the trace's lock, for up to a
 * second, while it holds a record's lock. This wait is longer, since a thread that gave up at its end would keep its
 * descriptors open. */
#define WAIT_NS 2000000000u

__thread struct ep_thread *ep_self __attribute__((tls_model("initial-exec")));

static struct ep_thread *_Atomic first_thread;

struct ep_thread *ep_threads_first(void)
{
	return atomic_load(&first_thread);
}

bool ep_threads_is_alone(void)
{
	for (const struct ep_thread *t = ep_threads_first(); t; t = t->next)
		if (t != ep_self && t->state == EP_THREAD_LIVE)
			return false;
	return true;
}

static struct ep_thread *take_free(void)
{
	for (struct ep_thread *t = ep_threads_first(); t; t = t->next) {
		int expected = EP_THREAD_FREE;

		if (atomic_compare_exchange_strong(&t->state, &expected, EP_THREAD_STARTING))
			return t;
	}
	return NULL;
}

struct ep_thread *ep_thread_acquire(void)
{
	struct ep_thread *thread = take_free();

	if (thread)
		return thread;
	thread = ep_sys_map(sizeof(*thread));
	if (!thread)
		return NULL;
	thread->state = EP_THREAD_STARTING;
	thread->next = atomic_load(&first_thread);
	while (!atomic_compare_exchange_weak(&first_thread, &thread->next, thread))
		;
	return thread;
}

void ep_thread_release(struct ep_thread *thread)
{
	atomic_store(&thread->state, EP_THREAD_FREE);
}

EP_SLICE_CODE bool ep_thread_try_lock(struct ep_thread *thread)
{
	return !atomic_exchange(&thread->lock, 1);
}

bool ep_thread_wait_lock(struct ep_thread *thread)
{
	uint64_t deadline_ns = ep_now_ns(CLOCK_MONOTONIC) + WAIT_NS;

	while (!ep_thread_try_lock(thread)) {
		if (ep_now_ns(CLOCK_MONOTONIC) > deadline_ns)
			return false;
		ep_sys(__NR_sched_yield);
	}
	return true;
}

EP_SLICE_CODE void ep_thread_unlock(struct ep_thread *thread)
{
	atomic_store(&thread->lock, 0);
}
