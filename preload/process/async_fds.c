// SPDX-License-Identifier: BSD-3-Clause
/* Finds the program's descriptors that send signals, by system calls alone. Runs in signal handlers. */
#include "async_fds.h"

#include <fcntl.h>
#include <stdint.h>

#include "common/os/sys.h"
#include "preload/recording/clock.h"

/* The kernel's struct linux_dirent64. */
struct fd_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static int number_of(const char *name)
{
	int number = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		number = 10 * number + *name - '0';
	return number;
}

static bool seems_async(int fd)
{
	long flags = ep_sys_fcntl(fd, F_GETFL, 0), signal;

	if (flags < 0 || !(flags & O_ASYNC))
		return false;
	signal = ep_sys_fcntl(fd, F_GETSIG, 0);
	return signal >= 0 && signal != EP_SLICE_SIGNAL;
}

/* Tells whether a descriptor of the program sends signals. evprof's clocks are recognised by their signal and not by
 * evprof's list of descriptors: in the child of a fork the list lacks a descriptor that another thread was opening or
 * closing at that time. Both questions are asked twice, since another thread may close its clock between two system
 * calls and open a new one with the same number, whose signal is not set yet. */
static bool is_async(int fd)
{
	return seems_async(fd) && seems_async(fd);
}

static bool has_async(const char *entries, long size)
{
	for (long at = 0; at < size;) {
		const struct fd_entry *entry = (const struct fd_entry *)(entries + at);

		if (entry->name[0] != '.' && is_async(number_of(entry->name)))
			return true;
		at += entry->size;
	}
	return false;
}

bool ep_program_has_async(void)
{
	char entries[1024] __attribute__((aligned(8)));
	int fd = ep_sys_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	bool found = false;
	long size;

	while (fd >= 0 && !found &&
		(size = ep_sys(__NR_getdents64, fd, entries, sizeof(entries))) > 0)
		found = has_async(entries, size);
	if (fd >= 0)
		ep_sys_close(fd);
	return found;
}
