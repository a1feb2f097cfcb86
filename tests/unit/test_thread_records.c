// SPDX-License-Identifier: BSD-3-Clause
/* Records of threads: taken, used again, locked. */
#include "tests/unit/test.h"

#include <pthread.h>

#include "preload/thread/thread.h"
#include "preload/thread/thread_write.h"

static uint32_t count_records(void)
{
	uint32_t n = 0;

	for (struct ep_thread *t = ep_threads_first(); t; t = t->next)
		n++;
	return n;
}

TEST(a_record_is_used_again)
{
	struct ep_thread *first = ep_thread_acquire(), *second = ep_thread_acquire();

	CHECK(first && second && first != second);
	CHECK_INT(count_records(), 2);
	CHECK_INT(first->state, EP_THREAD_STARTING);
	ep_thread_release(first);
	CHECK(ep_thread_acquire() == first);
	CHECK_INT(count_records(), 2);
	ep_thread_release(first);
	ep_thread_release(second);
}

TEST(a_lock_is_had_once)
{
	struct ep_thread *thread = ep_thread_acquire();

	CHECK(ep_thread_try_lock(thread));
	CHECK(!ep_thread_try_lock(thread));
	CHECK(!ep_thread_wait_lock(thread)); /* gives up */
	ep_thread_unlock(thread);
	CHECK(ep_thread_wait_lock(thread));
	ep_thread_unlock(thread);
	ep_thread_release(thread);
}

enum { N_THREADS = 8, N_ROUNDS = 2000 };
static _Atomic int n_shared;

/* No other thread may have the record between take and release. */
static void *take_and_release(void *argument)
{
	(void)argument;
	for (int i = 0; i < N_ROUNDS; i++) {
		struct ep_thread *thread = ep_thread_acquire();

		n_shared += thread->n_destructor_rounds != 0;
		thread->n_destructor_rounds = 1;
		n_shared += thread->n_destructor_rounds != 1;
		thread->n_destructor_rounds = 0;
		ep_thread_release(thread);
	}
	return NULL;
}

TEST(threads_never_share_one)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, take_and_release, NULL), 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(n_shared, 0);
	CHECK_MSG(count_records() <= N_THREADS + 2, "%u records", count_records());
}
