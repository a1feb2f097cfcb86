// SPDX-License-Identifier: BSD-3-Clause
/* Sets and clears the bits of descriptors that never make a thread wait. */
#include "nonblocking.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "common/os/sys.h"

#define MAX_FAILED 8

void ep_nonblocking_forget_all(void)
{
	for (uint32_t i = 0; i < EP_NONBLOCKING_FDS / EP_NONBLOCKING_BITS; i++)
		if (atomic_load_explicit(&ep_hot.nonblocking[i], memory_order_relaxed))
			atomic_store_explicit(&ep_hot.nonblocking[i], 0, memory_order_relaxed);
}

/* Tells whether calls on a descriptor never wait. A file makes a thread wait for its disk even with O_NONBLOCK, and a
 * device may do so, too. */
static bool never_waits(int fd)
{
	long flags = ep_sys(__NR_fcntl, fd, F_GETFL);
	struct stat st;

	if (flags < 0 || !(flags & O_NONBLOCK) || ep_sys_fstat(fd, &st))
		return false;
	return S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode) || !(st.st_mode & S_IFMT);
}

void ep_nonblocking_learn(struct ep_nonblocking_turn *turn, int fd)
{
	turn->n_calls = 0;
	if ((uint32_t)fd >= EP_NONBLOCKING_FDS || !never_waits(fd)) {
		turn->n_failed += turn->n_failed < MAX_FAILED;
		return;
	}
	turn->n_failed = 0;
	atomic_fetch_or_explicit(&ep_hot.nonblocking[fd / EP_NONBLOCKING_BITS],
		1ull << fd % EP_NONBLOCKING_BITS, memory_order_relaxed);
}
