// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks for threads: pthread_create (C++ and OpenMP use it) and C11's thrd_create. The end of a thread is noticed by a
 * thread-specific key, whose destructor runs after return, pthread_exit and cancellation alike.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

#include "hooks.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"
#include "preload/sample/thread_life.h"
#include "preload/unwind/modules.h"

EP_REAL(pthread_create)
EP_REAL(thrd_create)
EP_REAL(pthread_key_create)

static pthread_key_t end_key;
static atomic_bool has_end_key;
static uint64_t default_stack_bytes = 8 << 20;

/* Tells whether the process has stopped measuring and nothing of the thread is left to be written. */
static bool is_done_with(const struct ep_thread *thread)
{
	return !ep_recording.is_on && thread->is_final && !ep_process.is_ending;
}

/* Ends the thread's measurement in the last round of destructors, so that the destructors of earlier rounds are
 * measured. glibc runs destructors again while some value is set, up to PTHREAD_DESTRUCTOR_ITERATIONS (4) times. */
static void on_thread_end(void *argument)
{
	struct ep_thread *thread = argument;

	if (thread != ep_self || is_done_with(thread))
		return;
	if (++thread->n_destructor_rounds < 4) {
		pthread_setspecific(end_key, thread);
		return;
	}
	atomic_store(&thread->is_at_edge, true);
	/* If the program has entered a sandbox, the system calls of the thread's end could kill the program. */
	if (!ep_hooks_in_sandbox)
		ep_thread_end(thread);
	else
		atomic_store(&thread->is_at_edge, false);
}

void ep_hooks_thread_begin(void)
{
	pthread_attr_t attributes;
	size_t size;

	has_end_key = !find_pthread_key_create()(&end_key, on_thread_end);
	if (!pthread_getattr_default_np(&attributes)) {
		if (!pthread_attr_getstacksize(&attributes, &size))
			default_stack_bytes = size;
		pthread_attr_destroy(&attributes);
	}
}

void ep_hooks_thread_mark(void *thread)
{
	if (has_end_key)
		pthread_setspecific(end_key, thread);
}

/* Gives evprof's key to a program that needs every key. evprof does not notice the ends of threads after that: it
 * writes their records when the process ends. */
EP_HOOK int pthread_key_create(pthread_key_t *out_key, void (*destructor)(void *))
{
	int rc = find_pthread_key_create()(out_key, destructor);

	if (rc != EAGAIN || !atomic_exchange(&has_end_key, false))
		return rc;
	pthread_key_delete(end_key);
	return find_pthread_key_create()(out_key, destructor);
}

EP_REAL(pthread_setname_np)

/* Reads the calling thread's name again. Threads mostly name themselves, and do so first of all. */
EP_HOOK int pthread_setname_np(pthread_t id, const char *name)
{
	int rc = find_pthread_setname_np()(id, name);

	if (!rc && ep_recording.is_on)
		ep_thread_note_name();
	return rc;
}

/* Sets evprof's handler in the process's first new thread. glibc sets its own handler of the tick's signal when it
 * creates the first thread, and that thread may run before its creator has set evprof's handler again. glibc's handler
 * would lose the tick. It would also ask for the process's number, a system call that a sandbox may forbid. */
static void set_handler_in_first(void)
{
	static atomic_bool is_set;

	if (atomic_load(&is_set))
		return;
	ep_signals_around_thread_create();
	/* another new thread that gets here in the meantime sets the handler as well */
	atomic_store(&is_set, true);
}

/* Begins to measure the thread. If the recording has ended since the thread was created, for example since a sandbox
 * began, the thread is not measured. */
static void begin(struct ep_thread *thread)
{
	/* the stack begins above this frame: libc's frames and the thread control block lie there */
	uint64_t high = (uint64_t)__builtin_frame_address(0) + 1024;

	atomic_store(&thread->is_at_edge, true);
	if (ep_recording.is_on) {
		set_handler_in_first();
		ep_thread_begin(thread, high - thread->stack_bytes, high);
		ep_hooks_thread_mark(thread);
	}
	atomic_store(&thread->is_at_edge, false);
}

/* Calls the program's function last, as a tail call, so that no frame of evprof is on the stack while the function
 * runs. */
static void *begin_pthread(void *argument)
{
	struct ep_thread *thread = argument;
	void *(*routine)(void *) = thread->start_routine;

	argument = thread->start_argument;
	begin(thread);
	return routine(argument);
}

static int begin_c11(void *argument)
{
	struct ep_thread *thread = argument;
	int (*routine)(void *) = thread->start_routine_c11;

	argument = thread->start_argument;
	begin(thread);
	return routine(argument);
}

static struct ep_thread *prepare(uint64_t stack_bytes, void *argument)
{
	struct ep_thread *thread;

	if (!ep_recording.is_on)
		ep_library_begin_early();
	if (!ep_recording.is_on)
		return NULL;
	ep_modules_refresh();
	ep_signals_around_thread_create();
	thread = ep_thread_acquire();
	if (!thread)
		return NULL;
	thread->stack_bytes = stack_bytes;
	thread->start_argument = argument;
	ep_thread_inherit_name(thread);
	return thread;
}

EP_HOOK int pthread_create(pthread_t *out_id, const pthread_attr_t *attributes,
	void *(*routine)(void *), void *argument)
{
	uint64_t stack_bytes = default_stack_bytes;
	struct ep_thread *thread;
	size_t size;
	int rc;

	if (attributes && !pthread_attr_getstacksize(attributes, &size))
		stack_bytes = size;
	thread = prepare(stack_bytes, argument);
	if (!thread)
		return find_pthread_create()(out_id, attributes, routine, argument);
	thread->start_routine = routine;
	rc = find_pthread_create()(out_id, attributes, begin_pthread, thread);
	if (rc)
		ep_thread_release(thread);
	else
		ep_signals_keep_tick();
	return rc;
}

EP_HOOK int thrd_create(thrd_t *out_id, thrd_start_t routine, void *argument)
{
	struct ep_thread *thread = prepare(default_stack_bytes, argument);
	int rc;

	if (!thread)
		return find_thrd_create()(out_id, routine, argument);
	thread->start_routine = (void *(*)(void *))(void *)routine;
	thread->start_routine_c11 = routine;
	rc = find_thrd_create()(out_id, begin_c11, thread);
	if (rc != thrd_success)
		ep_thread_release(thread);
	else
		ep_signals_keep_tick();
	return rc;
}
