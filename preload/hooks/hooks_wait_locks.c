// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks of functions in which threads wait for each other: mutexes, rwlocks, condition variables, semaphores, barriers
 * and joins. A call that takes a free mutex or an available rwlock costs no time stamp: the lock word shows that the
 * lock is free.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "hooks_waits.h"

const bool ep_recording_has_wait_hooks = true;

/* Finds the real function. glibc before 2.34 has some of these functions in libpthread, which a program may load after
 * its start. */
void *ep_hooks_wait_find(const char *name, const char *version)
{
	void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
	void *threads;

	if (!found)
		found = dlsym(RTLD_NEXT, name);
	if (found)
		return found;
	threads = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
	return threads ? dlsym(threads, name) : NULL;
}

#if defined(__x86_64__)
#define CONDITIONS_VERSION "GLIBC_2.3.2"
#else
#define CONDITIONS_VERSION NULL
#endif

/* ---- mutexes ---- */

EP_WAIT_REAL(int, pthread_mutex_lock, NULL, (pthread_mutex_t * mutex), (mutex))
EP_WAIT_REAL(int, pthread_mutex_timedlock, NULL,
	(pthread_mutex_t *restrict mutex, const struct timespec *restrict until), (mutex, until))
EP_WAIT_REAL(int, pthread_mutex_clocklock, NULL,
	(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until),
	(mutex, clock, until))
EP_WAIT_REAL(int, mtx_lock, NULL, (mtx_t * mutex), (mutex))
EP_WAIT_REAL(int, mtx_timedlock, NULL,
	(mtx_t *restrict mutex, const struct timespec *restrict until), (mutex, until))

#define MUTEX_WAIT(mutex) EP_WAIT_MUTEX, -1, owner_of(mutex), (uint64_t)(mutex)

/* The positions of the lock word and the owner are fixed by the ABI of pthread_mutex_t, whose initialisers are compiled
 * into programs. */
static inline bool is_free(const pthread_mutex_t *mutex)
{
	return !*(const volatile int *)&mutex->__data.__lock;
}

static inline int owner_of(const pthread_mutex_t *mutex)
{
	return *(const volatile int *)&mutex->__data.__owner;
}

static __attribute__((noinline)) int lock_taken(pthread_mutex_t *mutex)
{
	struct ep_thread *thread = ep_waits_thread(EP_WAIT_MUTEX);

	if (!thread)
		return real_pthread_mutex_lock(mutex);
	return EP_WAIT_CALL(pthread_mutex_lock, (mutex), MUTEX_WAIT(mutex));
}

/* Locks a mutex. For a free mutex the hook costs a look at the lock word and a jump: all other code is in lock_taken,
 * so that the hook needs no frame. If another thread takes the mutex in the ns between this look and libc's own, the
 * wait is not noted. */
__attribute__((hot)) EP_HOOK int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return is_free(mutex) ? real_pthread_mutex_lock(mutex) : lock_taken(mutex);
}

EP_HOOK int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	struct ep_thread *thread = is_free(mutex) ? NULL : ep_waits_thread(EP_WAIT_MUTEX);

	if (!thread)
		return real_pthread_mutex_timedlock(mutex, until);
	return EP_WAIT_CALL(pthread_mutex_timedlock, (mutex, until), MUTEX_WAIT(mutex));
}

EP_HOOK int pthread_mutex_clocklock(
	pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	struct ep_thread *thread = is_free(mutex) ? NULL : ep_waits_thread(EP_WAIT_MUTEX);

	if (!thread)
		return real_pthread_mutex_clocklock(mutex, clock, until);
	return EP_WAIT_CALL(pthread_mutex_clocklock, (mutex, clock, until), MUTEX_WAIT(mutex));
}

EP_HOOK int mtx_lock(mtx_t *mutex)
{
	pthread_mutex_t *same = (pthread_mutex_t *)mutex;
	struct ep_thread *thread = is_free(same) ? NULL : ep_waits_thread(EP_WAIT_MUTEX);

	if (!thread)
		return real_mtx_lock(mutex);
	return EP_WAIT_CALL(mtx_lock, (mutex), MUTEX_WAIT(same));
}

EP_HOOK int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	pthread_mutex_t *same = (pthread_mutex_t *)mutex;
	struct ep_thread *thread = is_free(same) ? NULL : ep_waits_thread(EP_WAIT_MUTEX);

	if (!thread)
		return real_mtx_timedlock(mutex, until);
	return EP_WAIT_CALL(mtx_timedlock, (mutex, until), MUTEX_WAIT(same));
}

/* ---- rwlocks ---- */

EP_WAIT_REAL(int, pthread_rwlock_rdlock, NULL, (pthread_rwlock_t * lock), (lock))
EP_WAIT_REAL(int, pthread_rwlock_wrlock, NULL, (pthread_rwlock_t * lock), (lock))

#define RWLOCK_WAIT(lock) EP_WAIT_RWLOCK, -1, 0, (uint64_t)(lock)

/* glibc's lock word (since 2.25) has the number of readers from bit 3 on, and a bit for a writer that holds the lock or
 * waits for it. A wrong guess from this word costs two time stamps, or a wait is not noted. */
