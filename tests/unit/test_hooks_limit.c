// SPDX-License-Identifier: BSD-3-Clause
/* The names of libc's calls on limits give what the kernel gives, with and without a recording. */
#undef _FILE_OFFSET_BITS
#include "tests/unit/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "common/os/sys.h"

static rlim_t soft_by_number(void)
{
	struct rlimit now = { 0, 0 };

	ep_sys_prlimit(RLIMIT_NOFILE, NULL, &now);
	return now.rlim_cur;
}

static int set_and_read(void)
{
	struct rlimit limit;
	struct rlimit64 limit64;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur != soft_by_number())
		return 1;
	limit.rlim_cur = 301;
	if (setrlimit(RLIMIT_NOFILE, &limit) || soft_by_number() != 301)
		return 2;
	if (getrlimit64(RLIMIT_NOFILE, &limit64) || limit64.rlim_cur != 301)
		return 3;
	limit64.rlim_cur = 302;
	if (setrlimit64(RLIMIT_NOFILE, &limit64) || soft_by_number() != 302)
		return 4;
	limit.rlim_cur = 303;
	if (prlimit(getpid(), RLIMIT_NOFILE, &limit, NULL) || soft_by_number() != 303)
		return 5;
	if (prlimit64(0, RLIMIT_NOFILE, NULL, &limit64) || limit64.rlim_cur != 303)
		return 6;
	return 0;
}

static int fail(void)
{
	struct rlimit wrong = { 2, 1 };
	sigset_t blocked;

	errno = 0;
	if (setrlimit(RLIMIT_NOFILE, &wrong) != -1 || errno != EINVAL)
		return 7;
	errno = 0;
	if (getrlimit((__rlimit_resource_t)99, &wrong) != -1 || errno != EINVAL)
		return 8;
	errno = 0;
	if (prlimit(getpid(), RLIMIT_NOFILE, &wrong, NULL) != -1 || errno != EINVAL)
		return 9;
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, SIGUSR1) ? 10 : 0;
}

static int try_all(void)
{
	int wrong = set_and_read();

	return wrong ? wrong : fail();
}

TEST(limits_are_set_and_read_in_a_recording)
{
	CHECK_INT(in_child(try_all, NULL), 0);
}

static int try_without_recording(void)
{
	ep_recording.is_on = false;
	return try_all();
}

TEST(limits_are_set_and_read_without_one)
{
	CHECK_INT(in_child(try_without_recording, NULL), 0);
}

TEST(nothing_else_is_left)
{
	clean_up();
}
