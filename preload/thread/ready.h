/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a thread was ready to run without a CPU, by the kernel's account of its run queues in
 * /proc/self/task/TID/schedstat. The file is opened at the first reading and stays open. To open it each time would
 * take a descriptor number that the program may expect for its own file, and would fail after a chroot. An open
 * schedstat file of a thread costs 150 us at the thread's end (Linux 6.18, two CPUs: 190 us instead of 38 for a thread
 * that ends at once), so it is not opened for a thread that was never off its CPU.
 */
#ifndef EVPROF_PRELOAD_THREAD_READY_H
#define EVPROF_PRELOAD_THREAD_READY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define EP_READY_UNKNOWN UINT64_MAX

struct ep_ready {
	int fd; /* -1: the file is not open */
	dev_t device;
	ino_t inode;
	/* tid of the thread whose file is opened at the first reading; 0: no file will be opened any more */
	int late_tid;
	/* ready_ns and n_turns of an earlier program in this thread, before exec; they are subtracted */
	uint64_t base_ns, base_turns;
	bool is_known;
	uint64_t ready_ns; /* time in which the thread was ready to run but had no CPU */
	uint64_t n_turns;  /* how often the thread got a CPU */
	/* the thread's context switches at the last reading; EP_READY_UNKNOWN: it was never read */
	uint64_t n_switches_read;
};

/* Parses "RUN READY TURNS\n". Returns false if the text has another form, or if TURNS is 0: then the kernel does not
 * count. */
bool ep_ready_parse(const char *text, uint64_t *out_ready_ns, uint64_t *out_turns);

/* Begins to count from now on. Called in the thread, which may have run another program before an exec. The account
 * stays unknown if the process has few descriptors left. */
void ep_ready_open(struct ep_ready *ready);
/* Begins to count from the thread's birth. The file is opened at the first reading after the thread was off its CPU. */
void ep_ready_begin(struct ep_ready *ready, int tid);

/* Reads the account again. Any thread and signal handlers may call this function. If the account cannot be read any
 * more, the earlier values stay. n_switches: the thread's context switches so far, or EP_READY_UNKNOWN. If the thread
 * has not switched since the last reading, nothing is read, since a reading takes 14 us with cold caches. */
void ep_ready_read(struct ep_ready *ready, uint64_t n_switches);

void ep_ready_close(struct ep_ready *ready);

#endif
