/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a thread was ready to run and had no CPU: the kernel's account of its run queues, in
 * /proc/thread-self/schedstat. A descriptor is held for as long as the thread is: opening one in
 * the middle would take a number that the program counts on, and a chroot would hide the file.
 */
#ifndef EVPROF_PRELOAD_THREAD_READY_H
#define EVPROF_PRELOAD_THREAD_READY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define EP_READY_UNKNOWN UINT64_MAX

struct ep_ready {
	int fd; /* -1: not held */
	dev_t device;
	ino_t inode;
	uint64_t base_ns, base_turns; /* values at the exec before, which are left out */
	bool is_known;
	uint64_t ready_ns; /* without a CPU */
	uint64_t n_turns;  /* times that it got one */
	uint64_t
		n_switches_read; /* its context switches when it was read; EP_READY_UNKNOWN: never */
};

/* Reads "RUN READY TURNS\n". False: the text is another one, or all is 0 since the kernel keeps no account. */
bool ep_ready_parse(const char *text, uint64_t *out_ready_ns, uint64_t *out_turns);

/* Counts from here; called in the thread. The account stays unknown where the process has few descriptors left. */
void ep_ready_open(struct ep_ready *ready);

/* Reads the account again: any thread; signal handlers. Earlier values stay where it cannot be read any more.
 * n_switches: the thread's context switches so far, or EP_READY_UNKNOWN. A thread that has not switched since the
 * last reading has no new account, and the reading, which takes 14 us with cold caches, is left out. */
void ep_ready_read(struct ep_ready *ready, uint64_t n_switches);

void ep_ready_close(struct ep_ready *ready);

#endif
