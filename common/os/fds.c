// SPDX-License-Identifier: BSD-3-Clause
/* Our descriptors. Start-up, thread start and end, and the hooks; some of it in signal handlers. */
#include "fds.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "sys.h"

#define N_OURS 16384
#define FAR_ENOUGH                                                                                 \
	1024 /* the kernel's table reaches as far as the highest: 8 bytes each, copied by fork */

static int base_fd;
static struct rlimit limit_then;
static bool can_raise;
static int *_Atomic holders[N_OURS]; /* by number - base_fd */
static _Atomic int n_used;           /* no holder at or above it */

static int choose_base(rlim_t soft, bool raise)
{
	if (soft > FAR_ENOUGH)
		return FAR_ENOUGH;
	if (raise)
		return soft;
	return soft > 64 ? soft - soft / 4 : soft / 2;
}

/* Raises the soft limit for a moment; what is open above it stays open. */
static bool raise_limit(struct rlimit *old)
{
	struct rlimit wanted;

	if (ep_sys_prlimit(RLIMIT_NOFILE, NULL, old))
		return false;
	if (old->rlim_cur > FAR_ENOUGH + N_OURS)
		return false;
	wanted.rlim_cur = (old->rlim_cur < FAR_ENOUGH ? old->rlim_cur : FAR_ENOUGH) + N_OURS;
	wanted.rlim_max = wanted.rlim_cur > old->rlim_max ? wanted.rlim_cur : old->rlim_max;
	if (wanted.rlim_cur <= old->rlim_cur)
		return false;
	if (!ep_sys_prlimit(RLIMIT_NOFILE, &wanted, NULL))
		return true;
	wanted.rlim_cur = wanted.rlim_max = old->rlim_max;
	return old->rlim_max > old->rlim_cur && !ep_sys_prlimit(RLIMIT_NOFILE, &wanted, NULL);
}

static void restore_limit(const struct rlimit *old)
{
	ep_sys_prlimit(RLIMIT_NOFILE, old, NULL);
}

void ep_fds_init(void)
{
	struct rlimit old;

	limit_then.rlim_cur = 1024;
	ep_sys_prlimit(RLIMIT_NOFILE, NULL, &limit_then);
	can_raise = raise_limit(&old);
	if (can_raise)
		restore_limit(&old);
	base_fd = choose_base(limit_then.rlim_cur, can_raise);
}

bool ep_fds_are_scarce(void)
{
	return !can_raise && limit_then.rlim_cur <= FAR_ENOUGH;
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

#define N_TRIES 1000

/* The limit is the process's: a thread that restores it ends another one's moment. Then the number is
 * above the limit (EINVAL), or none is left below it (EMFILE), and the next moment is our own. No lock:
 * a signal, or the thread's end, may come in between. */
static int duplicate_high(int fd, int lowest)
{
	int result = -EINVAL;

	for (int i = 0; i < N_TRIES; i++) {
		struct rlimit old = { 0, 0 };
		bool raised = can_raise && raise_limit(&old),
		     is_low = old.rlim_cur <= (rlim_t)lowest;

		result = (int)ep_sys_fcntl(fd, F_DUPFD_CLOEXEC, lowest);
		if (raised)
			restore_limit(&old);
		if (!can_raise || (result != -EINVAL && result != -EMFILE) ||
			(raised ? result == -EMFILE : is_low))
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
