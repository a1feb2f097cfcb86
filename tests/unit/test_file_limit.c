// SPDX-License-Identifier: BSD-3-Clause
/* Each case in a child of its own, since the limit is the process's. */
#include "tests/unit/test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/file_limit.h"

enum { SOFT = 300 };

static rlim_t soft_now(void)
{
	struct rlimit now = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &now);
	return now.rlim_cur;
}

static void set_soft(rlim_t soft)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max < 1024)
		_exit(99);
	limit.rlim_cur = soft;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(99);
}

static bool blocks_signals(void)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGUSR1) == 1;
}

/* Number of the check that failed, 0 for none. */
#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 90 + 1;                                                  \
	} while (0)

static int there_and_back(void)
{
	struct ep_file_limit limit;

	set_soft(SOFT);
	ep_file_limit_raise(&limit);
	REQUIRE(limit.is_raised && limit.is_own && soft_now() > SOFT && blocks_signals());
	ep_file_limit_restore(&limit);
	REQUIRE(soft_now() == SOFT && !blocks_signals());
	return 0;
}

/* A call by number goes around the hooks that would hold the limit. */
static int set_meanwhile(void)
{
	struct ep_file_limit limit;

	set_soft(SOFT);
	ep_file_limit_raise(&limit);
	set_soft(SOFT + 7);
	ep_file_limit_restore(&limit);
	REQUIRE(soft_now() == SOFT + 7);
	return 0;
}

static int no_room(void)
{
	struct rlimit all = { 50000, 50000 };
	struct ep_file_limit limit;

	if (setrlimit(RLIMIT_NOFILE, &all))
		return 0; /* the machine gives no more to anyone */
	ep_file_limit_raise(&limit);
	REQUIRE(!limit.is_raised && soft_now() == 50000);
	ep_file_limit_restore(&limit);
	REQUIRE(soft_now() == 50000 && !blocks_signals());
	return 0;
}

static atomic_bool is_asking, is_done;

static void *raise_once(void *unused)
{
	struct ep_file_limit limit;

	is_asking = true;
	ep_file_limit_raise(&limit);
	ep_file_limit_restore(&limit);
	is_done = true;
	return unused;
}

/* Not until the last holder has gone, or it is given up: on a machine that stands still for so long
 * the wait may be over. */
static int held_by_two(void)
{
	pthread_t thread;

	set_soft(SOFT);
	ep_file_limit_hold();
	ep_file_limit_hold();
	REQUIRE(!pthread_create(&thread, NULL, raise_once, NULL));
	while (!is_asking)
		sched_yield();
	ep_file_limit_release();
	for (int i = 0; i < 20 && !is_done; i++)
		REQUIRE(soft_now() == SOFT || is_done);
	ep_file_limit_release();
	pthread_join(thread, NULL);
	REQUIRE(is_done && soft_now() == SOFT);
	return 0;
}

/* A fork holds the limit, its child holds nothing. */
static int held_by_fork(void)
{
	struct ep_file_limit limit;
	int status = -1;
	pid_t pid;

	set_soft(SOFT);
	ep_file_limit_hold();
	pid = fork();
	if (!pid) {
		ep_file_limit_after_fork();
		ep_file_limit_raise(&limit);
		ep_file_limit_restore(&limit);
		_exit(limit.is_own ? 5 : 6);
	}
	waitpid(pid, &status, 0);
	ep_file_limit_release();
	REQUIRE(WEXITSTATUS(status) == 5);
	return 0;
}

TEST(the_limit_is_what_the_program_made_it)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{ "there and back", there_and_back },
		{ "set meanwhile", set_meanwhile },
		{ "no room", no_room },
		{ "held by two", held_by_two },
		{ "held by fork", held_by_fork },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid)
			_exit(cases[i].run());
		waitpid(pid, &status, 0);
		CHECK_MSG(!status, "%s: wait status %#x", cases[i].name, status);
	}
}
