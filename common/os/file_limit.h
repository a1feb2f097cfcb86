/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of open files belongs to the process. fds.c raises the limit for a moment to move a descriptor of evprof
 * above it. The program must not see the raised limit, lose a limit that it sets in that moment, or pass the raised
 * limit to a child. Therefore evprof's hooks of functions that read, set or inherit the limit hold it during the call.
 * The limit is raised only while no thread holds it, or after a thread has waited in vain. Signal handlers may call
 * these functions; each wait ends after a second at most.
 */
#ifndef EVPROF_COMMON_OS_FILE_LIMIT_H
#define EVPROF_COMMON_OS_FILE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Where the limit can be raised, evprof's descriptors begin at EP_FILE_LIMIT_FAR and have
 * EP_FILE_LIMIT_ROOM numbers. */
enum { EP_FILE_LIMIT_FAR = 1024, EP_FILE_LIMIT_ROOM = 16384 };

/* These functions hold and release the limit. While a thread holds it, other threads wait before they raise it. Several
 * threads may hold the limit at once. */
void ep_file_limit_hold(void);
void ep_file_limit_release(void);

/* Tells whether a thread holds the limit, so that ep_file_limit_raise would wait. In a signal handler this may be the
 * interrupted thread. */
bool ep_file_limit_is_held(void);

/* Forgets all holders. Called in the child of a fork, since only threads of the parent hold the limit. */
void ep_file_limit_after_fork(void);

struct ep_file_limit {
	struct rlimit before, raised;
	/* the caller's signal mask; all signals are blocked until the limit is restored */
	uint64_t mask;
	bool is_raised; /* false: the limit was not changed: there was no need, room or permission */
	bool is_own;    /* false: the wait for other threads was given up */
};

/* These functions raise the soft limit above evprof's descriptors, and restore it. Files with numbers above the
 * restored limit stay open. Every raise is followed by a restore. */
void ep_file_limit_raise(struct ep_file_limit *out_limit);
void ep_file_limit_restore(const struct ep_file_limit *limit);

#endif
