// SPDX-License-Identifier: BSD-3-Clause
/* Waits that cannot be noted are counted. */
#include "tests/unit/test.h"

#include <pthread.h>

#include "preload/sample/waits.h"
#include "preload/thread/thread_write.h"

static struct ep_thread thread;

TEST(without_the_lock_a_wait_is_lost_and_counted)
{
	const struct ep_wait wait = { .kind = EP_WAIT_READ, .fd = -1 };

	ep_self = &thread;
	thread.tid = ep_sys_gettid();
	ep_recording.is_on = true;
	ep_recording.waits_ns = 1000;
	CHECK(ep_thread_try_lock(&thread));
	for (uint64_t i = 1; i <= 3; i++) {
		ep_waits_note(&thread, &wait, 1000000, 2000000);
		CHECK_INT(thread.waits.n_lost, i);
	}
	CHECK(thread.has_news);
	CHECK_INT(thread.waits.n_rows, 0);
}

static void *end_look(void *record)
{
	struct ep_thread *other = record;
	struct timespec a_while = { .tv_nsec = 2000000 };

	nanosleep(&a_while, NULL);
	ep_waits_look_end(other, false);
	return NULL;
}

/* The clock is looked at only where it gave up, as it may on a machine that stands still. */
TEST(a_sandbox_waits_for_looks_of_other_threads)
{
	struct ep_thread *other = ep_thread_acquire();
	uint64_t start_ns = ep_now_ns(CLOCK_MONOTONIC);
	pthread_t ender;

	ep_self = &thread;
	other->state = EP_THREAD_LIVE;
	CHECK(!ep_waits_look_begin(other));
	CHECK(!ep_waits_look_begin(&thread));
	CHECK(!pthread_create(&ender, NULL, end_look, other));
	ep_waits_wait_for_looks();
	CHECK(!other->wait_now.is_looking || ep_now_ns(CLOCK_MONOTONIC) - start_ns >= 100000000);
	pthread_join(ender, NULL);
	CHECK(ep_waits_look_begin(&thread));
	ep_waits_look_end(&thread, false);
	ep_thread_release(other);
}

/* A thread whose calls are looked at as long as its CPU time pays for them. */
static void begin_rests(void)
{
	ep_self = &thread;
	ep_self_find();
	thread.tid = ep_sys_gettid();
	ep_recording.is_on = true;
	ep_recording.waits_ns = 1000;
	thread.slice_start_cpu_ns = ep_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ep_waits_rests_start(&thread);
}

static void *find_self_in_thread(void *unused)
{
	static struct ep_thread other;

	CHECK(ep_self_by_hot() == NULL);
	ep_self = &other;
	CHECK(ep_self_by_hot() == &other);
	return unused;
}

TEST(each_thread_finds_its_own_record_by_the_hot_page)
{
	pthread_t other;

	begin_rests();
	CHECK(ep_self_by_hot() == &thread);
	CHECK(!pthread_create(&other, NULL, find_self_in_thread, NULL));
	pthread_join(other, NULL);
	CHECK(ep_self_by_hot() == &thread);
}

TEST(calls_rest_for_the_time_that_they_are_short_of)
{
	/* 256 calls, each of 60 ns, and 250 times as much: 3.84 ms */
	CHECK_INT(ep_waits_rest_calls(3840000), 0);
	CHECK_INT(ep_waits_rest_calls(UINT64_MAX), 0);
	CHECK_INT(ep_waits_rest_calls(1920000), 255);
	CHECK_INT(ep_waits_rest_calls(384000), 2302);
	CHECK_INT(ep_waits_rest_calls(0), 16384);
}

TEST(a_kind_rests_alone_and_is_counted)
{
	struct ep_wait_now *now = &thread.wait_now;
	uint64_t n, all;

	begin_rests();
	ep_hot.notes_waits = true;
	CHECK(ep_waits_thread(EP_WAIT_READ) == &thread);
	now->left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	CHECK(ep_waits_thread(EP_WAIT_POLL) == &thread);
	n = thread.waits.rest_calls[EP_WAIT_READ];
	all = n;
	CHECK_INT(n, -now->left[EP_WAIT_READ]);
	for (; n > 1; n--)
		CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	CHECK(ep_waits_thread(EP_WAIT_READ) == &thread);
	CHECK_INT(now->left[EP_WAIT_READ], EP_WAITS_SEEN_CALLS);
	CHECK_INT(thread.waits.n_unseen[EP_WAIT_READ], all);
	ep_hot.notes_waits = false;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
}

TEST(nothing_is_asked_for_a_call_once_the_recording_is_off)
{
	begin_rests();
	ep_hot.notes_waits = true;
	ep_recording.is_on = false;
	thread.wait_now.left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	CHECK_INT(thread.wait_now.left[EP_WAIT_READ], 0);
	CHECK(!thread.wait_now.is_looking);
	ep_recording.is_on = true;
}

TEST(what_is_written_within_a_rest_has_no_calls_that_never_were)
{
	begin_rests();
	ep_hot.notes_waits = true;
	thread.wait_now.left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	ep_wait_rows_add_unseen(&thread.waits);
	ep_waits_slice_begins(&thread);
	CHECK_INT(thread.waits.n_rows, 0);
	CHECK_INT(thread.waits.n_unseen[EP_WAIT_READ], 1);
}

TEST(a_sleep_within_a_rest_is_a_lost_wait_and_its_kind_is_watched)
{
	struct timespec a_while = { .tv_nsec = 2000000 };
	uint64_t n_lost = thread.waits.n_lost;

	begin_rests();
	ep_hot.notes_waits = true;
	thread.wait_now.left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	nanosleep(&a_while, NULL);
	thread.wait_now.left[EP_WAIT_READ] = -1;
	CHECK(ep_waits_thread(EP_WAIT_READ) == &thread);
	CHECK_INT(thread.waits.n_lost, n_lost + 1);
	thread.wait_now.left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == &thread);
	CHECK_INT(thread.wait_now.left[EP_WAIT_READ], EP_WAITS_SEEN_CALLS);
}

/* A tick may come between a call's wake-up and its end. */
TEST(a_rest_that_ends_within_a_wait_leaves_its_marks)
{
	begin_rests();
	ep_hot.notes_waits = true;
	thread.wait_now.left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	thread.waits.mark_ns = 1;
	thread.wait_now.kind = EP_WAIT_POLL;
	ep_waits_slice_begins(&thread);
	CHECK_INT(thread.waits.mark_ns, 1);
	thread.wait_now.kind = 0;
}

TEST(no_rest_outlasts_its_slice)
{
	begin_rests();
	ep_hot.notes_waits = true;
	thread.wait_now.left[EP_WAIT_READ] = 0;
	CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	for (int i = 0; i < 10; i++)
		CHECK(ep_waits_thread(EP_WAIT_READ) == NULL);
	ep_waits_slice_begins(&thread);
	CHECK(ep_waits_thread(EP_WAIT_READ) == &thread);
	CHECK_INT(thread.waits.n_unseen[EP_WAIT_READ], 11);
	CHECK_INT(thread.wait_now.left[EP_WAIT_READ], EP_WAITS_SEEN_CALLS);
}
