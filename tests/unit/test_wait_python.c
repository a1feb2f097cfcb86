// SPDX-License-Identifier: BSD-3-Clause
/* Waits of CPython: for its global lock, known by the variable or by the interpreter's condition variables, and for
 * the end of a thread. */
#include "tests/unit/test.h"

#include "reporter/facts/wait_sums.h"

enum { OF_PYTHON, OF_ANOTHER };

static struct ep_module_info modules[] = { { .path = "/usr/bin/python3.11" },
	{ .path = "/usr/lib/libsomething.so" } };
static struct ep_path paths[] = { { .module_idx = 0 }, { .module_idx = 1 } };
static struct ep_trace trace = { .modules = modules, .n_modules = 2, .paths = paths, .n_paths = 2 };
static struct ep_builder builder = { .trace = &trace };

static bool is_for_gil(uint8_t kind, uint32_t path_idx, const char *lock_name)
{
	struct ep_wait_cost wait = { .kind = kind, .path_idx = path_idx };

	return ep_wait_is_for_gil(&builder, &wait, lock_name);
}

TEST(the_lock_is_known_by_its_variable)
{
	CHECK(is_for_gil(EP_WAIT_MUTEX, OF_ANOTHER, "_PyRuntime+0x160"));
	CHECK(is_for_gil(EP_WAIT_CONDITION, OF_ANOTHER, "_PyRuntime"));
	CHECK(!is_for_gil(EP_WAIT_MUTEX, OF_PYTHON, "_PyRuntimeState"));
	CHECK(!is_for_gil(EP_WAIT_MUTEX, OF_PYTHON, NULL));
}

TEST(or_by_who_waits_at_a_condition_variable)
{
	CHECK(is_for_gil(EP_WAIT_CONDITION, OF_PYTHON, NULL));
	CHECK(!is_for_gil(EP_WAIT_CONDITION, OF_ANOTHER, NULL));
	CHECK(!is_for_gil(EP_WAIT_SEMAPHORE, OF_PYTHON, "_PyRuntime"));
	CHECK(!is_for_gil(EP_WAIT_CONDITION, 2, NULL)); /* there is no such path */
}

static bool is_join(uint8_t kind, const char *innermost, const char *next)
{
	struct ep_wait_adding adding = { .names = { innermost, next }, .n = 2 };
	struct ep_wait_cost wait = { .kind = kind };

	return ep_wait_is_threading_join(&adding, &wait);
}

TEST(the_end_of_a_thread)
{
	CHECK(is_join(EP_WAIT_SEMAPHORE, "lock_acquire", "threading.py:Thread.join"));
	CHECK(is_join(EP_WAIT_SEMAPHORE, "threading.py:_wait_for_tstate_lock", "app.py:main"));
	CHECK(!is_join(EP_WAIT_SEMAPHORE, "threading.py:wait", "threading.py:join"));
	CHECK(!is_join(EP_WAIT_CONDITION, "lock_acquire", "threading.py:join"));
	CHECK(!is_join(EP_WAIT_SEMAPHORE, "lock_acquire", "app.py:join"));
}
