// SPDX-License-Identifier: BSD-3-Clause
/* evprof's descriptors. This code runs at the start of a process, at the start and end of threads, and in hooks; some
 * of the functions run in signal handlers. */
#include "fds.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "file_limit.h"
#include "large.h"
#include "sys.h"

#define N_OURS EP_FILE_LIMIT_ROOM
#define FAR_ENOUGH                                                                                 \
	EP_FILE_LIMIT_FAR /* fork copies the kernel's table of descriptors: 8 bytes each, up to the highest one */

static int base_fd;
static struct rlimit limit_then;
static bool can_raise;
static EP_LARGE int *_Atomic holders[N_OURS]; /* the holder of number base_fd + index */
static _Atomic int n_used;                    /* entries from this one on have no holder */

static int choose_base(rlim_t soft, bool raise)
{
	if (soft > FAR_ENOUGH)
		return FAR_ENOUGH;
	if (raise)
		return soft;
	return soft > 64 ? soft - soft / 4 : soft / 2;
}

void ep_fds_init(void)
{
	struct ep_file_limit limit;

	limit_then.rlim_cur = 1024;
	ep_sys_prlimit(RLIMIT_NOFILE, NULL, &limit_then);
	ep_file_limit_raise(&limit);
	can_raise = limit.is_raised;
	ep_file_limit_restore(&limit);
	base_fd = choose_base(limit_then.rlim_cur, can_raise);
}

bool ep_fds_are_scarce(void)
{
	return !can_raise && limit_then.rlim_cur <= FAR_ENOUGH;
}

int ep_fds_lowest(void)
{
	return base_fd;
}

static int *_Atomic *slot_of(int fd)
{
	return fd >= base_fd && fd < base_fd + N_OURS ? &holders[fd - base_fd] : NULL;
}

static void set_holder(int fd, int *holder)
{
	int n = atomic_load(&n_used);

	atomic_store(slot_of(fd), holder);
	while (fd - base_fd >= n && !atomic_compare_exchange_weak(&n_used, &n, fd - base_fd + 1))
		;
}

static int duplicate(int fd, int lowest)
{
	return (int)ep_sys_fcntl(fd, F_DUPFD_CLOEXEC, lowest);
}

#define N_TRIES 100

/* Duplicates a descriptor to a high number. If another thread has raised the limit as well, it may restore the limit
 * before this thread duplicates. Then the number is above the limit (EINVAL), or no number is left below it (EMFILE),
 * and the thread tries again. */
static int duplicate_high(int fd, int lowest)
{
	struct ep_file_limit limit = { .is_own = false };
	int result = -EINVAL;

	if (!can_raise)
		return duplicate(fd, lowest);
	for (int i = 0; i < N_TRIES && !limit.is_own; i++) {
		ep_file_limit_raise(&limit);
		result = duplicate(fd, lowest);
		ep_file_limit_restore(&limit);
		if (result != -EINVAL && result != -EMFILE)
			break;
	}
	return result;
}

int ep_fds_lift(int fd, int *holder)
{
	int high = duplicate_high(fd, base_fd);

	ep_sys_close(fd);
	if (high >= 0 && !slot_of(high)) {
		ep_sys_close(high);
		high = -EMFILE;
	}
	*holder = high < 0 ? -1 : high;
	if (high >= 0)
		set_holder(high, holder);
	return high;
}

void ep_fds_forget(int *holder)
{
	int *_Atomic *slot = slot_of(*holder);

	if (slot && *slot == holder)
		atomic_store(slot, NULL);
	*holder = -1;
}

void ep_fds_close(int *holder)
{
	int fd = *holder;
	bool is_ours = ep_fds_is_ours(fd);

	ep_fds_forget(holder);
	if (is_ours)
		ep_sys_close(fd);
}

bool ep_fds_is_ours(int fd)
{
	int *_Atomic *slot = slot_of(fd);

	return slot && *slot;
}

void ep_fds_move_away(int fd)
{
	int *holder = slot_of(fd) ? *slot_of(fd) : NULL;
	int moved;

	if (!holder)
		return;
	moved = duplicate_high(fd, fd + 1);
	if (moved >= 0 && !slot_of(moved)) {
		ep_sys_close(moved);
		moved = -1;
	}
	atomic_store(slot_of(fd), NULL);
	if (moved >= 0)
		set_holder(moved, holder);
	*holder = moved;
}

int ep_fds_next(int fd)
{
	for (int i = fd < base_fd ? 0 : fd - base_fd; i < n_used; i++)
		if (holders[i])
			return base_fd + i;
	return -1;
}

void ep_fds_close_all_but(const int *keep)
{
	for (int i = 0; i < n_used; i++) {
		int *holder = holders[i];

		if (!holder || holder == keep)
			continue;
		ep_sys_close(base_fd + i);
		*holder = -1;
		holders[i] = NULL;
	}
}
