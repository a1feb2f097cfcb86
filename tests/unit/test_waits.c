// SPDX-License-Identifier: BSD-3-Clause
/* Waits that cannot be noted are counted. */
#include "tests/unit/test.h"

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
