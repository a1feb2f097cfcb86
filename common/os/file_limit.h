/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of open files belongs to the process. fds.c raises it for a moment to move a descriptor of evprof above it.
 * The program must not see the raised limit, lose a limit that it sets in that moment, or pass the raised one to a
 * child. Therefore evprof's hooks of functions that read, set or inherit the limit hold it during the call, and it is
 * raised only while no thread holds it. Signal handlers may call these functions; each wait ends after a second at
 * most.
 */
#ifndef EVPROF_COMMON_OS_FILE_LIMIT_H
#define EVPROF_COMMON_OS_FILE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Where the limit can be raised, evprof's descriptors begin at EP_FILE_LIMIT_FAR and have EP_FILE_LIMIT_ROOM numbers. */
enum { EP_FILE_LIMIT_FAR = 1024, EP_FILE_LIMIT_ROOM = 16384 };

/* Hold and release the limit: it is not raised while any thread holds it. Several threads may hold it at once. */
void ep_file_limit_hold(void);
void ep_file_limit_release(void);

/* Tells whether a thread holds the limit, so that raising it would wait. A signal handler may have interrupted that
 * thread. */
bool ep_file_limit_is_held(void);

/* Called in the child of a fork: only its parent holds the limit. */
void ep_file_limit_after_fork(void);

struct ep_file_limit {
	struct rlimit before, raised;
	/* the caller's signal mask; all signals are blocked until the limit is restored */
	uint64_t mask;
	bool is_raised; /* false: the limit is unchanged, without room or permission */
	bool is_own;    /* false: the wait for other threads was given up */
};

/* Raises the soft limit above evprof's descriptors, and restores it; files that are open above it stay open. Every
 * raise is followed by a restore. */
void ep_file_limit_raise(struct ep_file_limit *out_limit);
void ep_file_limit_restore(const struct ep_file_limit *limit);

#endif
