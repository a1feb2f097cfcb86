/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that defines functions with the names of library functions. Some of them count their calls and do the same
 * as the library's, others do something else. Only the program itself may call them.
 */
#include "probe.h"

#define EXPORT __attribute__((visibility("default")))

static atomic_int n_calls;

#define OWN(name)                                                                                  \
	EXPORT int name(void);                                                                     \
	EXPORT int name(void)                                                                      \
	{                                                                                          \
		n_calls++;                                                                         \
		return -1;                                                                         \
	}

/* These functions do not have the library's signatures. A caller that expects the library's function gets -1. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif
OWN(error)
OWN(crc32)
OWN(deflate)
OWN(inflate)
OWN(compress)
OWN(unw_step)
OWN(unw_backtrace)
OWN(pfm_initialize)
OWN(ep_fail)
OWN(ep_file_read)
OWN(start)
OWN(stop)
OWN(block)
OWN(lookup)

/* These functions have the library's signatures, and count their calls. */
EXPORT ssize_t write(int fd, const void *data, size_t size)
{
	n_calls++;
	return syscall(SYS_write, fd, data, size);
}

EXPORT ssize_t read(int fd, void *data, size_t size)
{
	n_calls++;
	return syscall(SYS_read, fd, data, size);
}

EXPORT int close(int fd)
{
	n_calls++;
	return syscall(SYS_close, fd);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	n_calls++;
	errno = ENOTTY;
	return -1;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
	return syscall(SYS_clock_gettime, clock, out);
}

EXPORT int strcmp(const char *a, const char *b)
{
	n_calls++;
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

static void *work(void *unused)
{
	burn_ms(1100);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int n_before = n_calls;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	EXPECT_INT(n_calls, n_before);
	EXPECT_INT(write(1, "written\n", 8), 8);
	EXPECT_INT(n_calls, n_before + 1);
	return probe_end();
}
