/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic loader's list of modules. glibc protects it with a lock. If another thread looks at the list during a
 * fork, the child finds this lock taken for ever, and its next dlopen would never return. So looks and forks exclude
 * each other here.
 */
#ifndef EVPROF_COMMON_OS_LOADER_H
#define EVPROF_COMMON_OS_LOADER_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls dl_iterate_phdr with signals blocked. Waits for other threads' forks, for a tenth of a second at most. Returns
 * false if they last longer: then look was not called. Must not be called in a signal handler. */
bool ep_loader_look(
	int (*look)(struct dl_phdr_info *info, size_t size, void *argument), void *argument);

/* Sets out_state to an even number that changes with every module that is loaded or unloaded. Returns false if the list
 * could not be looked at (ep_loader_look). */
bool ep_loader_state(uint64_t *out_state);

/* Called before and after a fork in the thread that forks. Waits for other threads' looks, a tenth of a second
 * at most. */
void ep_loader_before_fork(void);
void ep_loader_after_fork_in_parent(void);
void ep_loader_after_fork_in_child(void);

#endif
