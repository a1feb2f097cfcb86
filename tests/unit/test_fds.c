// SPDX-License-Identifier: BSD-3-Clause
/* Each case in a child of its own, since limits and tables are of the process. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/os/fds.h"

static void set_limit(rlim_t soft, rlim_t hard)
{
	struct rlimit limit = { soft, hard };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(99);
	ep_fds_init();
}

static int lift(int *holder)
{
	return ep_fds_lift(open("/dev/null", O_RDONLY), holder);
}

/* Number of the check that failed, 0 for none. */
#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 200 + 1;                                                 \
	} while (0)

static int usual(void)
{
	int holders[40], low = dup(0);
	struct rlimit after;

	close(low);
	set_limit(1024, 4096);
	for (int i = 0; i < 40; i++) {
		REQUIRE(lift(&holders[i]) == holders[i]);
		REQUIRE(holders[i] >= 1024 && ep_fds_is_ours(holders[i]));
		REQUIRE(fcntl(holders[i], F_GETFD) == FD_CLOEXEC);
	}
	REQUIRE(!getrlimit(RLIMIT_NOFILE, &after) && after.rlim_cur == 1024 &&
		after.rlim_max == 4096);
	REQUIRE(dup(0) == low); /* the program's next number is what it was */
	REQUIRE(ep_fds_next(0) == holders[0] && ep_fds_next(holders[3] + 1) == holders[4]);
	ep_fds_close_all_but(&holders[7]);
	REQUIRE(holders[6] == -1 && fcntl(holders[7], F_GETFD) >= 0);
	REQUIRE(ep_fds_next(0) == holders[7] && ep_fds_next(holders[7] + 1) == -1);
	return 0;
}

/* An ordinary user's hard limit leaves no room above the soft one: the upper end is taken. */
static int tight(void)
{
	int holders[40], n = 0;

	if (!geteuid() && setuid(65534))
		return 99;
	set_limit(64, 64);
	while (n < 40 && lift(&holders[n]) >= 0) {
		REQUIRE(holders[n] >= 32 && holders[n] < 64);
		n++;
	}
	REQUIRE(n >= 16 && n < 40);
	REQUIRE(holders[n] == -1);
	for (int i = 0; i < n; i++)
		ep_fds_close(&holders[i]);
	REQUIRE(ep_fds_next(0) == -1);
	return 0;
}

static int taken(void)
{
	int holder, number, moved;

	set_limit(1024, 4096);
	number = lift(&holder);
	ep_fds_move_away(number);
	REQUIRE(holder > number && ep_fds_is_ours(holder) && !ep_fds_is_ours(number));
	REQUIRE(fcntl(holder, F_GETFD) == FD_CLOEXEC);
	moved = holder;
	close(moved); /* behind our back, and now it is the program's */
	ep_fds_forget(&holder);
	REQUIRE(holder == -1 && !ep_fds_is_ours(moved));
	ep_fds_close(&holder);
	ep_fds_move_away(5);
	REQUIRE(fcntl(number, F_GETFD) >= 0); /* the program's dup2 will close it */
	return 0;
}

static int none_left(void)
{
	int holder = 7;

	set_limit(1024, 4096);
	REQUIRE(ep_fds_lift(-1, &holder) < 0);
	REQUIRE(holder == -1);
	ep_fds_close(&holder);
	ep_fds_close_all_but(NULL);
	REQUIRE(!ep_fds_is_ours(-1) && !ep_fds_is_ours(0) && !ep_fds_is_ours(1 << 30));
	REQUIRE(ep_fds_next(-5) == -1 && ep_fds_next(1 << 30) == -1);
	return 0;
}

static void in_child(const char *name, int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(run());
	waitpid(pid, &status, 0);
	CHECK_MSG(!status, "%s: wait status %#x", name, status);
}

static void *lift_often(void *n_failed)
{
	for (int i = 0; i < 3000; i++) {
		int holder = -1;

		if (lift(&holder) < 0)
			atomic_fetch_add((atomic_int *)n_failed, 1);
		else
			ep_fds_close(&holder);
	}
	return NULL;
}

/* A team of threads that start together: each raises the limit for a moment. */
static int together(void)
{
	pthread_t threads[8];
	atomic_int n_failed = 0;
	struct rlimit after;

	set_limit(1024, 4096);
	for (int i = 0; i < 8; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, lift_often, &n_failed));
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	REQUIRE(!n_failed);
	REQUIRE(!getrlimit(RLIMIT_NOFILE, &after) && after.rlim_cur == 1024);
	return 0;
}

TEST(descriptors_are_high_and_known)
{
	in_child("usual", usual);
}

TEST(threads_lift_at_the_same_time)
{
	in_child("together", together);
}

TEST(a_tight_limit_leaves_the_low_numbers)
{
	in_child("tight", tight);
}

TEST(the_program_gets_the_number_that_it_wants)
{
	in_child("taken", taken);
}

TEST(no_descriptor_is_an_error)
{
	in_child("none left", none_left);
}
