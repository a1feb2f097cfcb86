/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that replaces functions of libc, as libfaketime and fakeroot do: its clock stands still, and its stat takes
 * a lock that the interrupted code may hold. No signal handler may call these functions, and nothing may wait for this
 * clock to advance.
 */
#include "probe.h"

#include <sys/stat.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_int held, n_calls;
static _Thread_local bool holds;

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
	(void)clock;
	out->tv_sec = 1600000000;
	out->tv_nsec = 0;
	return 0;
}

static void enter(void)
{
	n_calls++;
	EXPECT_MSG(!holds, "a handler wants the lock that its thread holds");
	while (!holds && atomic_exchange(&held, 1))
		;
	if (!holds)
		atomic_store(&held, 0);
}

EXPORT int fstat(int fd, struct stat *out)
{
	enter();
	return (int)syscall(SYS_fstat, fd, out);
}

EXPORT int stat(const char *path, struct stat *out)
{
	enter();
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}

EXPORT int lstat(const char *path, struct stat *out)
{
	enter();
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

static int64_t cpu_ms(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void)
{
	while (cpu_ms() < 1500) {
		while (atomic_exchange(&held, 1))
			;
		holds = true;
		for (volatile int i = 0; i < 2000; i++)
			;
		holds = false;
		atomic_store(&held, 0);
	}
	printf("calls of stat by others: %d\n", n_calls);
	return probe_end();
}
