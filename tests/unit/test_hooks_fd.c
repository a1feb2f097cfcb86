// SPDX-License-Identifier: BSD-3-Clause
/* A program and its numbers beside ours: close, dup2, dup3, close_range, closefrom. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/fds.h"
#include "preload/process/process.h"

static int ours = -1;
static struct stat our_file;

static bool is_our_file(int fd)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_ino == our_file.st_ino && now.st_dev == our_file.st_dev;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* A descriptor of ours, above the program's, yet below its limit: a number that it may want. */
static void hold_one(void)
{
	int fd = open("/proc/self/status", O_RDONLY);
	struct rlimit limit;

	CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = limit.rlim_max;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	ep_recording.key.pid = (uint32_t)getpid();
	ep_recording.is_on = true;
	ep_fds_init();
	CHECK(ep_fds_lift(fd, &ours) >= 0);
	fstat(ours, &our_file);
}

static void let_go(void)
{
	ep_fds_close(&ours);
	ep_recording.is_on = false;
}

TEST(ours_looks_closed)
{
	int number;

	hold_one();
	number = ours;
	CHECK_INT(close(number), 0);
	errno = 0;
	CHECK_INT(dup2(number, 200), -1);
	CHECK_INT(errno, EBADF);
	errno = 0;
	CHECK_INT(dup3(number, 200, O_CLOEXEC), -1);
	CHECK_INT(errno, EBADF);
	CHECK(is_our_file(ours));
	CHECK(!is_open(200));
	let_go();
	CHECK(!is_open(number));
}

TEST(the_program_gets_the_number_it_wants)
{
	int mine = open("/dev/null", O_RDONLY), number;

	hold_one();
	for (int i = 0; i < 2; i++) {
		number = ours;
		CHECK_INT(i ? dup3(mine, number, O_CLOEXEC) : dup2(mine, number), number);
		CHECK(ours != number && is_our_file(ours));
		CHECK(is_open(number) && !is_our_file(number));
		CHECK_INT(fcntl(number, F_GETFD), i ? FD_CLOEXEC : 0);
		CHECK_INT(close(number), 0); /* it is the program's now */
	}
	let_go();
	close(mine);
}

TEST(ranges_are_closed_around_ours)
{
	static const struct {
		int before, after; /* from ours - before to ours + after */
	} rows[] = { { 3, 3 }, { 0, 2 }, { 2, 0 }, { 0, 0 } };

	for (size_t i = 0; i < EP_ARRAY_SIZE(rows); i++) {
		int mine = open("/dev/null", O_RDONLY), first, last;

		hold_one();
		first = ours - rows[i].before;
		last = ours + rows[i].after;
		for (int fd = first; fd <= last; fd++)
			if (fd != ours)
				CHECK_INT(dup2(mine, fd), fd);
		CHECK_INT(close_range(first, last, 0), 0);
		for (int fd = first; fd <= last; fd++)
			CHECK_MSG(is_open(fd) == (fd == ours), "row %zu: descriptor %d", i, fd);
		CHECK(is_our_file(ours));
		let_go();
		close(mine);
	}
}

TEST(a_range_is_refused_or_marked_as_the_kernel_does)
{
	int mine = open("/dev/null", O_RDONLY);

	hold_one();
	errno = 0;
	CHECK_INT(close_range(9, 8, 0), -1);
	CHECK_INT(errno, EINVAL);
	CHECK_INT(close_range(mine, mine, CLOSE_RANGE_CLOEXEC), 0);
	CHECK_INT(fcntl(mine, F_GETFD), FD_CLOEXEC);
	let_go();
	close(mine);
}

TEST(a_daemon_that_closes_all_from_3_on)
{
	pid_t pid;
	int status = -1;

	hold_one();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int mine = dup2(0, 77), left;

		ep_recording.key.pid = (uint32_t)getpid();
		errno = 17;
		closefrom(3);
		left = errno;
		_exit(mine != 77 || is_open(77) || left != 17 || !is_our_file(ours) || !is_open(0));
	}
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	let_go();
}

/* A child that is not us (vfork's) has numbers of its own: it closes what it likes. */
TEST(another_process_closes_what_it_likes)
{
	pid_t pid;
	int status = -1;

	hold_one();
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(close(ours) || is_open(ours) || close_range(3, 100, 0));
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	CHECK(is_our_file(ours));
	let_go();
}

TEST(when_it_is_off_everything_is_the_programs)
{
	int mine = open("/dev/null", O_RDONLY);

	CHECK_INT(close_range(mine, mine, 0), 0);
	CHECK(!is_open(mine));
	mine = open("/dev/null", O_RDONLY);
	CHECK_INT(dup2(mine, 88), 88);
	CHECK_INT(close(88), 0);
	CHECK_INT(close(mine), 0);
}
