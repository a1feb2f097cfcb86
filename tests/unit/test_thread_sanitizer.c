// SPDX-License-Identifier: BSD-3-Clause
/* A program that has functions of its own before libc's, as one with ThreadSanitizer linked in has. */
#include "tests/unit/test.h"

#include <pthread.h>

#include "common/os/thread_sanitizer.h"

#define OWN __attribute__((visibility("default")))

OWN int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	(void)barrier;
	return 0;
}

OWN int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	(void)lock;
	(void)until;
	return 0;
}

OWN int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	(void)lock;
	return 0;
}

TEST(one_that_is_linked_in_is_known_by_what_it_stands_before)
{
#ifdef __SANITIZE_THREAD__
	CHECK(!ep_thread_sanitizer_is_here());
#else
	CHECK(ep_thread_sanitizer_is_here());
#endif
}
