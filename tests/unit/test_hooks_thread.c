// SPDX-License-Identifier: BSD-3-Clause
/* Threads from their creation to each of their ends: every one is in the trace, to its last slice.
 */
#include "tests/unit/child.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include "preload/hooks/hooks.h"
#include "preload/thread/thread.h"

/* Stands for the constructor that is still to come. */
static int n_early_begins;
static bool begins_early;

void ep_library_begin_early(void)
{
	n_early_begins++;
	if (!begins_early)
		return;
	begins_early = false;
	begin(NULL);
	ep_hooks_thread_begin();
}

enum { N_THREADS = 20 };

static void *give_back(void *argument)
{
	return ep_self ? argument : NULL;
}

static void *leave_by_exit(void *argument)
{
	pthread_exit(give_back(argument));
}

static void *wait_to_be_cancelled(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static int create_and_join(void *(*routine)(void *), bool cancel)
{
	static char arguments[N_THREADS];
	pthread_t threads[N_THREADS];
	int n_wrong = 0;

	for (int i = 0; i < N_THREADS; i++)
		n_wrong += pthread_create(&threads[i], NULL, routine, &arguments[i]) != 0;
	for (int i = 0; i < N_THREADS; i++) {
		void *result = NULL;

		if (cancel)
			pthread_cancel(threads[i]);
		pthread_join(threads[i], &result);
		n_wrong += result != (cancel ? PTHREAD_CANCELED : &arguments[i]);
	}
	return n_wrong;
}

static int run(void *(*routine)(void *), bool cancel)
{
	int n_wrong;

	ep_hooks_thread_begin();
	n_wrong = create_and_join(routine, cancel);
	if (ep_recording.n_threads != N_THREADS + 1)
		return 100;
	ep_process_end(EP_END_EXIT, 0, "");
	return n_wrong;
}

static int run_returning(void)
{
	return run(give_back, false);
}

static int run_exiting(void)
{
	return run(leave_by_exit, false);
}

static int run_cancelled(void)
{
	return run(wait_to_be_cancelled, true);
}

static int give_back_c11(void *argument)
{
	return ep_self ? *(int *)argument : -1;
}

static int run_c11(void)
{
	int n_wrong = 0;

	ep_hooks_thread_begin();
	for (int i = 0; i < N_THREADS; i++) {
		int result = -1;
		thrd_t thread;

		n_wrong += thrd_create(&thread, give_back_c11, &i) != thrd_success;
		thrd_join(thread, &result);
		n_wrong += result != i;
	}
	ep_process_end(EP_END_EXIT, 0, "");
	return n_wrong;
}

TEST(every_thread_is_there_however_it_ends)
{
	static int (*const ways[])(void) = { run_returning, run_exiting, run_cancelled, run_c11 };

	for (size_t i = 0; i < EP_ARRAY_SIZE(ways); i++) {
		struct read_back back;

		CHECK_MSG(in_child(ways[i], NULL) == 0, "way %zu", i);
		read_trace(&back);
		CHECK_INT(back.n_images, 1);
		CHECK_INT(back.n_final_threads, N_THREADS + 1);
	}
}

/* Ours runs behind the program's own destructors, which may still work for long. */
static pthread_key_t own_key;
static int n_seen_in_destructor;

static void destroy(void *value)
{
	n_seen_in_destructor += ep_self != NULL;
	if (value == (void *)1)
		pthread_setspecific(own_key, (void *)2); /* a second round */
}

static void *set_key(void *argument)
{
	pthread_setspecific(own_key, (void *)1);
	return argument;
}

static int run_destructors(void)
{
	pthread_t thread;

	ep_hooks_thread_begin();
	if (pthread_key_create(&own_key, destroy) || pthread_create(&thread, NULL, set_key, NULL) ||
		pthread_join(thread, NULL))
		return 1;
	return n_seen_in_destructor == 2 ? 0 : 2;
}

TEST(a_thread_is_measured_through_its_destructors)
{
	CHECK_INT(in_child(run_destructors, NULL), 0);
}

static int make_all_keys(pthread_key_t keys[PTHREAD_KEYS_MAX])
{
	int n = 0;

	while (n < PTHREAD_KEYS_MAX && !pthread_key_create(&keys[n], NULL))
		n++;
	return n;
}

/* The program needs every key there is: it gets ours. */
static int take_all_keys(void)
{
	static pthread_key_t keys[PTHREAD_KEYS_MAX];
	int n_without = make_all_keys(keys);

	for (int i = 0; i < n_without; i++)
		pthread_key_delete(keys[i]);
	ep_hooks_thread_begin();
	if (!n_without || make_all_keys(keys) != n_without)
		return 1;
	if (pthread_key_create(&keys[0], NULL) != EAGAIN)
		return 2;
	return create_and_join(give_back, false);
}

TEST(a_program_may_have_every_key)
{
	CHECK_INT(in_child(take_all_keys, NULL), 0);
}

static int fail_to_create(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	uint32_t before;

	ep_hooks_thread_begin();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
	before = ep_recording.n_threads;
	for (int i = 0; i < 100; i++)
		if (!pthread_create(&thread, &attributes, give_back, NULL))
			return 1;
	if (ep_recording.n_threads != before)
		return 2;
	return create_and_join(give_back, false);
}

TEST(a_thread_that_does_not_come_about_leaves_nothing)
{
	CHECK_INT(in_child(fail_to_create, NULL), 0);
}

/* A library's constructor starts a thread before ours has run. */
TEST(the_first_thread_begins_what_has_not_begun)
{
	pthread_t thread;
	void *result = NULL;

	n_early_begins = 0;
	CHECK_INT(pthread_create(&thread, NULL, give_back, &begins_early), 0);
	pthread_join(thread, &result);
	CHECK_INT(n_early_begins, 1);
	CHECK(!result); /* it was not to be: the thread runs unprofiled */
	n_early_begins = 0;
	begins_early = true;
	unlink(trace_path);
	CHECK_INT(pthread_create(&thread, NULL, give_back, &begins_early), 0);
	pthread_join(thread, &result);
	CHECK_INT(n_early_begins, 1);
	CHECK(result == &begins_early);
	CHECK_INT(ep_recording.n_threads, 2);
	ep_process_end(EP_END_EXIT, 0, "");
	clean_up();
}