#define WRITER_BIT 2u
#define READERS_SHIFT 3

static inline unsigned word_of(const pthread_rwlock_t *lock)
{
	return *(const volatile unsigned *)&lock->__data.__readers;
}

static inline bool is_free_to_read(const pthread_rwlock_t *lock)
{
	return !(word_of(lock) & WRITER_BIT);
}

static inline bool is_free_to_write(const pthread_rwlock_t *lock)
{
	unsigned word = word_of(lock);

	return !(word & WRITER_BIT) && !(word >> READERS_SHIFT);
}

static __attribute__((noinline)) int read_taken(pthread_rwlock_t *lock)
{
	struct ep_thread *thread = ep_waits_thread(EP_WAIT_RWLOCK);

	if (!thread)
		return real_pthread_rwlock_rdlock(lock);
	return EP_WAIT_CALL(pthread_rwlock_rdlock, (lock), RWLOCK_WAIT(lock));
}

__attribute__((hot)) EP_HOOK int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return is_free_to_read(lock) ? real_pthread_rwlock_rdlock(lock) : read_taken(lock);
}

static __attribute__((noinline)) int write_taken(pthread_rwlock_t *lock)
{
	struct ep_thread *thread = ep_waits_thread(EP_WAIT_RWLOCK);

	if (!thread)
		return real_pthread_rwlock_wrlock(lock);
	return EP_WAIT_CALL(pthread_rwlock_wrlock, (lock), RWLOCK_WAIT(lock));
}

__attribute__((hot)) EP_HOOK int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return is_free_to_write(lock) ? real_pthread_rwlock_wrlock(lock) : write_taken(lock);
}

EP_WAIT_HOOK(int, pthread_rwlock_timedrdlock,
	(pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until),
	RWLOCK_WAIT(lock))
EP_WAIT_HOOK(int, pthread_rwlock_timedwrlock,
	(pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until),
	RWLOCK_WAIT(lock))

/* ---- condition variables ---- */

#define CONDITION_WAIT(condition) EP_WAIT_CONDITION, -1, 0, (uint64_t)(condition)

EP_WAIT_HOOK_OF(int, pthread_cond_wait, CONDITIONS_VERSION,
	(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex), (condition, mutex),
	CONDITION_WAIT(condition))
EP_WAIT_HOOK_OF(int, pthread_cond_timedwait, CONDITIONS_VERSION,
	(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
		const struct timespec *restrict until),
	(condition, mutex, until), CONDITION_WAIT(condition))
EP_WAIT_HOOK(int, pthread_cond_clockwait,
	(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
		const struct timespec *restrict until),
	(condition, mutex, clock, until), CONDITION_WAIT(condition))
EP_WAIT_HOOK(int, cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex),
	CONDITION_WAIT(condition))
EP_WAIT_HOOK(int, cnd_timedwait,
	(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until),
	(condition, mutex, until), CONDITION_WAIT(condition))

/* ---- semaphores, barriers, joins ---- */

#define SEMAPHORE_WAIT(semaphore) EP_WAIT_SEMAPHORE, -1, 0, (uint64_t)(semaphore)
#define JOIN_WAIT EP_WAIT_JOIN, -1, 0, 0
#define SEMAPHORE_HOOK(...) EP_WAIT_HOOK_UNLESS(is_posted(semaphore), __VA_ARGS__)

/* Tells whether a semaphore can be taken: its value is glibc's first word (since 2.21). If another thread takes the
 * semaphore before this call does, the wait is not noted. */
static inline bool is_posted(const sem_t *semaphore)
{
	return *(const volatile unsigned *)semaphore;
}

SEMAPHORE_HOOK(int, sem_wait, (sem_t * semaphore), (semaphore), SEMAPHORE_WAIT(semaphore))
SEMAPHORE_HOOK(int, sem_timedwait,
	(sem_t *restrict semaphore, const struct timespec *restrict until), (semaphore, until),
	SEMAPHORE_WAIT(semaphore))
SEMAPHORE_HOOK(int, sem_clockwait,
	(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until),
	(semaphore, clock, until), SEMAPHORE_WAIT(semaphore))
EP_WAIT_HOOK(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier), EP_WAIT_BARRIER,
	-1, 0, (uint64_t)barrier)
EP_WAIT_HOOK(int, pthread_join, (pthread_t thread_id, void **out_result), (thread_id, out_result),
	JOIN_WAIT)
EP_WAIT_HOOK(int, pthread_timedjoin_np,
	(pthread_t thread_id, void **out_result, const struct timespec *until),
	(thread_id, out_result, until), JOIN_WAIT)
EP_WAIT_HOOK(int, pthread_clockjoin_np,
	(pthread_t thread_id, void **out_result, clockid_t clock, const struct timespec *until),
	(thread_id, out_result, clock, until), JOIN_WAIT)
EP_WAIT_HOOK(
	int, thrd_join, (thrd_t thread_id, int *out_result), (thread_id, out_result), JOIN_WAIT)
