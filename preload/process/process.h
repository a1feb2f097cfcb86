/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the process image: its beginning, fork and end. Only files of this folder use the fields of
 * ep_process. */
#ifndef EVPROF_PRELOAD_PROCESS_PROCESS_H
#define EVPROF_PRELOAD_PROCESS_PROCESS_H

#include "preload/recording/recording.h"

struct ep_process {
	_Atomic bool is_ending; /* a thread is writing the trace's last blocks of this process */
	bool is_said;           /* the parent has reported why nothing is measured */
	bool asks_for_events;   /* the user named events or models */
	enum ep_born born;
	struct ep_process_key parent; /* the parent process; set after fork */
	int root_pid;
	uint64_t root_start_ticks;
	uint64_t start_ticks;
	/* CPU time (us) of children that ended before this image began: earlier programs of this process had them */
	uint64_t birth_children_us;
};

extern struct ep_process ep_process;

/* Begins to measure; called by the constructor. argv NULL: the caller does not know it, so it is read from /proc. */
void ep_process_begin(int argc, char **argv, char **envp);

/* Writes all that was measured, when the process image ends or an exec is about to be tried. Does nothing in a vfork
 * child, which shares the memory of the measured process. */
void ep_process_end(enum ep_end_how how, int status, const char *note);

/* Begins measuring anew in the child of a fork. */
void ep_process_after_fork(void);

/* Ends measuring while the program goes on, because a user stopped the run or the trace has reached its size limit.
 * Runs in a tick. */
void ep_process_stop(void);

/* Writes to the trace that a write has failed, if the trace had reached the limit on file sizes; room is kept for this.
 * The program goes on. Runs in a tick. */
void ep_process_say_failure(void);
/* Tells whether a write of the trace has failed while the program goes on and evprof's clocks and handlers are still
 * there. */
bool ep_process_has_failed(void);
/* Removes evprof's clocks and handlers after such a failure, once. Called before the program enters a sandbox or
 * executes another program. */
void ep_process_leave_off(void);

/* Returns the CPU time in us of the children that were waited for so far, with that of their children
 * (RUSAGE_CHILDREN). */
uint64_t ep_process_children_us(void);

#endif
