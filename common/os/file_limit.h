/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of open files belongs to the process, and fds.c moves a descriptor of ours above it by raising
 * it for a moment. The program must not see the raised limit, lose a limit that it sets in that moment, or
 * hand the raised one to a child. Therefore our hooks of functions that read, set or inherit the limit hold
 * it meanwhile, and it is raised only while no thread holds it.
 * Signal handlers may call these functions; each of the waits ends after a second at most.
 */
#ifndef EVPROF_COMMON_OS_FILE_LIMIT_H
#define EVPROF_COMMON_OS_FILE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Descriptors from here on are ours where the limit can be raised. */
enum { EP_FILE_LIMIT_FAR = 1024, EP_FILE_LIMIT_ROOM = 16384 };

/* Keep the limit from being raised. Any number of threads may hold it at a time. */
void ep_file_limit_hold(void);
void ep_file_limit_release(void);

/* Whether raising it would wait. A handler may have interrupted the thread that holds it. */
bool ep_file_limit_is_held(void);

/* In the child of a fork, whose parent alone holds it. */
void ep_file_limit_after_fork(void);

struct ep_file_limit {
	struct rlimit before, raised;
	uint64_t mask;  /* of the caller's signals, all of which are blocked until the restoring */
	bool is_raised; /* else the limit is as before: no room, or no right */
	bool is_own;    /* false where the wait for other threads was given up */
};

/* Raises the soft limit above where our descriptors lie; what is open there stays open. Always followed
 * by a restoring. */
void ep_file_limit_raise(struct ep_file_limit *out_limit);
void ep_file_limit_restore(const struct ep_file_limit *limit);

#endif
