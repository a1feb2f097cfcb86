// SPDX-License-Identifier: BSD-3-Clause
/*
 * Hooks of calls that read or set the limit of open files. evprof raises this limit for a moment while it moves a
 * descriptor above the limit (common/os/file_limit.h). The hooks wait for the end of that moment: the program does not
 * see the raised limit, and a limit that the program sets is not lost.
 */
/* This file defines the plain names and those that end in 64; _FILE_OFFSET_BITS would turn the first into the
 * second. */
#undef _FILE_OFFSET_BITS

#include <sys/resource.h>

#include "common/os/file_limit.h"
#include "common/os/sys.h"
#include "hooks.h"
#include "preload/recording/recording.h"

EP_REAL(getrlimit)
EP_REAL(setrlimit)
EP_REAL(prlimit)

/* Tells whether a call is about the limit that evprof raises. evprof does not raise the limits of other processes and
 * of vfork children. */
static EP_EARLY bool is_what_we_raise(int resource, pid_t pid)
{
	return resource == RLIMIT_NOFILE && ep_recording.is_on && ep_recording_is_mine() &&
	       (!pid || pid == (pid_t)ep_recording.key.pid);
}

/* Holds the limit, so that evprof does not raise it, and blocks signals. A signal handler that executed a program in
 * the meantime could lead evprof to raise the limit, which would wait for this interrupted call. */
static EP_EARLY bool hold(int resource, pid_t pid, uint64_t *out_mask)
{
	if (!is_what_we_raise(resource, pid))
		return false;
	*out_mask = ep_sys_block_signals();
	ep_file_limit_hold();
	return true;
}

static EP_EARLY void release(bool is_held, uint64_t mask)
{
	if (!is_held)
		return;
	ep_file_limit_release();
	ep_sys_restore_signals(mask);
}

EP_EARLY EP_HOOK int getrlimit(__rlimit_resource_t resource, struct rlimit *out_limit)
{
	uint64_t mask = 0;
	bool is_held = hold((int)resource, 0, &mask);
	int rc = find_getrlimit()(resource, out_limit);

	release(is_held, mask);
	return rc;
}

EP_EARLY EP_HOOK int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	uint64_t mask = 0;
	bool is_held = hold((int)resource, 0, &mask);
	int rc = find_setrlimit()(resource, limit);

	release(is_held, mask);
	return rc;
}

EP_EARLY EP_HOOK int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit,
	struct rlimit *out_old)
{
	uint64_t mask = 0;
	bool is_held = hold((int)resource, pid, &mask);
	int rc = find_prlimit()(pid, resource, limit, out_old);

	release(is_held, mask);
	return rc;
}

/* On all 64-bit machines struct rlimit64 is the same as struct rlimit. */
EP_EARLY EP_HOOK int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *out_limit)
{
	return getrlimit(resource, (struct rlimit *)out_limit);
}

EP_EARLY EP_HOOK int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return setrlimit(resource, (const struct rlimit *)limit);
}

EP_EARLY EP_HOOK int prlimit64(pid_t pid, enum __rlimit_resource resource,
	const struct rlimit64 *limit, struct rlimit64 *out_old)
{
	return prlimit(pid, resource, (const struct rlimit *)limit, (struct rlimit *)out_old);
}
