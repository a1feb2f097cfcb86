/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic loader's list of modules. glibc guards it with a lock that fork's child finds taken
 * for good where another thread was looking at the list: the child's next dlopen would wait for
 * ever. So looks and forks keep out of each other's way here.
 */
#ifndef EVPROF_COMMON_OS_LOADER_H
#define EVPROF_COMMON_OS_LOADER_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* dl_iterate_phdr, with signals blocked. Waits for other threads' forks; false: a tenth of a second
 * was not enough, and nothing was looked at. Never in a signal handler. */
bool ep_loader_look(
	int (*look)(struct dl_phdr_info *info, size_t size, void *argument), void *argument);

/* An even number that changes with every module that comes or goes. False as above. */
bool ep_loader_state(uint64_t *out_state);

/* Around fork, in the thread that forks. Waits for other threads' looks, a tenth of a second at
 * most. */
void ep_loader_before_fork(void);
void ep_loader_after_fork_in_parent(void);
void ep_loader_after_fork_in_child(void);

#endif
