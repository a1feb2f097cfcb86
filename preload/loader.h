/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic loader's list of modules. glibc guards it with a lock that fork's child finds taken for
 * good where another thread was looking at the list: the child's next dlopen would wait for ever. So
 * looks and forks keep out of each other's way here.
 */
#ifndef EVPROF_PRELOAD_LOADER_H
#define EVPROF_PRELOAD_LOADER_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* dl_iterate_phdr. False: another thread forks, and nothing was looked at. Never in a signal
 * handler. */
bool ep_loader_look(
	int (*look)(struct dl_phdr_info *info, size_t size, void *argument), void *argument);

/* Modules, since the program's start. False as above. */
struct ep_loader_counts {
	uint64_t n_loaded, n_unloaded;
};
bool ep_loader_count(struct ep_loader_counts *out_counts);

/* Around fork, in the thread that forks. Waits for other threads' looks, a tenth of a second at
 * most. */
void ep_loader_before_fork(void);
void ep_loader_after_fork_in_parent(void);
void ep_loader_after_fork_in_child(void);

#endif
