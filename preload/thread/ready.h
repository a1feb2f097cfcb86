/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a thread was ready to run and had no CPU: the kernel's account of its run queues, in
 * /proc/self/task/TID/schedstat. A descriptor is held from the first reading on: opening one for each would take a
 * number that the program counts on, and a chroot would hide the file. A file of a thread's own costs the thread that has
 * it 150 us at its end (Linux 6.18, two CPUs: 38 and 190 us for a thread that ends at once), so that one which was never
 * off its CPU has none.
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
	int late_tid; /* the thread whose file is opened when it is first read; 0: it is open, or cannot be */
	uint64_t base_ns, base_turns; /* values at the exec before, which are left out */
	bool is_known;
	uint64_t ready_ns; /* without a CPU */
	uint64_t n_turns;  /* times that it got one */
	uint64_t
		n_switches_read; /* its context switches when it was read; EP_READY_UNKNOWN: never */
};

/* Reads "RUN READY TURNS\n". False: the text is another one, or all is 0 since the kernel keeps no account. */
bool ep_ready_parse(const char *text, uint64_t *out_ready_ns, uint64_t *out_turns);

/* Counts from here; called in the thread, which may have run another program before. The account stays unknown where the
 * process has few descriptors left. */
void ep_ready_open(struct ep_ready *ready);
/* Counts from the thread's birth, and opens the file when it has something to tell. */
void ep_ready_begin(struct ep_ready *ready, int tid);

/* Reads the account again: any thread; signal handlers. Earlier values stay where it cannot be read any more.
 * n_switches: the thread's context switches so far, or EP_READY_UNKNOWN. A thread that has not switched since the
 * last reading has no new account, and the reading, which takes 14 us with cold caches, is left out. */
void ep_ready_read(struct ep_ready *ready, uint64_t n_switches);

void ep_ready_close(struct ep_ready *ready);

#endif
