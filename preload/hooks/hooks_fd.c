// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks that protect evprof's file descriptors. A program that closes all descriptor numbers does not close evprof's.
 * If the program wants a number that evprof uses, evprof's descriptor moves to another number.
 */
#include <errno.h>
#include <unistd.h>

#include "common/os/fds.h"
#include "common/os/sys.h"
#include "hooks.h"
#include "preload/process/process.h"
#include "preload/thread/nonblocking.h"

EP_REAL(close)
EP_REAL(dup2)
EP_REAL(dup3)
EP_REAL(close_range)
EP_REAL(closefrom)

static bool hides(int fd)
{
	return fd >= ep_hot.lowest_fd && ep_fds_is_ours(fd) && ep_recording_is_mine();
}

/* Returns 0 for a descriptor of evprof without closing it. A program that closes such a number has found it in
 * /proc/self/fd, or closes all numbers; it expects 0 for every number that is listed there. */
__attribute__((hot)) EP_HOOK int close(int fd)
{
	if (hides(fd))
		return 0;
	ep_nonblocking_forget(fd);
	return find_close()(fd);
}

EP_HOOK int dup2(int old_fd, int new_fd)
{
	if (hides(old_fd)) {
		errno = EBADF;
		return -1;
	}
	if (hides(new_fd))
		ep_fds_move_away(new_fd);
	ep_nonblocking_forget(new_fd);
	return find_dup2()(old_fd, new_fd);
}

EP_HOOK int dup3(int old_fd, int new_fd, int flags)
{
	if (hides(old_fd)) {
		errno = EBADF;
		return -1;
	}
	if (hides(new_fd))
		ep_fds_move_away(new_fd);
	ep_nonblocking_forget(new_fd);
	return find_dup3()(old_fd, new_fd, flags);
}

/* Closes the ranges between evprof's descriptors. A call that marks descriptors close-on-exec needs no care, since
 * evprof's are marked already. */
EP_HOOK int close_range(unsigned first, unsigned last, int flags)
{
	int ours;

	ep_nonblocking_forget_all();
	if (flags || first > last || !ep_recording.is_on || !ep_recording_is_mine())
		return find_close_range()(first, last, flags);
	while ((ours = ep_fds_next(first > INT32_MAX ? INT32_MAX : (int)first)) >= 0 &&
		(unsigned)ours <= last) {
		if ((unsigned)ours > first && find_close_range()(first, ours - 1, 0))
			return -1;
		if ((unsigned)ours == last)
			return 0;
		first = ours + 1;
	}
	return find_close_range()(first, last, 0);
}

EP_HOOK void closefrom(int first)
{
	int saved_errno = errno;

	if (!ep_recording.is_on || close_range(first < 0 ? 0 : first, ~0u, 0))
		find_closefrom()(first);
	errno = saved_errno;
}
