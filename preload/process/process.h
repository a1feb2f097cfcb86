/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the process image: its beginning, fork and end. The fields are for this folder. */
#ifndef EVPROF_PRELOAD_PROCESS_PROCESS_H
#define EVPROF_PRELOAD_PROCESS_PROCESS_H

#include "preload/recording/recording.h"

struct ep_process {
	_Atomic bool is_ending; /* a thread is writing the trace's last blocks of this process */
	bool is_said;           /* the parent has said why nothing is measured */
	bool asks_for_events;   /* the user named some, or models */
	enum ep_born born;
	struct ep_process_key parent; /* after fork */
	int root_pid;
	uint64_t root_start_ticks;
	uint64_t start_ticks;
	uint64_t birth_children_us; /* CPU time of children before, in programs that became this */
};

extern struct ep_process ep_process;

/* The constructor's work; argv NULL: not known yet. */
void ep_process_begin(int argc, char **argv, char **envp);

/* The process image ends, or an exec is about to be tried: everything is written. Does nothing in
 * a vfork child, which shares our memory but is not us. */
void ep_process_end(enum ep_end_how how, int status, const char *note);

/* Begins measuring anew in fork's child. */
void ep_process_after_fork(void);

/* Measuring ends here and the program goes on: somebody stopped the run, or its trace has its size.
 * In a tick. */
void ep_process_stop(void);

/* A write of the trace has failed, and the program goes on: the trace says so where it has room. In a
 * tick. */
void ep_process_say_failure(void);
/* Whether a write of the trace has failed, the program goes on, and clocks and handlers of ours are still there. */
bool ep_process_has_failed(void);
/* Takes them away then, once: before the program closes a sandbox or executes another. */
void ep_process_leave_off(void);

/* CPU time of the children that were waited for so far, with theirs (RUSAGE_CHILDREN). */
uint64_t ep_process_children_us(void);

#endif
